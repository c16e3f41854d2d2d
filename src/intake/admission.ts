import type { Acknowledgement, Alert, AlertStatus } from '../domain/alert.ts';

/** `repeat`: nothing new. `ignored`: concerns no incident. `joined`: an open incident grew, flaps or is partly resolved. */
export const DECISIONS = ['new', 'joined', 'repeat', 'resolved', 'ignored'] as const;
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

export interface Admitted {
  readonly decision: Decision;
  /** Undefined only when ignored. */
  readonly incidentId: string | undefined;
  readonly pending: readonly PendingJob[];
}

export interface Acknowledged {
  readonly incidentId: string;
  readonly pending: readonly PendingJob[];
}

/** Decides atomically, across all processes, and remembers. Rejects when the store cannot be reached or refuses to write. */
export interface AdmissionStore {
  admit(admission: Admission): Promise<Admitted>;
  /** Notes it on the open incident of the alert; undefined when none is open. */
  acknowledge(acknowledgement: Acknowledgement): Promise<Acknowledged | undefined>;
  /** Takes queued work out of the outbox. */
  settle(jobs: readonly PendingJob[]): Promise<void>;
}

export interface TracedJob extends PendingJob {
  /** Of whoever sent the alert, when it traces. */
  readonly traceparent?: string | undefined;
}

/** Adds jobs whose ids derive from their content: adding one again while it is known changes nothing. Some may be added when it rejects. */
export interface JobQueue {
  addAll(jobs: readonly TracedJob[]): Promise<void>;
}
