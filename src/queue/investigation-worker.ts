import type { Incident } from '../domain/incident.ts';
import { createOutbox } from '../sessions/admission/admission-store.ts';
import { createIncidentStore } from '../sessions/incident-store.ts';
import { createIncidentQueue } from './incident-queue.ts';
import { startJobWorker, type JobContext, type JobWorker, type LostJob, type WorkerDeps } from './job-worker.ts';
import {
  INCIDENT_QUEUE,
  type IncidentJobData,
  type IncidentJobName,
  type LaterLook,
  type LookJobData,
} from './jobs.ts';
import { startOutboxSweep } from './outbox-sweep.ts';

export interface GivenUp extends LostJob {
  readonly incidentId: string;
}

/** Each may run more than once for a job, and throw `NotYet` while its time has not come. */
export interface LaterWork {
  /** Looks at the incident again, without a model. */
  look(incident: Incident, context: JobContext, look: LaterLook): Promise<void>;
  /** Investigates it again in full. */
  grown(incident: Incident, context: JobContext): Promise<void>;
  /** Called once before that becomes a dead letter. */
  onGrownLost(incident: Incident, lost: LostJob): Promise<void>;
  acknowledged(incident: Incident, context: JobContext): Promise<void>;
}

export interface InvestigationWorkerDeps extends WorkerDeps {
  /** May run more than once for an incident, and a new run may overlap an old one. `traceparent`: of whoever sent the alert. */
  readonly investigate: (incident: Incident, context: JobContext, traceparent: string | undefined) => Promise<void>;
  readonly onResolved: (incident: Incident, context: JobContext) => Promise<void>;
  /** What follows a first report. Absent: nothing does. */
  readonly later?: LaterWork;
  /** Called once before an investigation becomes a dead letter: the place to say that there will be no report. */
  readonly onPoison: (givenUp: GivenUp) => Promise<void>;
}

/** Starts taking investigations. Rejects with `EvictionPolicyError` on a Redis that may evict; starts without Redis and waits for it. */
export function startInvestigationWorker(deps: InvestigationWorkerDeps): Promise<JobWorker> {
  const { log, prefix, onPoison } = deps;
  return startJobWorker<IncidentJobData, IncidentJobName>({
    ...deps,
    queue: INCIDENT_QUEUE,
    maxStarts: 5,
    open: (redis) => {
      const incidents = createIncidentStore(redis, prefix);
      const sweep = startOutboxSweep(createOutbox(redis, prefix), createIncidentQueue(redis, prefix, log), log);
      return {
        run: async ({ name, data }, context) => {
          const incident = await incidents.getIncident(data.incidentId);
          if (!incident) return log.error({ incidentId: data.incidentId, name }, 'the incident is not known any more');
          if (name === 'investigate') return deps.investigate(incident, context, data.traceparent);
          if (name === 'resolved') return deps.onResolved(incident, context);
          if (name === 'look') return deps.later?.look(incident, context, data as LookJobData);
          return deps.later?.[name](incident, context);
        },
        // A resolved message that cannot be sent is only logged: its incident may well be investigated, and gets that report.
        onGivenUp: async ({ name, data: { incidentId } }, lost) => {
          if (name === 'investigate') await onPoison({ incidentId, ...lost });
          const grown = name === 'grown' ? await incidents.getIncident(incidentId) : undefined;
          if (grown) await deps.later?.onGrownLost(grown, lost);
        },
        stop: () => sweep.stop(),
      };
    },
  });
}
