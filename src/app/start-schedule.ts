import { openWorkerRedis } from '../platform/redis.ts';
import { createIncidentQueue, type IncidentQueue } from '../queue/incident-queue.ts';
import { readJobs } from '../schedule/read-jobs.ts';
import { startScheduler, type SubmitCheck } from '../schedule/scheduler.ts';
import { createIncidentStore, type IncidentStore } from '../sessions/incident-store.ts';
import type { Process } from './process.ts';

/** A tick waits for Redis so long. What it would have seen is past then, and after an outage there would be a crowd of such ticks. */
const MAX_LATE_MS = 10 * 60_000;

/** Starts the scheduled checks of JOBS_DIR. A broken file is logged with its line and the others run. */
export async function startSchedule(running: Process): Promise<void> {
  const { config, log, lifetime } = running;
  const { jobs, broken } = await readJobs(config.JOBS_DIR);
  for (const { file, mistakes } of broken)
    log.error({ file, mistakes }, 'this scheduled check is broken and does not run');
  const redis = openWorkerRedis(running.redis, log);
  lifetime.onStop('schedule connection', () => redis.disconnect());
  const queue = createIncidentQueue(redis, config.REDIS_PREFIX, log);
  lifetime.onStop('schedule queue', () => queue.close());
  const incidents = createIncidentStore(redis, config.REDIS_PREFIX);
  const scheduler = startScheduler(jobs, submitChecks(incidents, queue), log);
  lifetime.onStop('scheduled checks', () => scheduler.stop());
  const enabled = jobs.filter((job) => job.enabled).map((job) => job.name);
  log.info({ folder: config.JOBS_DIR, enabled, disabled: jobs.length - enabled.length }, 'scheduled checks');
}

/** Persists and queues a check, as soon as Redis answers; rejects when that is too late. */
export function submitChecks(incidents: IncidentStore, queue: IncidentQueue, now = Date.now): SubmitCheck {
  return async (incident) => {
    await incidents.saveCheck(incident);
    if (now() - incident.startsAtMs > MAX_LATE_MS) throw new Error('Redis was away for too long');
    await queue.add({ kind: 'investigate', incidentId: incident.id });
  };
}
