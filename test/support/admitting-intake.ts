import { setTimeout as pause } from 'node:timers/promises';
import type { Redis } from 'ioredis';
import type { Acknowledgement, Notification } from '../../src/domain/alert.ts';
import type { Decided, Decision, JobQueue, Undecided } from '../../src/intake/admission.ts';
import { createDrain } from '../../src/intake/drain.ts';
import { createIntake } from '../../src/intake/intake.ts';
import { NOTHING_REDACTED, type Redaction } from '../../src/intake/trim.ts';
import { silentLogger } from '../../src/platform/logger.ts';
import { createIncidentQueue } from '../../src/queue/incident-queue.ts';
import { createAdmissionStore, type FlappingRules } from '../../src/sessions/admission/admission-store.ts';
import { createInbox } from '../../src/sessions/admission/inbox.ts';

/** What became of one notification. */
export interface Receipt {
  readonly decision: Decision;
  readonly incidentId: string | undefined;
}

/** What a worker does behind the door, when it is told to. */
export interface Admitting {
  /** Decides what waits, until it comes to this. Rejects with the reason when it could not be decided. */
  decide(arrivalId: string): Promise<Receipt>;
  /** Decides all that waits. Resolves when its work is queued, or left to the sweep. */
  admitAll(): Promise<void>;
  /** As of `Drain.emptied`. */
  queued(): Promise<void>;
}

interface AdmittingOptions {
  readonly queue?: JobQueue;
  readonly flapping?: FlappingRules;
}

/** Of the door, unless a test is about it: a large group on a busy machine takes longer than what a sender waits for. */
const PATIENT_MS = 30_000;

/** By prefix and arrival: any of several that share an inbox may be the one that decides. */
const known = new Map<string, Decided | Undecided>();

export function createAdmitting(redis: Redis, prefix: string, options: AdmittingOptions = {}): Admitting {
  const { queue = createIncidentQueue(redis, prefix, silentLogger()), flapping } = options;
  const store = createAdmissionStore(redis, prefix, flapping);
  const drain = createDrain(store, queue);
  const admitNext = async (): Promise<number> => {
    const batch = await store.admitNext();
    for (const one of batch) {
      known.set(`${prefix} ${one.arrivalId}`, one);
      if ('pending' in one) drain.put(one.pending);
    }
    return batch.length;
  };
  return {
    decide: async (arrivalId) => {
      for (;;) {
        const found = known.get(`${prefix} ${arrivalId}`);
        if (found && 'pending' in found) return { decision: found.decision, incidentId: found.incidentId };
        if (found) throw new Error(found.reason);
        if ((await admitNext()) === 0) await pause(1);
      }
    },
    admitAll: async () => {
      while ((await admitNext()) > 0);
      await drain.emptied();
    },
    queued: () => drain.emptied(),
  };
}

/** The door, and the worker behind it, as one: for tests that ask what a notification leads to. */
export interface AdmittingIntake {
  /** Rejects as the door does, and as `Admitting.decide` does. */
  receive(notification: Notification, traceparent?: string): Promise<Receipt>;
  /** The open incident, if there is one. */
  acknowledge(acknowledgement: Acknowledgement): Promise<string | undefined>;
  queued(): Promise<void>;
}

export function createAdmittingIntake(
  redis: Redis,
  prefix: string,
  options: AdmittingOptions & { readonly redaction?: Redaction; readonly deadlineMs?: number } = {},
): AdmittingIntake {
  const { redaction = NOTHING_REDACTED, deadlineMs = PATIENT_MS } = options;
  const intake = createIntake(createInbox(redis, prefix), redaction, deadlineMs);
  const admitting = createAdmitting(redis, prefix, options);
  return {
    receive: async (notification, traceparent) => {
      const id = await intake.receive(notification, traceparent);
      return id === undefined ? { decision: 'ignored', incidentId: undefined } : admitting.decide(id);
    },
    acknowledge: async (acknowledgement) =>
      (await admitting.decide(await intake.acknowledge(acknowledgement))).incidentId,
    queued: () => admitting.queued(),
  };
}
