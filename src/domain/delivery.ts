import type { CheckResult } from './check-result.ts';
import type { Incident } from './incident.ts';
import type { Report } from './report.ts';
import type { StormSummary } from './storm.ts';

/** Where the destination keeps the post: a Slack channel and ts, a file path, an issue key. Plain JSON. */
export type DeliveryHandle = Readonly<Record<string, string>>;

/**
 * What is to be told of an incident. Its contents follow each other in this order; each edits or answers the post of those before.
 * - `first-look`: the analyst's verdict, while an agent is at work.
 * - `report`: the result of the investigation.
 * - `update`: a later look changed the verdict, the incident grew, somebody took it on, or others joined it: the newest report, and why.
 * - `resolved`: the last alert is over.
 */
export type DeliveryContent =
  | { readonly kind: 'first-look'; readonly incident: Incident; readonly report: Report }
  | { readonly kind: 'report'; readonly incident: Incident; readonly report: Report }
  | {
      readonly kind: 'update';
      readonly incident: Incident;
      readonly report: Report;
      readonly news: string;
      /** Of the outbox: nothing about the incident is new, but somebody has to know that another destination was not told. */
      readonly isNotice?: true;
    }
  | { readonly kind: 'resolved'; readonly incident: Incident; readonly report: Report; readonly resolvedAtMs: number };
export type ContentKind = DeliveryContent['kind'];

/** One thing to be told of a subject (an incident, or a storm). Updates of an incident, and editions of a storm's summary, are numbered from 1. */
export type ContentName = IncidentContentName | StormContentName | NoticeName;
export type IncidentContentName = 'first-look' | 'report' | `update-${number}` | 'resolved';
export type StormContentName = `storm-${number}`;
/** An update of the outbox's own: what was told here could not be told elsewhere. */
export type NoticeName = `notice-${number}`;

/** What a destination is given under this name. */
export function kindOf(name: ContentName): ContentKind | 'storm' {
  const kind = name.replace(/-\d+$/, '');
  return kind === 'notice' ? 'update' : (kind as ContentKind | 'storm');
}

export type DeliveryResult =
  | { readonly outcome: 'ok'; readonly handle?: DeliveryHandle }
  /** `posted: 'no'` when this attempt surely posted nothing; otherwise the next one has to look for its marker first. */
  | { readonly outcome: 'retry'; readonly reason: string; readonly afterMs?: number; readonly posted?: 'no' }
  | { readonly outcome: 'give-up'; readonly reason: string };

export interface DeliveryContext {
  /** Unique a (subject, content name, destination); the same over all retries. Posts carry it so that they can be found. */
  readonly marker: string;
  /** Of the newest post about the same subject that an earlier content left here; undefined when there is none. */
  readonly handle: DeliveryHandle | undefined;
  /** True when an earlier attempt may have posted without confirming: look for `marker` before posting again. */
  readonly mayHavePosted: boolean;
  readonly turns: Turns;
  readonly signal: AbortSignal;
}

/** For places that take one post in a while, whoever posts it. Shared by all workers. */
export interface Turns {
  /** 0: go ahead, and nobody else does for `everyMs`. Otherwise the ms until somebody may; ask again then. */
  take(place: string, everyMs: number): Promise<number>;
  /** The other side wants to be left alone: nobody goes ahead for so long. */
  pause(place: string, forMs: number): Promise<void>;
}

/** Where reports go. Never throws for an answer of the other side; a thrown error counts as `retry`. */
export interface Destination {
  readonly name: string;
  /** What it can show. Of others it is not told: a note that cannot be edited gets no first look. */
  readonly tells: readonly ContentKind[];
  /** False for incidents that have no place here, such as a note on a PagerDuty incident for an alert that PagerDuty did not send. Absent: all. */
  accepts?(incident: Incident): boolean;
  deliver(content: DeliveryContent, context: DeliveryContext): Promise<DeliveryResult>;
  /** Posts the summary of a storm, or edits the one it posted. Absent: storms are not told here. */
  deliverStorm?(storm: StormSummary, context: DeliveryContext): Promise<DeliveryResult>;
  check(signal: AbortSignal): Promise<CheckResult>;
}

/** `superseded`: a later content of the same subject was told instead. */
export type DeliveryState = 'pending' | 'posting' | 'delivered' | 'gave-up' | 'superseded';
export interface DeliveryRecord {
  readonly destination: string;
  readonly content: ContentName;
  readonly state: DeliveryState;
  readonly attempts: number;
  readonly reason: string | undefined;
  readonly handle: DeliveryHandle | undefined;
  readonly updatedAtMs: number;
  /** Of a pending one: not tried before. Absent when nothing holds it back. */
  readonly dueAtMs?: number;
}
