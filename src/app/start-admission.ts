import type { Redis } from 'ioredis';
import type { Config } from '../config/schema.ts';
import { startAdmitting } from '../intake/admit-arrivals.ts';
import type { Decided, Undecided } from '../intake/admission.ts';
import { rejectAfter } from '../intake/deadline.ts';
import { redisTrouble } from '../platform/redis-trouble.ts';
import { openWorkerRedis } from '../platform/redis.ts';
import { createIncidentQueue } from '../queue/incident-queue.ts';
import { createAdmissionStore, FLAPPING, type FlappingRules } from '../sessions/admission/admission-store.ts';
import { waitForBell } from '../sessions/admission/inbox.ts';
import type { Process } from './process.ts';

/** How long an arrival waits at most whose worker died between the bell and the call. */
const LOOK_EVERY_SECONDS = 2;

/** Starts deciding what receivers put into the inbox. `redis`: a worker's connection, of its owner. */
export function startAdmission(running: Process, redis: Redis): void {
  const { config, log, lifetime } = running;
  const prefix = config.REDIS_PREFIX;
  const store = createAdmissionStore(redis, prefix, flappingRules(config));
  const queue = createIncidentQueue(redis, prefix, log);
  lifetime.onStop('incident queue', () => queue.close());
  const bell = openWorkerRedis(running.redis, log);
  const admitting = startAdmitting({
    store,
    queue,
    waitForArrival: () => waitForBell(bell, prefix, LOOK_EVERY_SECONDS),
    onDecided: (one) => record(one, running),
    onRetry: (arrivals) => log.info({ arrivals }, 'tries again to decide what was kept aside'),
    onFailure: (error) =>
      log.warn(
        { err: redisTrouble(error) ?? (error instanceof Error ? error.message : String(error)) },
        'what came in cannot be decided now; it waits in the inbox',
      ),
  });
  lifetime.onStop('admission', () => {
    bell.disconnect();
    // A frozen Redis must not use up the time of investigations and deliveries. What is left here is found by other workers.
    return rejectAfter(admitting.stop(), config.SHUTDOWN_GRACE_MS / 3);
  });
}

/** Every decision can be explained afterwards; what changes nothing is only told at level debug, since storms consist of it. */
function record(one: Decided | Undecided, { metrics, log, watcher }: Process): void {
  if (!('pending' in one)) {
    metrics.admission(one.source, 'undecided');
    log.error(one, 'an alert could not be decided and is kept aside; it is tried again when a worker starts');
    return;
  }
  const { pending: _jobs, ...told } = one;
  metrics.admission(one.source, one.decision);
  const changesNothing = one.decision === 'repeat' || one.decision === 'ignored';
  log[changesNothing ? 'debug' : 'info'](told, 'notification admitted');
  watcher.onDecided?.(one);
}

function flappingRules({ FLAPPING_OCCURRENCES, FLAPPING_QUIET_MINUTES }: Config): FlappingRules {
  return { ...FLAPPING, times: FLAPPING_OCCURRENCES, quietMs: FLAPPING_QUIET_MINUTES * 60_000 };
}
