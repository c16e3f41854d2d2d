import { beforeEach, expect, test } from '@jest/globals';
import type { Redis } from 'ioredis';
import { sayUndecided } from '../../src/app/watch-inbox.ts';
import { createIntake, type Intake } from '../../src/intake/intake.ts';
import { NOTHING_REDACTED } from '../../src/intake/trim.ts';
import type { AdmissionStore, Decided, TracedJob, Undecided } from '../../src/intake/admission.ts';
import { alertKey } from '../../src/intake/trim.ts';
import { silentLogger, type Logger } from '../../src/platform/logger.ts';
import { openReceiverRedis } from '../../src/platform/redis.ts';
import { sweepOutbox } from '../../src/queue/outbox-sweep.ts';
import { createAdmissionStore, createOutbox, FLAPPING } from '../../src/sessions/admission/admission-store.ts';
import { createInbox, readInbox } from '../../src/sessions/admission/inbox.ts';
import { createIncidentStore } from '../../src/sessions/incident-store.ts';
import { parseNotification } from '../../src/sources/alertmanager/parse-notification.ts';
import { groupBody, numberedAlert, type BodyAlert } from '../support/alertmanager-bodies.ts';
import { describeIf } from '../support/describe-if.ts';
import { eventually } from '../support/eventually.ts';
import { REDIS } from '../support/programs.ts';
import { startTestRedis } from '../support/redis.ts';
import { useRedis } from '../support/use-redis.ts';

const describeRedis = await describeIf(REDIS);
const MINUTE_MS = 60_000;
/** A claim whose start is no number. */
const UNREADABLE = ['{}', '0', '', '', 'key F then\n', ''].join('\x1e');
const HOUR_MS = 60 * MINUTE_MS;

describeRedis('the inbox', () => {
  const used = useRedis();
  let redis: Redis;
  let prefix: string;
  let intake: Intake;
  let store: AdmissionStore;
  beforeEach(() => {
    ({ redis, prefix } = used);
    intake = createIntake(createInbox(redis, prefix), NOTHING_REDACTED);
    store = createAdmissionStore(redis, prefix);
  });

  const send = (alert: BodyAlert) => intake.receive(parseNotification(groupBody({ alerts: [alert] })));
  const decideAll = async () => {
    const all: (Decided | Undecided)[] = [];
    for (;;) {
      const some = await store.admitNext();
      if (some.length === 0) return all;
      all.push(...some);
    }
  };
  const decisionsOf = (all: readonly (Decided | Undecided)[]) =>
    all.map((one) => ('pending' in one ? one.decision : 'undecided'));
  const incidentOf = (one: Decided | Undecided | undefined) => (one && 'pending' in one && one.incidentId) || '';
  const sweep = async () => {
    const queued: TracedJob[] = [];
    await sweepOutbox(createOutbox(redis, prefix), { addAll: async (jobs) => void queued.push(...jobs) });
    return queued.map(({ kind, incidentId }) => `${kind} ${incidentId}`);
  };
  /** What waits, as if it had come in at these times. */
  const cameInAt = async (timesMs: readonly number[]) => {
    const waiting = await redis.xrange(`${prefix}:inbox`, '-', '+');
    await redis.del(`${prefix}:inbox`);
    for (const [n, [, fields]] of waiting.entries())
      await redis.xadd(`${prefix}:inbox`, `${timesMs[n] ?? 0}-0`, ...fields);
  };

  test('one that nobody can read is kept aside and holds up no other', async () => {
    await redis.xadd(`${prefix}:inbox`, '*', 'of', 'somebody else');
    await redis.xadd(`${prefix}:inbox`, '*', 'source', 'x', 'notification', UNREADABLE);
    await send(numberedAlert(1));
    expect(decisionsOf(await decideAll())).toEqual(['undecided', 'undecided', 'new']);
    expect(await readInbox(redis, prefix)).toMatchObject({ waiting: 0, aside: 2 });
  });

  test('what is kept aside is decided when that becomes possible', async () => {
    const notification = parseNotification(groupBody({ alerts: [numberedAlert(1)] }));
    const known = `${prefix}:alert:${alertKey(notification.source, notification.alerts[0]?.fingerprint ?? '')}`;
    await redis.set(known, 'nothing that we wrote');
    await intake.receive(notification);
    expect(decisionsOf(await decideAll())).toEqual(['undecided']);
    await redis.del(known);
    expect(await store.retryAside()).toBe(1);
    expect(decisionsOf(await decideAll())).toEqual(['new']);
    expect(await readInbox(redis, prefix)).toMatchObject({ waiting: 0, aside: 0 });
  });

  test('when too many are kept aside, all wait and nothing is lost', async () => {
    const fill = redis.pipeline();
    const readable = ['source', 'x', 'acknowledges', 'key', 'by', '', 'at', '1'];
    for (let n = 0; n < 1000; n++)
      fill.xadd(`${prefix}:inbox-aside`, '*', 'arrival', `${n}`, 'reason', 'why', ...readable);
    await fill.exec();
    await send(numberedAlert(1));
    await redis.xadd(`${prefix}:inbox`, '*', 'source', 'x');
    await send(numberedAlert(2));
    expect(decisionsOf(await store.admitNext())).toEqual(['new']);
    await expect(store.admitNext()).rejects.toThrow(/too many arrivals could not be decided.*bad argument/);
    expect(await readInbox(redis, prefix)).toMatchObject({ waiting: 2, aside: 1000 });

    expect(await store.retryAside()).toBe(1000);
    const decisions = decisionsOf(await decideAll());
    expect(decisions.slice(0, 3)).toEqual(['undecided', 'new', 'ignored']);
    expect(decisions).toHaveLength(1002);
  });

  test('after the clock was set back, work of a dead worker is found as soon as ever', async () => {
    await send(numberedAlert(1));
    await cameInAt([Date.now() + HOUR_MS]);
    // It gets the latest id's time.
    await send(numberedAlert(2));
    const [first] = await decideAll();
    // The sweep takes only what is three seconds old.
    const isFound = async () => (await sweep()).includes(`investigate ${incidentOf(first)}`);
    await eventually('it is swept', isFound, Boolean, 20_000);
  });

  test('an end that is held back waits for what came in before it was due', async () => {
    const beganMs = Date.now() - 2 * HOUR_MS;
    const at = (minutes: number) => new Date(beganMs + minutes * MINUTE_MS).toISOString();
    const times: number[] = [];
    const come = async (minutes: number, alert: BodyAlert) => {
      times.push(beganMs + minutes * MINUTE_MS);
      await send(alert);
    };
    for (let n = 0; n < FLAPPING.times; n++) {
      await come(10 * n, numberedAlert(1, { startsAt: at(10 * n) }));
      await come(10 * n + 1, numberedAlert(1, { startsAt: at(10 * n), status: 'resolved' }));
    }
    await come(25, numberedAlert(1, { startsAt: at(25) }));
    await cameInAt(times);
    const last = (await redis.xrevrange(`${prefix}:inbox`, '+', '-', 'COUNT', 1))[0];
    if (!last) throw new Error('nothing waits');

    // Another worker sweeps when all but the last are decided.
    await redis.xdel(`${prefix}:inbox`, last[0]);
    const flapping = incidentOf((await store.admitNext()).at(-1));
    await redis.del(`${prefix}:inbox`);
    await redis.xadd(`${prefix}:inbox`, last[0], ...last[1]);
    expect(await sweep()).not.toContain(`resolved ${flapping}`);

    expect(decisionsOf(await decideAll())).toEqual(['joined']);
    expect(await createIncidentStore(redis, prefix).getIncident(flapping)).toMatchObject({ state: 'firing' });
    expect(await sweep()).not.toContain(`resolved ${flapping}`);
  });

  test('that nobody decides what comes in is said by whoever receives it', async () => {
    const said: unknown[] = [];
    const log: Logger = { ...silentLogger(), error: (details: unknown) => void said.push(details) };
    await send(numberedAlert(1));
    await sayUndecided(redis, prefix, log);
    expect(said).toEqual([]);
    await cameInAt([Date.now() - HOUR_MS]);
    await sayUndecided(redis, prefix, log);
    expect(said).toEqual([{ waiting: 1, oldestAgeMs: expect.any(Number) }]);
  });

  test('the name of whoever takes an alert on is one line of bounded length', async () => {
    const notification = parseNotification(groupBody({ alerts: [numberedAlert(1)] }));
    await intake.receive(notification);
    const id = incidentOf((await decideAll())[0]);
    const { source, alerts } = notification;
    const by = `Ada\n${'x'.repeat(5000)}`;
    await intake.acknowledge({ source, fingerprint: alerts[0]?.fingerprint ?? '', by, atMs: 1 });
    expect(decisionsOf(await decideAll())).toEqual(['acknowledged']);
    const { acknowledged } = (await createIncidentStore(redis, prefix).getIncident(id)) ?? {};
    expect(acknowledged?.by).toMatch(/^Ada x{100,}.?$/);
    expect(acknowledged?.by?.length).toBeLessThanOrEqual(200);
  });

  test('firing, over and firing again through several receivers and workers stays in that order', async () => {
    const receivers = [1, 2, 3].map(() => createIntake(createInbox(redis, prefix), NOTHING_REDACTED));
    const workers = [1, 2, 3].map(() => createAdmissionStore(redis, prefix));
    const startsAt = '2026-11-03T09:00:00Z';
    const inTurn = [numberedAlert(1), numberedAlert(1, { status: 'resolved' }), numberedAlert(1, { startsAt })];
    for (const [n, alert] of inTurn.entries())
      await receivers[n]?.receive(parseNotification(groupBody({ alerts: [alert] })));
    const decided = (await Promise.all(workers.map((worker) => worker.admitNext()))).flat();
    expect(decisionsOf(decided)).toEqual(['new', 'resolved', 'new']);
  });
});

describeRedis('the inbox of a Redis that is frozen for long', () => {
  test('is refused at once in the end, and nothing piles up', async () => {
    const server = await startTestRedis();
    const redis = openReceiverRedis(server.target, silentLogger());
    const intake = createIntake(createInbox(redis, 'frozen'), NOTHING_REDACTED, 200);
    const send = () => intake.receive(parseNotification(groupBody({ alerts: [numberedAlert(1)] })));
    try {
      await eventually('it is connected', () => redis.status === 'ready');
      server.pause();
      const refused = async () => {
        const error: unknown = await send().then(
          () => undefined,
          (reason: Error) => reason.cause,
        );
        return String(error).includes('writeable');
      };
      await eventually('it is refused without asking', refused);
      server.resume();
      const isTaken = () =>
        send().then(
          () => true,
          () => false,
        );
      await eventually('it is taken', isTaken);
    } finally {
      server.resume();
      redis.disconnect();
      await server.stop();
    }
  });
});
