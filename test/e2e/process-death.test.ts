import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { groupText, numberedAlert } from '../support/alertmanager-bodies.ts';
import { describeIf } from '../support/describe-if.ts';
import { eventually } from '../support/eventually.ts';
import { freePort } from '../support/free-port.ts';
import { REDIS } from '../support/programs.ts';
import { startPrometheusImitation, type PrometheusImitation } from '../support/prometheus-api.ts';
import { startTestRedis, type TestRedis } from '../support/redis.ts';
import {
  admittedIn,
  type RootnoteProcess,
  startRootnote,
  stopRootnotes,
  temporaryFolder,
} from '../support/rootnote-process.ts';
import { startSlackApi, type SlackApiServer } from '../support/slack-api.ts';

const suite = await describeIf(REDIS);

suite('kill -9', () => {
  let redis: TestRedis;
  let slack: SlackApiServer;
  let prometheus: PrometheusImitation;
  /** While true, the provider takes questions and never answers: an investigation is then under way for as long as a test likes. */
  let providerHangs: boolean;

  beforeEach(async () => {
    providerHangs = true;
    redis = await startTestRedis();
    slack = await startSlackApi();
    prometheus = await startPrometheusImitation(() => (providerHangs ? 'hang' : undefined));
  });
  afterEach(async () => {
    await stopRootnotes();
    await redis.stop();
    await slack.close();
    await prometheus.stop();
  });

  test('D2 R1: a worker that is killed while it investigates is replaced by another, and one message is posted', async () => {
    const env = {
      REDIS_URL: redis.url,
      PROMETHEUS_URL: prometheus.url,
      PROMETHEUS_TIMEOUT_MS: '300000',
      SLACK_API_URL: slack.apiUrl,
      SLACK_BOT_TOKEN: slack.token,
      SLACK_CHANNEL: slack.channel,
    };
    const receiver = await startRootnote('serve', env);
    const doomed = await startRootnote('work', env);
    expect((await receiver.post(groupText({ alerts: [numberedAlert(1)] }))).status).toBe(202);
    await eventually('the investigation is under way', () => prometheus.asked.length);

    const starting = startRootnote('work', env);
    await doomed.kill();
    // Before the successor is there: it may take over what the dead one left as soon as it works, and asks once.
    providerHangs = false;
    const successor = await starting;
    await eventually('the report is posted', () => slack.roots().length);
    await eventually('the successor has nothing left to do', successor.output, (text) => text.includes('"reported"'));
    expect(slack.roots()).toHaveLength(1);
    expect(
      slack.calls.filter(({ method, body }) => method === 'chat.postMessage' && !body.includes('thread_ts')),
    ).toHaveLength(1);
  }, 180_000);

  test('D2: everything in one process with its embedded Redis: killed while it investigates and started again, it reports once', async () => {
    const env = {
      PROMETHEUS_URL: prometheus.url,
      PROMETHEUS_TIMEOUT_MS: '300000',
      SLACK_API_URL: slack.apiUrl,
      SLACK_BOT_TOKEN: slack.token,
      SLACK_CHANNEL: slack.channel,
    };
    const doomed = await startRootnote('all', env);
    expect((await doomed.post(groupText({ alerts: [numberedAlert(1)] }))).status).toBe(202);
    await eventually('the investigation is under way', () => prometheus.asked.length);
    await doomed.kill();
    providerHangs = false;

    const successor = await startRootnote('all', { ...env, LOG_LEVEL: 'debug' }, { folder: doomed.folder });
    expect(await successor.postDecided(groupText({ alerts: [numberedAlert(1)] }))).toMatchObject({
      decision: 'repeat',
    });
    await eventually('the report is posted', () => slack.roots().length);
    expect(await successor.terminate()).toBe(0);
    expect(slack.roots()).toHaveLength(1);
  }, 180_000);

  test('D2 R8: a receiver that is killed again and again loses no alert of a sender that retries, and doubles none', async () => {
    providerHangs = false;
    const reportDir = await temporaryFolder();
    // Without storms: each incident has to have a report of its own.
    const work = { REDIS_URL: redis.url, REPORT_DIR: reportDir, STORM_THRESHOLD: '10000' };
    const env = { ...work, PORT: String(await freePort()) };
    let receiver = await startRootnote('serve', env);
    const worker = await startRootnote('work', { ...work, LOG_LEVEL: 'debug' });

    const taken = new Set<string>();
    const alerts = Array.from({ length: 24 }, (_, index) => index);
    const sending = Promise.all(alerts.map(async (index) => taken.add(await sendUntilTaken(() => receiver, index))));
    for (const count of [4, 12]) {
      await eventually(
        `${count} alerts are in`,
        () => taken.size,
        (size) => size >= count,
      );
      await receiver.kill();
      receiver = await startRootnote('serve', env);
    }
    await sending;

    expect(taken.size).toBe(alerts.length);
    await eventually(
      'every incident has its report',
      () => reportFiles(reportDir),
      (files) => files.length >= alerts.length,
    );
    expect(await reportFiles(reportDir)).toHaveLength(alerts.length);
    // Its log comes after what it tells of; and what was sent again while its incident was reported already is decided last.
    const reported = await eventually(
      'the worker tells of every report',
      () => worker.output().match(/"msg":"reported"/g) ?? [],
      (lines) => lines.length >= alerts.length,
    );
    expect(reported).toHaveLength(alerts.length);
    const admitted = await eventually(
      'the worker tells of every arrival',
      () => admittedIn(worker.output()),
      (told) => [...taken].every((id) => told.some(({ arrivalId }) => arrivalId === id)),
    );
    expect(new Set(admitted.map(({ incidentId }) => incidentId)).size).toBe(alerts.length);
  }, 240_000);
});

/** One group a number, so that every alert is an incident of its own. */
function bodyOf(number: number): string {
  return groupText({ groupKey: `{}:{group="${number}"}`, alerts: [numberedAlert(number)] });
}

/** Sends as Alertmanager does: again after a cut connection and after 5xx. The numbers follow one another 20 ms apart. Returns what it was accepted as. */
async function sendUntilTaken(receiver: () => RootnoteProcess, number: number): Promise<string> {
  await sleep(number * 20);
  for (;;) {
    const answer = await receiver()
      .post(bodyOf(number))
      .catch(() => undefined);
    if (answer?.status === 202) return (answer.body as { id: string }).id;
    if (answer && answer.status < 500) throw new Error(`refused with ${answer.status}`);
    await sleep(50);
  }
}

async function reportFiles(folder: string): Promise<readonly string[]> {
  return (await readdir(folder)).filter((name) => name.endsWith('.json')).map((name) => join(folder, name));
}
