import { rejectAfter } from '../intake/deadline.ts';
import { createDrain } from '../intake/drain.ts';
import { openReceiverRedis } from '../platform/redis.ts';
import { createIncidentQueue } from '../queue/incident-queue.ts';
import { planJob } from '../schedule/decide-ticks.ts';
import type { ReadJobs } from '../schedule/read-jobs.ts';
import { createScheduler } from '../schedule/scheduler.ts';
import { startBeats } from '../schedule/start-beats.ts';
import { createOutbox } from '../sessions/admission/admission-store.ts';
import { createCheckStore } from '../sessions/check-store.ts';
import { untilReady } from './open-redis.ts';
import type { Process } from './process.ts';
import { missingFolder, readKnownJobs } from './read-known-jobs.ts';

/** Beyond the longest time that a run may take: for what it waits in the queue. */
const MARGIN_MS = 5 * 60_000;

/** Starts the scheduled checks of JOBS_DIR. A broken file is logged with its line and the others run. */
export async function startSchedule(running: Process): Promise<void> {
  const { config, log, lifetime, metrics } = running;
  const read = await readKnownJobs(config, running.destinations);
  tellMistakes(read, running);
  // Ticks must not pile up on a Redis that is away: what is due is found out again when it is back.
  const redis = openReceiverRedis(running.redis, log);
  lifetime.onStop('schedule connection', () => redis.disconnect());
  // The connection fails what is asked before it is there. One that stays away is told by the first beat.
  await untilReady(redis, running.redis).catch(() => undefined);
  const queue = createIncidentQueue(redis, config.REDIS_PREFIX, log);
  lifetime.onStop('queue of checks', () => queue.close());
  // Right behind the decision. Should this process end in between, the workers' sweep finds the run in the outbox.
  const drain = createDrain(createOutbox(redis, config.REDIS_PREFIX), queue);
  const scheduler = createScheduler(read.jobs.map(planJob), {
    store: createCheckStore(redis, config.REDIS_PREFIX, (job) => drain.put([job])),
    now: Date.now,
    maxRunMs: ({ budget: { minutes = Infinity } }) =>
      Math.min(minutes * 60_000, config.INVESTIGATION_TIMEOUT_MS) + MARGIN_MS,
    onTicks: metrics.checkTicks,
    log,
  });
  const beats = startBeats(scheduler, log, metrics.checksDecided);
  lifetime.onStop('scheduled checks', async () => {
    await beats.stop();
    await rejectAfter(drain.emptied(), config.SHUTDOWN_GRACE_MS / 6);
  });
  const enabled = read.jobs.filter((job) => job.enabled).map((job) => job.name);
  if (running.role === 'schedule' && enabled.length === 0)
    log.warn({ folder: config.JOBS_DIR }, 'no check is enabled: this process has nothing to do');
  log.info({ folder: config.JOBS_DIR, enabled, disabled: read.jobs.length - enabled.length }, 'scheduled checks');
}

function tellMistakes({ broken, incomplete }: ReadJobs, { config, log, metrics }: Process): void {
  const missing = missingFolder(config);
  if (missing !== undefined) log.error({ folder: config.JOBS_DIR }, `no check runs: ${missing}`);
  for (const { file, mistakes } of broken)
    log.error({ file, mistakes }, 'this scheduled check is broken and does not run');
  for (const { file, mistakes } of incomplete)
    log.error({ file, mistakes }, 'this scheduled check names what is not there and runs without it');
  metrics.checkFilesBroken(broken.length);
}
