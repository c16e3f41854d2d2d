import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { silentLogger } from '../../src/platform/logger.ts';
import { createDeliveries, type Deliveries } from '../../src/queue/deliveries/deliveries.ts';
import { createSlackDestination } from '../../src/destinations/slack/slack-destination.ts';
import { reportContent } from '../support/delivery-content.ts';
import { eventually } from '../support/eventually.ts';
import { gate } from '../support/gate.ts';
import { firingIncident } from '../support/incidents.ts';
import { startTestRedis, type TestRedis } from '../support/redis.ts';
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
