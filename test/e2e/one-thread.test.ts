import { cp, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { createIntake } from '../../src/intake/intake.ts';
import { NOTHING_REDACTED } from '../../src/intake/trim.ts';
import { silentLogger } from '../../src/platform/logger.ts';
import { openWorkerRedis } from '../../src/platform/redis.ts';
import { createInbox } from '../../src/sessions/admission/inbox.ts';
import { describeIf } from '../support/describe-if.ts';
import { eventually } from '../support/eventually.ts';
import { REDIS } from '../support/programs.ts';
import { startTestRedis, type TestRedis } from '../support/redis.ts';
import { startRootnote, stopRootnotes, temporaryFolder } from '../support/rootnote-process.ts';
import { startSlackApi, type SlackApiServer } from '../support/slack-api.ts';

const RECORDING = fileURLToPath(new URL('../fixtures/recordings/payments-pool', import.meta.url));
const PREFIX = 'one-thread';
const FINGERPRINT = '5a1c0de5a1c0de00';

interface Body {
  status: string;
  alerts: { status: string; labels: Record<string, string>; fingerprint: string; endsAt?: string }[];
}

const suite = await describeIf(REDIS);

suite('all that happens to an incident', () => {
  let redis: TestRedis;
  let slack: SlackApiServer;

  beforeEach(async () => {
    redis = await startTestRedis();
    slack = await startSlackApi();
  });
  afterEach(async () => {
    await stopRootnotes();
    await slack.close();
    await redis.stop();
  });

  const start = (recording: string) =>
    startRootnote('all', {
      RECORDING_DIR: recording,
      REDIS_URL: redis.url,
      REDIS_PREFIX: PREFIX,
      JOB_LOCK_MS: '2000',
      SECOND_LOOK_MINUTES: '1',
      REINVESTIGATE_COOLDOWN_MINUTES: '0',
      SLACK_API_URL: slack.apiUrl,
      SLACK_BOT_TOKEN: slack.token,
      SLACK_CHANNEL: slack.channel,
    });
  const replies = () => slack.repliesOf(slack.roots()[0]?.ts ?? '').map(({ text }) => text);
  const replied = (what: RegExp) =>
    eventually(`a reply says ${String(what)}`, replies, (texts) => texts.some((text) => what.test(text)), 150_000);

  const acknowledge = async (by: string) => {
    const connection = openWorkerRedis(redis.target, silentLogger());
    const door = createIntake(createInbox(connection, PREFIX), NOTHING_REDACTED);
    await door.acknowledge({ source: 'alertmanager', fingerprint: FINGERPRINT, by, atMs: Date.now() });
    connection.disconnect();
  };

  test('is one message and its thread, in order: taken on, grown, another suspect after kill -9, over', async () => {
    const body = JSON.parse(await readFile(join(RECORDING, 'alert.json'), 'utf8')) as Body;
    const first = await start(RECORDING);
    await first.post(JSON.stringify(body));
    await eventually('the report is posted', () => slack.roots().length);
    await acknowledge('Ada');
    await replied(/Taken on by Ada/);
    const grown = { ...body, alerts: [...body.alerts, ...['cart', 'stock', 'mail'].map(alertOf)] };
    await first.post(JSON.stringify(grown));
    await replied(/3 more services joined: cart, mail, stock/);
    await first.kill();
    const second = await start(await anotherSuspect());
    await replied(/leading suspect was payments; now it is ledger/);
    const over = { ...grown, status: 'resolved', alerts: grown.alerts.map((one) => ({ ...one, ...ended() })) };
    await second.post(JSON.stringify(over));
    await replied(/resolved/i);
    expect(slack.roots()).toHaveLength(1);
    const told = [/Taken on by Ada/, /more services joined/, /now it is ledger/, /resolved/i];
    const places = told.map((what) => replies().flatMap((text, at) => (what.test(text) ? [at] : [])));
    expect(places.map(({ length }) => length)).toEqual([1, 1, 1, 1]);
    expect(places.flat()).toEqual(places.flat().toSorted((a, b) => a - b));
    const root = JSON.stringify(slack.roots()[0]);
    expect(root).toMatch(/resolved/i);
    expect(root).toContain('ledger');
  }, 300_000);
});

/** An alert of the same group about another service. */
function alertOf(service: string) {
  const labels = { alertname: 'CheckoutSlow', severity: 'critical', service, namespace: 'shop' };
  const hash = Buffer.from(service.padEnd(8, '.')).toString('hex');
  return { status: 'firing', labels, startsAt: '2026-01-01T10:01:00Z', fingerprint: hash };
}

const ended = () => ({ status: 'resolved', endsAt: new Date().toISOString() });

/** The recording as it would be if another service were to blame. */
async function anotherSuspect(): Promise<string> {
  const folder = join(await temporaryFolder(), 'recording');
  await cp(RECORDING, folder, { recursive: true });
  for (const name of await readdir(folder)) {
    const text = await readFile(join(folder, name), 'utf8');
    await writeFile(join(folder, name), text.replaceAll('payments', 'ledger'));
  }
  return folder;
}
