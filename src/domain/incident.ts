import type { Alert } from './alert.ts';
import type { CheckTick } from './check.ts';
import type { Labels } from './labels.ts';

export type IncidentKind = 'incident' | 'check';
export type IncidentState = 'firing' | 'resolved';

/**
 * One continuous firing episode of a group of alerts, or one tick of a scheduled check: the unit of investigation.
 * Ids match `^[a-z][a-zA-Z0-9_-]{3,127}$`, never hold a `:` and are never all digits (BullMQ job ids).
 */
export interface Incident {
  readonly id: string;
  readonly kind: IncidentKind;
  readonly source: string;
  readonly receiver: string;
  readonly title: string;
  /** The alerting (symptom) service, when the labels name one. */
  readonly service: string | undefined;
  readonly severity: string | undefined;
  /** The trigger: the earliest startsAt of the firing alerts. */
  readonly startsAtMs: number;
  readonly state: IncidentState;
  readonly labels: Labels;
  readonly annotations: Labels;
  /** Firing and resolved alerts, capped; `alertCount` is the true number. */
  readonly alerts: readonly Alert[];
  readonly alertCount: number;
  readonly truncatedAlerts: number;
  /** Where a person can look at the alert (Alertmanager, PagerDuty). http(s) only. */
  readonly link: string | undefined;
  /** The incident of the same alert before this one. */
  readonly follows?: string;
  /** How often the alert fired within a day, this time included, when it fired before. */
  readonly recurs?: Recurrence;
  /** Its alert fires again and again: all occurrences are this one incident, which is resolved when it stays quiet. */
  readonly flapping?: Recurrence;
  readonly acknowledged?: { readonly by: string | undefined; readonly atMs: number };
  /** Of the kind `check`: what is to be checked, and how. */
  readonly check?: CheckTick;
}

export interface Recurrence {
  readonly times: number;
  /** Start of the first. */
  readonly sinceMs: number;
}
