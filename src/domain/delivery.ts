import type { CheckResult } from './check-result.ts';
import type { Incident } from './incident.ts';
import type { Report } from './report.ts';

/** Where the destination keeps the post: a Slack channel and ts, a file path, an issue key. Plain JSON. */
export type DeliveryHandle = Readonly<Record<string, string>>;

/** What is to be told. `resolved` follows the report of the same incident and answers or edits its post. */
export type DeliveryContent =
  | { readonly kind: 'report'; readonly incident: Incident; readonly report: Report }
  | { readonly kind: 'resolved'; readonly incident: Incident; readonly report: Report; readonly resolvedAtMs: number };

export type DeliveryResult =
  | { readonly outcome: 'ok'; readonly handle?: DeliveryHandle }
  /** `posted: 'no'` when this attempt surely posted nothing; otherwise the next one has to look for its marker first. */
  | { readonly outcome: 'retry'; readonly reason: string; readonly afterMs?: number; readonly posted?: 'no' }
  | { readonly outcome: 'give-up'; readonly reason: string };

export interface DeliveryContext {
  /** Unique a (content kind, incident, destination); the same over all retries. Posts carry it so that they can be found. */
  readonly marker: string;
  /** Of the report post of the same incident, for `resolved`. */
  readonly handle: DeliveryHandle | undefined;
  /** True when an earlier attempt may have posted without confirming: look for `marker` before posting again. */
  readonly mayHavePosted: boolean;
  readonly signal: AbortSignal;
}

/** Where reports go. Never throws for an answer of the other side; a thrown error counts as `retry`. */
export interface Destination {
  readonly name: string;
  deliver(content: DeliveryContent, context: DeliveryContext): Promise<DeliveryResult>;
  check(signal: AbortSignal): Promise<CheckResult>;
}

export type DeliveryState = 'pending' | 'posting' | 'delivered' | 'gave-up';
export interface DeliveryRecord {
  readonly destination: string;
  readonly content: DeliveryContent['kind'];
  readonly state: DeliveryState;
  readonly attempts: number;
  readonly reason: string | undefined;
  readonly handle: DeliveryHandle | undefined;
  readonly updatedAtMs: number;
}
