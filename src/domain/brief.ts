import type { Evidence } from './evidence.ts';
import type { ProbeAnswers } from './probe-answer.ts';
import type { RootCauseType } from './root-cause-type.ts';
import type { Gap } from './telemetry.ts';

export const TELEMETRY_KINDS = ['metrics', 'logs', 'events', 'changes', 'traces'] as const;
export type TelemetryKind = (typeof TELEMETRY_KINDS)[number];

/** Why a suspect is suspected: one physical effect, measured. */
export interface SuspectReason {
  /** Evidence type of the ranker: `share`, `edge`, `trace`, `cpu`, `memory`, `limit`, `new-error`, `blame`, `missing-line`, `object`, `gone`, `generic`, … */
  readonly type: string;
  /** Weighted contribution to the score. */
  readonly score: number;
  readonly statement: string;
  readonly evidenceIds: readonly string[];
}

/** A service with a score and the evidence that put it there. */
export interface Suspect {
  readonly service: string;
  readonly score: number;
  readonly rootCauseType: RootCauseType;
  readonly reasons: readonly SuspectReason[];
  /** Of the first suspect: the reasons that name its type, most telling first. */
  readonly mechanism?: readonly SuspectReason[];
  /** Of the first suspect: the change shortly before the onset that may have set it off. */
  readonly trigger?: SuspectReason;
}

/** Result of the deterministic ranker. `suspects` is sorted, best first, and covers every known service. */
export interface Ranking {
  readonly suspects: readonly Suspect[];
  /** 0.05–0.95 for the first suspect; 0 when nothing is anomalous or there is no data. */
  readonly confidence: number;
  readonly confidenceReasons: readonly string[];
  /** What could not be weighed, because it was not there: holds whoever is suspected. Absent: nothing. */
  readonly blindSpots?: readonly string[];
}

/** What probes answered; the evidence of each finding stands in the brief. */
export interface Probed {
  readonly answers: ProbeAnswers;
  /** Ids of the evidence of `findingsOf(answers)`, in their order. */
  readonly findingIds: readonly string[];
}

/** The funnel's output: the bounded context handed to the agent. */
export interface Brief {
  readonly text: string;
  /** Estimated tokens of `text` (see funnel/tokens.ts); never above the budget it was built with. */
  readonly tokens: number;
  readonly rawTokens: number;
  readonly ranking: Ranking;
  /** Every evidence item, also those cut from the text. */
  readonly evidence: readonly Evidence[];
  readonly gaps: readonly Gap[];
  /** Kinds of telemetry that were read, in words. Absent: not known. */
  readonly kindsRead?: readonly TelemetryKind[];
  /** Of a scheduled check: ids of the evidence that forbids the word healthy, most telling first. */
  readonly trouble?: readonly string[];
  /** Of a scheduled check: what its probes answered. */
  readonly probed?: Probed;
  /** Services from the first suspect along its callers to the alerting one, both included. Absent when no such path is known. */
  readonly callPath?: readonly string[];
  /** Ids of the evidence that the alert's own expression is, when a provider read it. */
  readonly alertMetricIds?: readonly string[];
  /** Id of the evidence that the alert itself is: what the last link of a causal chain rests on. Absent for scheduled checks. */
  readonly alertEvidenceId?: string;
}
