import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { Redis } from 'ioredis';
import { silentLogger } from '../../src/platform/logger.ts';
import { DeliveryChains } from '../../src/queue/deliveries/chains.ts';
import { createDeliveries, type Deliveries } from '../../src/queue/deliveries/deliveries.ts';
import { createSlackDestination } from '../../src/destinations/slack/slack-destination.ts';
import { reportContent } from '../support/delivery-content.ts';
import { eventually } from '../support/eventually.ts';
import { gate } from '../support/gate.ts';
import { firingIncident } from '../support/incidents.ts';
import { startTestRedis, type TestRedis } from '../support/redis.ts';
import { scriptedDestination } from '../support/scripted-destination.ts';
import { startSlackApi, type SlackApiServer } from '../support/slack-api.ts';

const LOCK_MS = 1000;

let redis: TestRedis;
let slack: SlackApiServer;

beforeAll(async () => {
  [redis, slack] = await Promise.all([startTestRedis(), startSlackApi()]);
});
afterAll(async () => void (await Promise.all([redis.stop(), slack.close()])));

test('a worker that stalls between claim and post until another one has posted does not post as well', async () => {
  const incident = firingIncident({ id: 'inc_stalled', startsAtMs: 0 });
  const stall = gate();
  let stalls = 0;
  const open = (pause: () => Promise<void>): Promise<Deliveries> =>
    createDeliveries({
      redisTarget: redis.target,
      prefix: 'stalled',
      destinations: [
        createSlackDestination({
          apiUrl: slack.apiUrl,
          botToken: slack.token,
          channel: slack.channel,
          postEveryMs: 0,
        }),
      ],
      loadContent: () => Promise.resolve(reportContent({ id: 'rep_stalled' }, { id: incident.id })),
      redact: (text) => text,
      log: silentLogger(),
      lockMs: LOCK_MS,
      pause: (step) => (step === 'claimed' ? pause() : Promise.resolve()),
    });
  const slow = await open(() => ((stalls += 1) === 1 ? stall.opened : Promise.resolve()));
  slow.startWorker();
  await slow.schedule(incident, 'report');
  await eventually('it stalls', () => stalls > 0);
  // Its lock on the job lives, since the process does. Another job about the incident is anybody's, and its claim is not renewed yet.
  const other = await open(() => Promise.resolve());
  other.startWorker();
  await other.schedule(incident, 'resolved');
  await eventually('the other one posts', () => slack.roots().length > 0);
  stall.open();
  await eventually('all is told', async () =>
    (await slow.records(incident.id)).every(({ state }) => state === 'delivered'),
  );
  await Promise.all([slow.close(2000), other.close(2000)]);
  expect(slack.roots()).toHaveLength(1);
});

test('a delivery whose worker stalled is tried again at once, however many workers had died before', async () => {
  const key = { subjectId: 'inc_late', destination: 'chat' };
  const client = new Redis(redis.url);
  const chains = new DeliveryChains(client, 'late');
  await chains.open(key, 'report', 0);
  const times = { claimMs: 1, longestWaitMs: 1000, reportWaitMs: 1 };
  for (let death = 0; death < 12; death++) {
    await eventually('a claim', async () => (await chains.claim(key, `dead-${death}`, times)).kind === 'claimed');
    await chains.rest(key, `dead-${death}`, true);
  }
  client.disconnect();
  let claims = 0;
  const { destination, told } = scriptedDestination('chat');
  const deliveries = await createDeliveries({
    redisTarget: redis.target,
    prefix: 'late',
    destinations: [destination],
    loadContent: () => Promise.resolve(reportContent({ id: 'rep_late' }, { id: key.subjectId })),
    redact: (text) => text,
    log: silentLogger(),
    lockMs: LOCK_MS,
    // The first one stalls until its claim has run out.
    pause: async (step) => void (step === 'claimed' && (claims += 1) === 1 && (await sleep(LOCK_MS * 1.5))),
    retry: { firstMs: 500, maxMs: 3_600_000, forMs: 7_200_000 },
  });
  deliveries.startWorker();
  await deliveries.schedule(firingIncident({ id: key.subjectId, startsAtMs: 0 }), 'report');
  await eventually('it is told', () => told.length > 0, Boolean, 40_000);
  await deliveries.close(2000);
});
