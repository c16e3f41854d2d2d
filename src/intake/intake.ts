import type { Acknowledgement, Notification } from '../domain/alert.ts';
import type { AdmissionStore, Decision, JobQueue } from './admission.ts';
import { withDeadline } from './deadline.ts';
import { createDrain } from './drain.ts';
import { toAdmission } from './trim.ts';

/** Longest wait of one request for the store. Senders that get no answer in time hold the connection and send copies from their peers. */
export const INTAKE_DEADLINE_MS = 2000;

export interface Intake {
  /**
   * Persists what is new in the notification, and the work it makes; then answers, and puts the work in the queue. Rejects with `IntakeUnavailable` within
   * the deadline when that is not certain; sending the same again is always right. `traceparent`: of the sender, when it traces.
   */
  receive(notification: Notification, traceparent?: string): Promise<Receipt>;
  /** Notes who has taken an alert on; returns its open incident, if there is one. Rejects as `receive` does. */
  acknowledge(acknowledgement: Acknowledgement): Promise<string | undefined>;
  /** Resolves when the work of everything that was received so far is in the queue, or left to a worker's sweep. Never rejects. */
  queued(): Promise<void>;
}

export interface Receipt {
  readonly decision: Decision;
  readonly incidentId: string | undefined;
}

/** Not persisted as far as we know: the sender has to send again. The command may still be executed later; ids derive from data. */
export class IntakeUnavailable extends Error {
  override readonly name = 'IntakeUnavailable';
}

/** `redact` sees what alerts say before it is stored. */
export function createIntake(
  store: AdmissionStore,
  queue: JobQueue,
  redact: (text: string) => string,
  deadlineMs = INTAKE_DEADLINE_MS,
): Intake {
  const drain = createDrain(store, queue);
  const admit = async (notification: Notification, traceparent: string | undefined): Promise<Receipt> => {
    const admission = toAdmission(notification, redact);
    if (admission.claims.length === 0) return { decision: 'ignored', incidentId: undefined };
    const { decision, incidentId, pending } = await store.admit(admission);
    drain.put(traceparent === undefined ? pending : pending.map((job) => ({ ...job, traceparent })));
    return { decision, incidentId };
  };
  const acknowledge = async ({ by, ...rest }: Acknowledgement): Promise<string | undefined> => {
    const taken = await store.acknowledge({ ...rest, by: by === undefined ? undefined : redact(by) });
    if (taken) drain.put(taken.pending);
    return taken?.incidentId;
  };
  return {
    receive: (notification, traceparent) => orUnavailable(admit(notification, traceparent), deadlineMs),
    acknowledge: (acknowledgement) => orUnavailable(acknowledge(acknowledgement), deadlineMs),
    queued: () => drain.emptied(),
  };
}

async function orUnavailable<T>(work: Promise<T>, deadlineMs: number): Promise<T> {
  try {
    return await withDeadline(work, deadlineMs);
  } catch (cause) {
    throw new IntakeUnavailable('the alert could not be persisted', { cause });
  }
}
