import type { Acknowledgement, Notification } from '../domain/alert.ts';
import type { Arrival, Inbox } from './admission.ts';
import { createDeadline } from './deadline.ts';
import { toAdmission, trimName, type Redaction } from './trim.ts';

/** Longest wait of one request for the store. Senders that get no answer in time hold the connection and send copies from their peers. */
export const INTAKE_DEADLINE_MS = 2000;

/**
 * The door. Both persist what came in, redacted and cut to size, and return the id under which it waits to be decided. They reject with `IntakeUnavailable`
 * within the deadline when that is not certain; sending the same again is always right.
 */
export interface Intake {
  /** Undefined when there is nothing to decide. `traceparent`: of the sender, when it traces. */
  receive(notification: Notification, traceparent?: string): Promise<string | undefined>;
  acknowledge(acknowledgement: Acknowledgement): Promise<string>;
}

/** Not persisted as far as we know: the sender has to send again. The command may still be executed later; ids derive from data. */
export class IntakeUnavailable extends Error {
  override readonly name = 'IntakeUnavailable';
}

/** `redaction` sees what alerts say before it is stored. */
export function createIntake(inbox: Inbox, redaction: Redaction, deadlineMs = INTAKE_DEADLINE_MS): Intake {
  const inTime = createDeadline(deadlineMs);
  const append = async (arrival: Arrival): Promise<string> => {
    try {
      return await inTime(inbox.append(arrival));
    } catch (cause) {
      throw new IntakeUnavailable('the alert could not be persisted', { cause });
    }
  };
  return {
    receive: async (notification, traceparent) => {
      const admission = toAdmission(notification, redaction);
      if (admission.claims.length === 0) return undefined;
      return append({ kind: 'notification', admission, traceparent });
    },
    acknowledge: ({ by, ...rest }) => {
      const acknowledgement = { ...rest, by: by === undefined ? undefined : trimName(by, redaction.redact) };
      return append({ kind: 'acknowledgement', acknowledgement });
    },
  };
}
