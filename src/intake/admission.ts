import type { Acknowledgement, Alert, AlertStatus } from '../domain/alert.ts';

/**
 * `repeat`: nothing new. `ignored`: concerns no incident. `joined`: an open incident grew, flaps or is partly resolved. `acknowledged`: somebody has taken
 * one on.
 */
export const DECISIONS = ['new', 'joined', 'repeat', 'resolved', 'acknowledged', 'ignored'] as const;
export type Decision = (typeof DECISIONS)[number];

/** What of a notification belongs to the incident it may open. */
export interface IncidentHeader {
  readonly source: string;
  readonly receiver: string;
  readonly groupLabels: Readonly<Record<string, string>>;
  readonly link: string | undefined;
}

/** One alert that asks to be let in. */
export interface AlertClaim {
  /** Hash of source and fingerprint. */
  readonly key: string;
  readonly status: AlertStatus;
  readonly startsAtMs: number;
  /** As of `Alert`. */
  readonly startsAtReceipt?: true;
  /** The trimmed alert; undefined for those beyond the number that is kept. */
  readonly alert: Alert | undefined;
  /** `alert` as it is stored; written once. Undefined with it. */
  readonly alertJson: string | undefined;
}

export interface Admission {
  readonly header: IncidentHeader;
  /** `header` as it is stored; written once. */
  readonly headerJson: string;
  readonly truncatedAlerts: number;
  /** Each key and start once; most telling first, since the first is what a new incident is named after. */
  readonly claims: readonly AlertClaim[];
  /** As of `Notification`. */
  readonly deliveryId?: string;
}

/**
 * - `investigate`: a new incident.
 * - `grown`: it has grown materially since it was last looked at.
 * - `acknowledged`: somebody has taken it on.
 * - `resolved`: its last alert is over.
 */
export const JOB_KINDS = ['investigate', 'grown', 'acknowledged', 'resolved'] as const;
export type JobKind = (typeof JOB_KINDS)[number];

/** Work that is admitted and not yet known to be in the queue. */
export interface PendingJob {
  readonly kind: JobKind;
  readonly incidentId: string;
  /** Of kinds that recur (`grown`, `acknowledged`): counts them for the incident, so that each is a job of its own. */
  readonly round?: number;
  /** 0, or absent: before all others; else the lower, the earlier. Made from the severity. */
  readonly priority?: number;
}

export interface TracedJob extends PendingJob {
  /** Of whoever sent the alert, when it traces. */
  readonly traceparent?: string | undefined;
}

/** What came in at the door. */
export type Arrival =
  | {
      readonly kind: 'notification';
      readonly admission: Admission;
      /** Of whoever sent it, when it traces. */
      readonly traceparent?: string | undefined;
    }
  | { readonly kind: 'acknowledgement'; readonly acknowledgement: Acknowledgement };

/** Keeps what came in, in the order of its coming, until it is decided. */
export interface Inbox {
  /** Resolves with the id under which it is kept. Rejects when the store cannot be reached or refuses to write; it may be kept all the same. */
  append(arrival: Arrival): Promise<string>;
}

/** What became of one arrival. */
export interface Decided {
  readonly arrivalId: string;
  readonly source: string;
  /** Alerts in it, each once, and how many of them fire; 0 of an acknowledgement. */
  readonly alerts: number;
  readonly firing: number;
  readonly decision: Decision;
  /** Undefined only when ignored. */
  readonly incidentId: string | undefined;
  /** All work of the incidents concerned that is not known to be in the queue. */
  readonly pending: readonly TracedJob[];
}

/** An arrival that could not be decided. It is kept aside. */
export interface Undecided {
  readonly arrivalId: string;
  readonly source: string;
  readonly reason: string;
}

/** Decides what came in and remembers: across all processes, in the order of its coming, each arrival exactly once. */
export interface AdmissionStore {
  /**
   * Takes the oldest arrivals, up to as many as one call should take; none when the inbox is empty. Taking out and deciding are one step. Rejects when the store
   * cannot be reached, refuses to write or has no place to keep another aside; then each is still there, or it is decided and its work is in the outbox.
   */
  admitNext(): Promise<readonly (Decided | Undecided)[]>;
  /** Puts what is kept aside back into the inbox, behind what waits, as if it came in now. Returns how many. */
  retryAside(): Promise<number>;
  /** Takes queued work out of the outbox. */
  settle(jobs: readonly PendingJob[]): Promise<void>;
}

/** Adds jobs whose ids derive from their content: adding one again while it is known changes nothing. Some may be added when it rejects. */
export interface JobQueue {
  addAll(jobs: readonly TracedJob[]): Promise<void>;
}
