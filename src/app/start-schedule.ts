import { openWorkerRedis } from '../platform/redis.ts';
import { createIncidentQueue } from '../queue/incident-queue.ts';
import { readJobs } from '../schedule/read-jobs.ts';
import { startScheduler } from '../schedule/scheduler.ts';
import { createIncidentStore } from '../sessions/incident-store.ts';
import type { Process } from './process.ts';

/** Starts the scheduled checks of JOBS_DIR. A broken file is logged with its line and the others run. */
export async function startSchedule(running: Process): Promise<void> {
  const { config, log, lifetime } = running;
  const { jobs, broken } = await readJobs(config.JOBS_DIR);
  for (const { file, problem } of broken)
    log.error({ file, problem }, 'this scheduled check is broken and does not run');
  const redis = openWorkerRedis(running.redis, log);
  lifetime.onStop('schedule connection', () => redis.disconnect());
  const queue = createIncidentQueue(redis, config.REDIS_PREFIX, log);
  lifetime.onStop('schedule queue', () => queue.close());
  const incidents = createIncidentStore(redis, config.REDIS_PREFIX);
  const scheduler = startScheduler(
    jobs,
    async (incident) => {
      await incidents.saveCheck(incident);
      await queue.add({ kind: 'investigate', incidentId: incident.id });
    },
    log,
  );
  lifetime.onStop('scheduled checks', () => scheduler.stop());
  const enabled = jobs.filter((job) => job.enabled).map((job) => job.name);
  log.info({ folder: config.JOBS_DIR, enabled, disabled: jobs.length - enabled.length }, 'scheduled checks');
}
