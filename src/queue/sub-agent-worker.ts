import type { CheckpointSlot } from '../agent/checkpoint.ts';
import { lost, usedBy } from '../agent/sub-agents/lost.ts';
import type { SubAgentOrder, SubAgentOutcome } from '../agent/sub-agents/port.ts';
import type { Incident } from '../domain/incident.ts';
import { incidentOfWork } from '../domain/work-id.ts';
import { STATE_VERSION, type InvestigationState } from '../investigate/journal.ts';
import type { Logger } from '../platform/logger.ts';
import { createIncidentStore, type IncidentStore } from '../sessions/incident-store.ts';
import { createResumeStore, type ResumeStore } from '../sessions/resume-store.ts';
import { slotWithProgress } from './note-progress.ts';
import { startJobWorker, type JobContext, type JobWorker, type WorkerDeps } from './job-worker.ts';
import { SUB_AGENT_QUEUE, type SubAgentJobData, type SubAgentJobName } from './jobs.ts';

/** Everything a sub-agent works with, beside the parts of the process. */
export interface OrderPlace {
  readonly order: SubAgentOrder;
  readonly incident: Incident;
  readonly state: InvestigationState;
  readonly checkpoint: CheckpointSlot;
  /** Aborts when the job has to stop, and when nobody waits for the outcome any more. */
  readonly signal: AbortSignal;
  /** Of the agent that waits for it, when there is tracing. */
  readonly traceparent: string | undefined;
}

/** Reason of a signal: the investigation is over. */
export class NobodyWaits extends Error {
  override readonly name = 'NobodyWaits';
  constructor() {
    super('nobody waits for it any more');
  }
}

export interface SubAgentWorkerDeps extends WorkerDeps {
  /** May run more than once for an order, and a new run may overlap an old one. After an abort its outcome counts for nothing. */
  readonly runOrder: (place: OrderPlace) => Promise<SubAgentOutcome>;
  /** Told once of every outcome that stands. */
  readonly onOutcome: (order: SubAgentOrder, outcome: SubAgentOutcome, incidentId: string) => Promise<void>;
}

/**
 * Starts taking sub-agents. Their queue and their places are their own, so that investigations, all of which may wait for sub-agents, can never keep them
 * from running. Rejects and waits as `startJobWorker` does.
 */
export function startSubAgentWorker(deps: SubAgentWorkerDeps): Promise<JobWorker> {
  const { log, prefix } = deps;
  return startJobWorker<SubAgentJobData, SubAgentJobName>({
    ...deps,
    queue: SUB_AGENT_QUEUE,
    // Fewer than an investigation has: one that kills its process may take its waiting parent along each time, and must be given up first.
    maxStarts: 3,
    open: (redis) => {
      const stores = {
        incidents: createIncidentStore(redis, prefix),
        resume: createResumeStore(redis, prefix, log),
      };
      const settle = async ({ incidentId, orderId }: SubAgentJobData, outcome: SubAgentOutcome) => {
        const order = await stores.resume.getOrder(incidentId, orderId);
        if (!order || !(await stores.resume.settle(incidentId, orderId, outcome))) return;
        await deps.onOutcome(order, outcome, incidentId);
      };
      return {
        run: async ({ data }, context) => {
          const outcome = await carryOut(data, context, stores, deps);
          if (outcome) await settle(data, outcome);
        },
        onGivenUp: async ({ data }, { reason, error }) => {
          const slot = stores.resume.checkpoints(data.incidentId, data.orderId, () => undefined);
          const { usage, toolCalls } = usedBy(await slot.load());
          await settle(data, lost(reasonInWords(reason, error), usage, toolCalls));
        },
      };
    },
  });
}

interface Stores {
  readonly incidents: IncidentStore;
  readonly resume: ResumeStore;
}

/** Undefined when there is nothing to tell: it has an outcome, or nobody waits for one. */
async function carryOut(
  { incidentId, orderId, traceparent }: SubAgentJobData,
  context: JobContext,
  { incidents, resume }: Stores,
  { runOrder, log }: { readonly runOrder: SubAgentWorkerDeps['runOrder']; readonly log: Logger },
): Promise<SubAgentOutcome | undefined> {
  const order = await resume.getOrder(incidentId, orderId);
  if (!order) {
    log.info({ incidentId, orderId }, 'nobody waits for this sub-agent any more');
    return undefined;
  }
  const [known] = await resume.getOutcomes(incidentId, [orderId]);
  if (known) return undefined;
  const [incident, state] = await Promise.all([
    incidents.getIncident(incidentOfWork(incidentId)),
    resume.loadState(incidentId),
  ]);
  if (!incident || !state) return lost('its investigation is not known any more');
  if (state.version !== STATE_VERSION) return lost('its investigation was begun by another version of Rootnote');
  const gone = new AbortController();
  const signal = AbortSignal.any([context.signal, gone.signal]);
  const slot = resume.checkpoints(incidentId, orderId, () => gone.abort(new NobodyWaits()));
  const checkpoint = slotWithProgress(slot, context.progress);
  const inTime = context.attempt === 1 ? withoutWait(order, context.waitedMs) : order;
  const outcome = await runOrder({ order: inTime, incident, state, checkpoint, signal, traceparent });
  context.signal.throwIfAborted();
  return gone.signal.aborted ? undefined : outcome;
}

/**
 * Whoever ordered it waits from the moment of the order: one that had to queue ends sooner, with what it has, and not in full when nobody asks any more. A
 * later start goes on with the time that its checkpoint has left.
 */
function withoutWait(order: SubAgentOrder, waitedMs: number): SubAgentOrder {
  const { allowance } = order;
  return { ...order, allowance: { ...allowance, timeMs: Math.max(0, allowance.timeMs - waitedMs) } };
}

function reasonInWords(reason: 'poison' | 'failed', error: Error): string {
  if (reason === 'poison') return 'it ended its worker process every time it was started';
  return `it failed every time: ${error.message}`;
}
