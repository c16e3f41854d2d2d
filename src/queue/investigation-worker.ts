import type { Incident } from '../domain/incident.ts';
import { createOutbox } from '../sessions/admission-store.ts';
import { createIncidentStore } from '../sessions/incident-store.ts';
import { createIncidentQueue } from './incident-queue.ts';
import { startJobWorker, type JobContext, type JobWorker, type LostJob, type WorkerDeps } from './job-worker.ts';
import { INCIDENT_QUEUE, type IncidentJobData, type IncidentJobName } from './jobs.ts';
import { startOutboxSweep } from './outbox-sweep.ts';

export interface GivenUp extends LostJob {
  readonly incidentId: string;
}

export interface InvestigationWorkerDeps extends WorkerDeps {
  /** May run more than once for an incident, and a new run may overlap an old one. `traceparent`: of whoever sent the alert. */
  readonly investigate: (incident: Incident, context: JobContext, traceparent: string | undefined) => Promise<void>;
  readonly onResolved: (incidentId: string, context: JobContext) => Promise<void>;
  /** Called once before an investigation becomes a dead letter: the place to say that there will be no report. */
  readonly onPoison: (givenUp: GivenUp) => Promise<void>;
}

/** Starts taking investigations. Rejects with `EvictionPolicyError` on a Redis that may evict; starts without Redis and waits for it. */
export function startInvestigationWorker(deps: InvestigationWorkerDeps): Promise<JobWorker> {
  const { log, prefix, investigate, onResolved, onPoison } = deps;
  return startJobWorker<IncidentJobData, IncidentJobName>({
    ...deps,
    queue: INCIDENT_QUEUE,
    maxStarts: 5,
    open: (redis) => {
      const incidents = createIncidentStore(redis, prefix);
      const sweep = startOutboxSweep(createOutbox(redis, prefix), createIncidentQueue(redis, prefix, log), log);
      return {
        run: async ({ name, data: { incidentId, traceparent } }, context) => {
          if (name === 'resolved') return onResolved(incidentId, context);
          if (name !== 'investigate') return;
          const incident = await incidents.getIncident(incidentId);
          if (!incident) return log.error({ incidentId }, 'the incident is not known any more; nothing to investigate');
          return investigate(incident, context, traceparent);
        },
        // A resolved message that cannot be sent is only logged: its incident may well be investigated, and gets that report.
        onGivenUp: async ({ name, data: { incidentId } }, lost) => {
          if (name === 'investigate') await onPoison({ incidentId, ...lost });
        },
        stop: () => sweep.stop(),
      };
    },
  });
}
