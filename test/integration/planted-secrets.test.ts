import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { UnrecoverableError } from 'bullmq';
import type { Redis } from 'ioredis';
import { inspect } from 'node:util';
import type { Destination } from '../../src/domain/delivery.ts';
import { createLogger } from '../../src/platform/logger.ts';
import { openWorkerRedis } from '../../src/platform/redis.ts';
import { createRedactor } from '../../src/policy/redact.ts';
import { createDeliveries, type Deliveries } from '../../src/queue/deliveries/deliveries.ts';
import { createIncidentQueue } from '../../src/queue/incident-queue.ts';
import { startInvestigationWorker, type InvestigationWorkerDeps } from '../../src/queue/investigation-worker.ts';
import type { JobWorker } from '../../src/queue/job-worker.ts';
import { startSubAgentWorker, type SubAgentWorkerDeps } from '../../src/queue/sub-agent-worker.ts';
import { createQueuedSubAgents } from '../../src/queue/sub-agents.ts';
import { createIncidentStore } from '../../src/sessions/incident-store.ts';
import { createResumeStore } from '../../src/sessions/resume-store.ts';
import { parseNotification } from '../../src/sources/alertmanager/parse-notification.ts';
import { drawFrom, isLeaked } from '../../bench/secret-texts.ts';
import { createAdmittingIntake } from '../support/admitting-intake.ts';
import { groupBody, numberedAlert } from '../support/alertmanager-bodies.ts';
import { reportContent } from '../support/delivery-content.ts';
import { describeIf } from '../support/describe-if.ts';
import { eventually } from '../support/eventually.ts';
import { REDIS } from '../support/programs.ts';
import { startTestRedis, type TestRedis } from '../support/redis.ts';
import { orderOf, stateOf } from '../support/sub-agent-orders.ts';

const describeRedis = await describeIf(REDIS);
const { alnum } = drawFrom(31);
/** `own` is a secret of the settings, which nothing but its value gives away. */
const planted = {
  own: alnum(20),
  url: alnum(18),
  header: alnum(32),
  cause: alnum(24),
  alert: alnum(26),
  property: alnum(22),
};

/** As clients fail: the address with its password in the message, the request hung on, the answer in the cause. */
function failure(kind: new (message: string) => Error = Error): Error {
  const error = new kind(
    `connect to redis://app:${planted.url}@cache:6379 failed after ${planted.own}: sent Authorization: Bearer ${planted.header}`,
  );
  error.cause = new Error(`the server said {"access_token":"${planted.cause}"}`);
  return Object.assign(error, { config: { headers: { cookie: planted.property } } });
}

/** Every key of the database and all that is under it, as text. */
async function dump(redis: Redis): Promise<string> {
  const readers: Record<string, (key: string) => Promise<unknown>> = {
    string: (key) => redis.get(key),
    hash: (key) => redis.hgetall(key),
    list: (key) => redis.lrange(key, '0', '-1'),
    set: (key) => redis.smembers(key),
    zset: (key) => redis.zrange(key, '0', '-1'),
    stream: (key) => redis.xrange(key, '-', '+'),
  };
  const keys = await redis.keys('*');
  const values = await Promise.all(keys.map(async (key) => readers[await redis.type(key)]?.(key)));
  return JSON.stringify([keys, values]);
}

describeRedis('what fails with secrets in its errors leaves none of them', () => {
  let server: TestRedis;
  let redis: Redis;
  const workers: (JobWorker | Deliveries)[] = [];
  const lines: string[] = [];
  const redactor = createRedactor({ secrets: [planted.own], key: 'k' });
  const redact = (text: string) => redactor.redact(text);
  const log = createLogger('trace', redact, (line) => void lines.push(line));
  const prefix = 'planted';

  beforeAll(async () => {
    server = await startTestRedis();
    redis = openWorkerRedis(server.target, log);
  });
  afterAll(async () => {
    for (const worker of workers) await worker.close(1000);
    redis.disconnect();
    await server.stop();
  });

  const expectNone = (text: string) => {
    expect(Object.entries(planted).filter(([, secret]) => isLeaked(text, secret))).toEqual([]);
  };

  test('in the stores, the queues, the dead letters, the records of deliveries and the log', async () => {
    const resume = createResumeStore(redis, prefix, log);
    const incidents = createIncidentStore(redis, prefix);
    const subAgents = createQueuedSubAgents({ redis, prefix, store: resume, log, onLost: () => undefined });
    const deliveries = await openDeliveries();
    const given: unknown[] = [];
    await startWorkers({
      runOrder: () => Promise.reject(failure(UnrecoverableError)),
      investigate: async (incident, { signal }) => {
        const { id } = incident;
        await resume.journal(id).save(stateOf());
        given.push(await subAgents.runnerFor(id)([orderOf(id)], signal));
        await deliveries.schedule(incident, 'report');
        throw failure(UnrecoverableError);
      },
      onPoison: (givenUp) => Promise.resolve(void given.push(givenUp)),
    });
    const queue = createIncidentQueue(redis, prefix, log);
    const intake = createAdmittingIntake(redis, prefix, { queue, redaction: redactor });
    const annotations = { description: `login with password=${planted.alert} failed` };
    const receipt = await intake.receive(parseNotification(groupBody({ alerts: [numberedAlert(1, { annotations })] })));
    const id = receipt.incidentId ?? '';

    await eventually(
      'everything has failed',
      async () => ({ given: given.length, states: (await deliveries.records(id)).map(({ state }) => state).join() }),
      ({ given, states }) =>
        given === 2 && states === 'gave-up,gave-up,posting' && lines.join('').includes('a delivery job failed'),
    );
    const stored = await dump(redis);
    for (const word of ['failedReason', 'stacktrace', 'the server said', id])
      expect(stored + lines.join('')).toContain(word);
    expect(stored).toContain('failed after [REDACTED:');
    expect((await incidents.getIncident(id))?.annotations['description']).toContain('[REDACTED:');
    expectNone(stored);
    expectNone(lines.join(''));
    expectNone(inspect(given, { depth: 9, showHidden: true }));
    await subAgents.close();
    await queue.close();
  });

  async function openDeliveries(): Promise<Deliveries> {
    const chat = destination('chat', () => Promise.resolve({ outcome: 'give-up', reason: failure().message }));
    const pager = destination('pager', () => Promise.reject(failure()));
    const ticket = destination('ticket', () => Promise.resolve({ outcome: 'ok' }));
    const deliveries = await createDeliveries({
      redisTarget: server.target,
      prefix,
      destinations: [chat, pager, ticket],
      loadContent: () => Promise.resolve(reportContent()),
      redact,
      log,
      retry: { firstMs: 1, maxMs: 1, forMs: 0 },
      // Not a failure of the destination but of our own store: the job fails.
      pause: (step, key) =>
        key.destination === 'ticket' && step === 'posted'
          ? Promise.reject(failure(UnrecoverableError))
          : Promise.resolve(),
    });
    workers.push(deliveries);
    deliveries.startWorker();
    return deliveries;
  }

  async function startWorkers({
    runOrder,
    ...rest
  }: Pick<SubAgentWorkerDeps, 'runOrder'> & Pick<InvestigationWorkerDeps, 'investigate' | 'onPoison'>): Promise<void> {
    const shared = { redis: server.target, prefix, concurrency: 1, timeoutMs: 30_000, redact, log };
    const nothing = () => Promise.resolve();
    workers.push(await startSubAgentWorker({ ...shared, runOrder, onOutcome: nothing }));
    workers.push(await startInvestigationWorker({ ...shared, ...rest, onResolved: nothing }));
  }
});

function destination(name: string, deliver: Destination['deliver']): Destination {
  const check = () => Promise.resolve({ name, status: 'ok', value: '' } as const);
  return { name, tells: ['report', 'resolved'], deliver, check };
}
