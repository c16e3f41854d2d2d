import type { Redis } from 'ioredis';
import type { Config } from '../config/schema.ts';
import { createAuthorize } from '../platform/credentials.ts';
import type { ReadinessPart } from '../http/readiness.ts';
import { startHttpServer } from '../http/server.ts';
import type { Inbox } from '../intake/admission.ts';
import { createIntake } from '../intake/intake.ts';
import { rememberClean } from '../intake/remember-clean.ts';
import { createReplicas } from '../platform/redis-replicas.ts';
import { openReceiverRedis } from '../platform/redis.ts';
import { redisTrouble } from '../platform/redis-trouble.ts';
import { redactError } from '../policy/redact-error.ts';
import { createInbox } from '../sessions/admission/inbox.ts';
import { inboxKey } from '../sessions/keys.ts';
import { createReportStore } from '../sessions/report-store.ts';
import { receives } from './arguments.ts';
import { createIncidentReader } from './incident-reader.ts';
import { keptOnReplicas } from './kept-on-replicas.ts';
import { requireWrites } from './open-redis.ts';
import type { Process } from './process.ts';
import { createGaugeRefresh } from './refresh-gauges.ts';
import type { RunningWork } from './start-work.ts';
import { LONGEST_IN_INBOX_MS, readUndecided, sayWaiting, watchInbox } from './watch-inbox.ts';

/** Starts the HTTP server: probes and metrics in every role, webhooks and the API where the role receives. Returns its URL. */
export async function startHttp(running: Process, worker: RunningWork | undefined): Promise<string> {
  const { config, log, metrics, redactor, role } = running;
  const redis = openReceiverRedis(running.redis, log);
  running.lifetime.onStop('receiver connection', () => redis.disconnect());
  const readiness: ReadinessPart[] = [{ name: 'redis', check: () => requireWrites(redis, config.REDIS_PREFIX) }];
  if (worker) {
    readiness.push({ name: 'worker', check: async () => requireRunning(worker) });
    readiness.push({ name: 'progress', check: async () => requireProgress(worker) });
    // One that takes only sub-agents decides nothing; one that receives, too, must go on to take alerts, which keep.
    if (config.WORKER_CONCURRENCY > 0 && !receives(role))
      readiness.push({ name: 'inbox', check: () => requireDecisions(redis, config.REDIS_PREFIX) });
  }
  if (receives(role)) {
    const watch = watchInbox(redis, config.REDIS_PREFIX, log);
    running.lifetime.onStop('inbox watch', () => watch.stop());
  }
  const server = await startHttpServer({
    host: config.HOST,
    port: config.PORT,
    receives: receives(role),
    intake: createIntake(openInbox(redis, config), rememberClean(redactor)),
    sources: running.sources,
    authorize: createAuthorize({
      bearerTokens: config.ALERTMANAGER_BEARER_TOKENS ?? [],
      basicAuth: config.ALERTMANAGER_BASIC_AUTH,
    }),
    bodyLimitBytes: config.WEBHOOK_BODY_LIMIT_BYTES,
    metrics,
    log,
    readiness: readiness.map((part) => redacted(part, (text) => redactor.redact(text))),
    reports: createReportStore(redis, config.REDIS_PREFIX),
    incidents: createIncidentReader(redis, config.REDIS_PREFIX),
    refreshMetrics: createGaugeRefresh(running, redis),
  });
  running.lifetime.onStop('http', () => server.close());
  const host = config.HOST.includes(':') ? `[${config.HOST}]` : config.HOST;
  return `http://${host}:${server.port}`;
}

function openInbox(redis: Redis, { REDIS_PREFIX: prefix, REDIS_MIN_REPLICAS: count }: Config): Inbox {
  const inbox = createInbox(redis, prefix);
  return count === 0 ? inbox : keptOnReplicas(inbox, createReplicas(redis, inboxKey(prefix), count));
}

/** `/readyz` is open to everybody, and a client's error may quote what it was configured with; of Redis it speaks in words. */
function redacted(part: ReadinessPart, redact: (text: string) => string): ReadinessPart {
  const check = async () => {
    try {
      await part.check();
    } catch (error) {
      const trouble = redisTrouble(error);
      throw trouble === undefined ? redactError(error, redact) : new Error(trouble);
    }
  };
  return { name: part.name, check };
}

async function requireDecisions(redis: Redis, prefix: string): Promise<void> {
  if (redis.status !== 'ready') throw new Error('not known without Redis');
  const undecided = await readUndecided(redis, prefix);
  if (undecided && undecided.oldestAgeSeconds * 1000 > LONGEST_IN_INBOX_MS) throw new Error(sayWaiting(undecided));
}

function requireRunning(worker: RunningWork): void {
  if (!worker.isRunning()) throw new Error('the worker takes no jobs yet');
}

function requireProgress(worker: RunningWork): void {
  const stuck = worker.stuck();
  if (stuck.length > 0) throw new Error(`jobs wait and this worker takes none: ${stuck.join(', ')}`);
}
