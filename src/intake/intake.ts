import type { Acknowledgement, Notification } from '../domain/alert.ts';
import type { AdmissionStore, Decision, JobQueue, PendingJob } from './admission.ts';
import { rememberClean } from './remember-clean.ts';
import { toAdmission } from './trim.ts';

/** Longest wait of one request for the store. Senders that get no answer in time hold the connection and send copies from their peers. */
export const INTAKE_DEADLINE_MS = 2000;

export interface Intake {
  /**
   * Persists what is new in the notification and puts its work in the queue, then answers. Rejects with `IntakeUnavailable` within
   * the deadline when that is not certain; sending the same again is always right. `traceparent`: of the sender, when it traces.
   */
  receive(notification: Notification, traceparent?: string): Promise<Receipt>;
  /** Notes who has taken an alert on; returns its open incident, if there is one. Rejects as `receive` does. */
  acknowledge(acknowledgement: Acknowledgement): Promise<string | undefined>;
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
  const redactNew = rememberClean(redact);
  const admit = async (notification: Notification, traceparent: string | undefined): Promise<Receipt> => {
    const admission = toAdmission(notification, redactNew);
    if (admission.claims.length === 0) return { decision: 'ignored', incidentId: undefined };
    const { decision, incidentId, pending } = await store.admit(admission);
    await enqueue(pending, traceparent);
    return { decision, incidentId };
  };
  const enqueue = async (pending: readonly PendingJob[], traceparent?: string): Promise<void> => {
    if (pending.length === 0) return;
    for (const job of pending) await queue.add(job, traceparent);
    // Not waited for: what stays in the outbox is added again under the same id, which changes nothing.
    store.settle(pending).catch(() => undefined);
  };
  const acknowledge = async ({ by, ...rest }: Acknowledgement): Promise<string | undefined> => {
    const taken = await store.acknowledge({ ...rest, by: by === undefined ? undefined : redact(by) });
    if (taken) await enqueue(taken.pending);
    return taken?.incidentId;
  };
  return {
    receive: (notification, traceparent) => withDeadline(admit(notification, traceparent), deadlineMs),
    acknowledge: (acknowledgement) => withDeadline(acknowledge(acknowledgement), deadlineMs),
  };
}

/** A frozen Redis keeps its connection up, so nothing fails by itself: only this timer ends the wait. */
async function withDeadline<T>(work: Promise<T>, deadlineMs: number): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const deadline = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`no answer within ${deadlineMs} ms`)), deadlineMs);
  });
  try {
    return await Promise.race([work, deadline]);
  } catch (error) {
    throw new IntakeUnavailable('the alert could not be persisted', { cause: error });
  } finally {
    clearTimeout(timer);
  }
}
