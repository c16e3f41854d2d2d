import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { groupText, numberedAlert } from '../support/alertmanager-bodies.ts';
import { describeIf } from '../support/describe-if.ts';
import { eventually } from '../support/eventually.ts';
import { REDIS } from '../support/programs.ts';
import { startTestRedis, type TestRedis } from '../support/redis.ts';
import { startRootnote, stopRootnotes, type RootnoteProcess } from '../support/rootnote-process.ts';
import { startSlackApi, type SlackApiServer } from '../support/slack-api.ts';

const BODY = groupText({ alerts: [numberedAlert(1)] });
const suite = await describeIf(REDIS);

suite('Redis is away', () => {
  let redis: TestRedis;
  let slack: SlackApiServer;
  let env: Readonly<Record<string, string>>;

  beforeEach(async () => {
    redis = await startTestRedis();
    slack = await startSlackApi();
    env = {
      REDIS_URL: redis.url,
      SLACK_API_URL: slack.apiUrl,
      SLACK_BOT_TOKEN: slack.token,
      SLACK_CHANNEL: slack.channel,
    };
  });
  afterEach(async () => {
    redis.resume();
    await stopRootnotes();
    await redis.stop();
    await slack.close();
  });

  test('R6: with Redis away it lives, is not ready and sends alerts back; when Redis comes it works without a restart', async () => {
    await redis.kill();
    const rootnote = await startRootnote('all', { ...env, LOG_LEVEL: 'debug' }, { until: 'alive' });
    expect(await rootnote.status('/healthz')).toBe(200);
    expect(await rootnote.status('/readyz')).toBe(503);
    const refused = await rootnote.post(BODY);
    expect(refused.status).toBe(503);
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
    expect(refused.body).toEqual({ error: expect.any(String) });

    await redis.restart();
    await eventually(
      'it is ready',
      () => rootnote.status('/readyz'),
      (status) => status === 200,
    );
    expect((await rootnote.post(BODY)).status).toBe(202);
    await eventually('the report is posted', () => slack.roots().length);

    await redis.kill();
    await eventually(
      'it is not ready',
      () => rootnote.status('/readyz'),
      (status) => status === 503,
    );
    expect(await rootnote.status('/healthz')).toBe(200);
    expect((await rootnote.post(BODY)).status).toBe(503);
    await redis.restart();
    await eventually(
      'it is ready again',
      () => rootnote.status('/readyz'),
      (status) => status === 200,
    );
    // The answer was lost, not the alert: the same body is a repeat.
    expect(await rootnote.postDecided(BODY)).toMatchObject({ decision: 'repeat' });
    expect(await rootnote.terminate()).toBe(0);
    expect(slack.roots()).toHaveLength(1);
  }, 180_000);

  test('R5: with Redis frozen every alert is sent back; after the thaw the alerts that are sent again are one incident each', async () => {
    const rootnote = await startRootnote('all', env);
    expect((await rootnote.post(bodyOf(1))).status).toBe(202);
    await eventually('the first report is posted', () => slack.roots().length);

    redis.pause();
    const numbers = [2, 3, 4, 5];
    // The commands that time out here may still be carried out when Redis thaws.
    const refused = await Promise.all(numbers.map((number) => rootnote.post(bodyOf(number))));
    expect(refused.map(({ status }) => status)).toEqual([503, 503, 503, 503]);
    expect(await rootnote.status('/healthz')).toBe(200);
    expect(await rootnote.status('/readyz')).toBe(503);

    redis.resume();
    await Promise.all(numbers.map((number) => sendUntilTaken(rootnote, bodyOf(number))));
    await eventually(
      'every report is posted',
      () => slack.roots().length,
      (count) => count >= 5,
    );
    expect(await rootnote.terminate()).toBe(0);
    expect(slack.roots()).toHaveLength(5);
  }, 180_000);
});

function bodyOf(number: number): string {
  return groupText({ groupKey: `{}:{group="${number}"}`, alerts: [numberedAlert(number)] });
}

async function sendUntilTaken(rootnote: RootnoteProcess, body: string): Promise<void> {
  await eventually(
    'the alert is taken in',
    async () => (await rootnote.post(body)).status,
    (status) => status === 202,
  );
}
