import type { Labels } from './labels.ts';

export type AlertStatus = 'firing' | 'resolved';

/** One alert as its sender describes it. All text is untrusted. */
export interface Alert {
  readonly status: AlertStatus;
  readonly labels: Labels;
  readonly annotations: Labels;
  readonly startsAtMs: number;
  /**
   * True when the sender gives no start and `startsAtMs` is the time of receipt. Such an alert is the occurrence of its fingerprint that is open,
   * and a new one when none is.
   */
  readonly startsAtReceipt?: true;
  /** Undefined while firing: senders put a year-1 or future date there, which means "not ended". */
  readonly endsAtMs: number | undefined;
  readonly generatorUrl: string | undefined;
  /** Identity of the label set: the sender's fingerprint, else a hash of the sorted labels. Never empty. */
  readonly fingerprint: string;
}

/** One webhook delivery: a group of alerts. May be a repeat, a retry or a peer's duplicate. */
export interface Notification {
  readonly source: string;
  /** Receiver name as configured by the operator (regexp quoting undone). */
  readonly receiver: string;
  readonly groupKey: string;
  readonly groupLabels: Labels;
  readonly commonLabels: Labels;
  readonly commonAnnotations: Labels;
  readonly externalUrl: string | undefined;
  /** Alerts the sender cut off; the list is incomplete when > 0. */
  readonly truncatedAlerts: number;
  readonly alerts: readonly Alert[];
  /** Of senders that number their deliveries: the same over all attempts. */
  readonly deliveryId?: string;
}

/** Somebody has taken an alert on. */
export interface Acknowledgement {
  readonly source: string;
  /** Of the alert. */
  readonly fingerprint: string;
  /** A person's name as the sender gives it, or undefined. Untrusted. */
  readonly by: string | undefined;
  readonly atMs: number;
}
