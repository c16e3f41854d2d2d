import { schedule, type ScheduledTask } from 'node-cron';
import type { Job } from '../domain/check.ts';
import type { Incident } from '../domain/incident.ts';
import { serviceOf } from '../domain/labels.ts';
import type { Logger } from '../platform/logger.ts';

/** Persists and queues a check. Calling it again with the same incident id does nothing. */
export type SubmitCheck = (incident: Incident) => Promise<void>;

/** The incident of kind `check` for one tick. Its id is the same in every replica: `check_<name>_<tick>`. */
export function checkIncident(job: Job, tick: Date): Incident {
  const minute = tick.toISOString().slice(0, 16);
  const startsAtMs = Date.parse(`${minute}Z`);
  return {
    id: `check_${job.name}_${minute.replaceAll(/\D/g, '')}`,
    kind: 'check',
    source: 'schedule',
    receiver: job.name,
    title: job.description,
    service: serviceOf(job.labels),
    severity: job.severity,
    startsAtMs,
    state: 'firing',
    labels: job.labels,
    annotations: { check: job.prompt },
    alerts: [],
    alertCount: 0,
    truncatedAlerts: 0,
    link: undefined,
    check: { job, lateMs: 0, unrun: [] },
  };
}

/** Starts one cron task a job. A tick that cannot be submitted is logged with its name and tick; the next one comes anyway. */
export function startScheduler(jobs: readonly Job[], submit: SubmitCheck, log: Logger): { stop(): Promise<void> } {
  const tasks: ScheduledTask[] = jobs
    .filter((job) => job.enabled)
    .map((job) =>
      schedule(
        job.cron,
        async ({ date }) => {
          const incident = checkIncident(job, date);
          try {
            await submit(incident);
            log.info({ check: job.name, incidentId: incident.id }, 'check submitted');
          } catch (error) {
            const reason = error instanceof Error ? error.message : String(error);
            log.error(
              { check: job.name, incidentId: incident.id, reason },
              'check could not be submitted; this tick is lost',
            );
          }
        },
        { timezone: job.timezone, name: job.name },
      ),
    );
  return {
    stop: async () => {
      for (const task of tasks) await task.destroy();
    },
  };
}
