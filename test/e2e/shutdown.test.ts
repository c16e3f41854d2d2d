import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { groupText, numberedAlert } from '../support/alertmanager-bodies.ts';
import { describeIf } from '../support/describe-if.ts';
import { eventually } from '../support/eventually.ts';
import { freePort } from '../support/free-port.ts';
import { REDIS } from '../support/programs.ts';
import { startPrometheusImitation, type PrometheusImitation } from '../support/prometheus-api.ts';
import { startTestRedis, type TestRedis } from '../support/redis.ts';
import { runRootnote, startRootnote, stopRootnotes } from '../support/rootnote-process.ts';
import { startSlackApi, type SlackApiServer } from '../support/slack-api.ts';
import { startWebhookReceiver, type WebhookReceiver } from '../support/webhook-receiver.ts';

const BODY = groupText({ alerts: [numberedAlert(1)] });
const RECORDING = fileURLToPath(new URL('../fixtures/recordings/payments-pool', import.meta.url));
const suite = await describeIf(REDIS);

suite('SIGTERM', () => {
  afterEach(stopRootnotes);

  test('R7: an idle process ends by itself with 0, and its embedded Redis with it', async () => {
    const rootnote = await startRootnote('all', {});
    expect(await rootnote.terminate()).toBe(0);
    expect(rootnote.output()).toContain('"msg":"stopped"');
    expect(rootnote.output()).not.toContain('could not stop this part cleanly');
    // Nobody runs there any more: the next command starts a Redis of its own, on the same data.
    const { code, stderr } = await runRootnote(['reports', 'list'], {}, rootnote.folder);
    expect(code).toBe(0);
    expect(stderr).toContain('started a private Redis');
  });

  test.each(['all', 'serve', 'work', 'schedule'] as const)(
    'R7: `%s` whose Redis was never reachable ends by itself with 0',
    async (role) => {
      const redisUrl = `redis://127.0.0.1:${await freePort()}`;
      const rootnote = await startRootnote(
        role,
        { REDIS_URL: redisUrl, SHUTDOWN_GRACE_MS: '3000' },
        { until: 'alive' },
      );
      expect(await rootnote.terminate()).toBe(0);
    },
    120_000,
  );

  test('R7: a signal while it still waits for Redis at its start ends it with 0', async () => {
    const redisUrl = `redis://127.0.0.1:${await freePort()}`;
    const rootnote = await startRootnote('work', { REDIS_URL: redisUrl }, { until: 'started' });
    await eventually('it has noticed', rootnote.output, (text) => text.includes('Redis is not reachable'));
    expect(await rootnote.terminate()).toBe(0);
    expect(rootnote.output()).not.toContain('ready to work');
  });

  test('R7: with Redis frozen the inbox is left in a third of the time, and investigations and deliveries have the rest', async () => {
    const redis = await startTestRedis();
    try {
      const rootnote = await startRootnote('work', { REDIS_URL: redis.url, SHUTDOWN_GRACE_MS: '6000' });
      redis.pause();
      await eventually('it has noticed', rootnote.output, (text) => text.includes('waits in the inbox'));
      // Half a second later it asks again, and waits for an answer.
      await pause(1500);
      expect(await rootnote.terminate()).toBe(0);
      expect(rootnote.output()).toContain('"step":"admission","reason":"no answer within 2000 ms"');
    } finally {
      redis.resume();
      await redis.stop();
    }
  });
});

suite('SIGTERM during an investigation', () => {
  let redis: TestRedis;
  let slack: SlackApiServer;
  let prometheus: PrometheusImitation;
  let providerHangs: boolean;
  let env: Readonly<Record<string, string>>;

  beforeEach(async () => {
    providerHangs = false;
    redis = await startTestRedis();
    slack = await startSlackApi();
    prometheus = await startPrometheusImitation(() => (providerHangs ? 'hang' : undefined));
    env = {
      REDIS_URL: redis.url,
      PROMETHEUS_URL: prometheus.url,
      PROMETHEUS_TIMEOUT_MS: '300000',
      SLACK_API_URL: slack.apiUrl,
      SLACK_BOT_TOKEN: slack.token,
      SLACK_CHANNEL: slack.channel,
      // A tenth of it is for handing back.
      SHUTDOWN_GRACE_MS: '10000',
    };
  });
  afterEach(async () => {
    await stopRootnotes();
    await redis.stop();
    await slack.close();
    await prometheus.stop();
  });

  test('D2 R7: a worker that is stopped while it investigates hands the incident back; another one reports it, once', async () => {
    providerHangs = true;
    const receiver = await startRootnote('serve', env);
    const worker = await startRootnote('work', env);
    expect((await receiver.post(BODY)).status).toBe(202);
    await eventually('the investigation is under way', () => prometheus.asked.length);
    expect(await worker.terminate()).toBe(0);
    expect(worker.output()).toContain('handed back to the queue');
    expect(slack.roots()).toEqual([]);

    providerHangs = false;
    const successor = await startRootnote('work', env);
    await eventually('the report is posted', () => slack.roots().length);
    // Handed back, not found dead: nobody had to wait for a lock to expire.
    expect(successor.output()).not.toContain('its worker is gone');
    expect(slack.roots()).toHaveLength(1);
    expect(await receiver.terminate()).toBe(0);
  }, 180_000);
});

suite('rolling restarts', () => {
  let redis: TestRedis;
  let receiver: WebhookReceiver;
  beforeEach(async () => {
    redis = await startTestRedis();
    receiver = await startWebhookReceiver();
  });
  afterEach(async () => {
    await stopRootnotes();
    await redis.stop();
    await receiver.close();
  });

  test('R7: workers that are replaced under load lose no incident and report none twice', async () => {
    const env = {
      REDIS_URL: redis.url,
      RECORDING_DIR: RECORDING,
      REPORT_WEBHOOK_URL: receiver.url,
      REPORT_WEBHOOK_SECRET: receiver.secret,
      REPORT_WEBHOOK_ALLOW_PRIVATE: 'true',
      WORKER_CONCURRENCY: '2',
      // Each incident has to have a report of its own.
      STORM_THRESHOLD: '10000',
      SHUTDOWN_GRACE_MS: '3000',
    };
    const door = await startRootnote('serve', env);
    const workers = [await startRootnote('work', env)];
    const numbers = Array.from({ length: 30 }, (_, index) => index);
    for (const number of numbers) {
      const body = groupText({ groupKey: `{}:{group="${number}"}`, alerts: [numberedAlert(number)] });
      expect((await door.post(body)).status).toBe(202);
    }
    for (const due of [3, 10, 17]) {
      await eventually(
        `${due} reports are out`,
        () => receiver.requests.length,
        (count) => count >= due,
      );
      const [next, code] = await Promise.all([startRootnote('work', env), workers.at(-1)?.terminate()]);
      expect(code).toBe(0);
      workers.push(next);
    }
    await eventually(
      'every incident is reported',
      () => receiver.visible().length,
      (count) => count >= numbers.length,
    );
    expect(await workers.at(-1)?.terminate()).toBe(0);
    expect(receiver.requests).toHaveLength(numbers.length);
    for (const worker of workers) expect(worker.output()).not.toMatch(/"level":[56]0/);
  }, 180_000);
});
