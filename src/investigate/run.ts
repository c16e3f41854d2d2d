import type { Guidance } from '../agent/guidance.ts';
import type { Model } from '../agent/model.ts';
import type { RunSubAgents } from '../agent/sub-agents/port.ts';
import type { Toolbox } from '../agent/toolbox.ts';
import type { Brief } from '../domain/brief.ts';
import type { Incident } from '../domain/incident.ts';
import type { Look } from '../domain/look.ts';
import type { GatherWindow } from '../domain/provider.ts';
import type { Report } from '../domain/report.ts';
import type { Session } from '../domain/session.ts';
import type { Gap, Telemetry } from '../domain/telemetry.ts';
import type { TraceSpan } from '../domain/tracing.ts';
import type { DistilOptions } from '../funnel/distil.ts';
import type { CheckPlan } from './check-run.ts';
import type { InvestigationState, Journal } from './journal.ts';

/** Stage names in the order they run; the keys of `usage.stages` in the report. */
export type Stage = 'probe' | 'gather' | 'distil' | 'agent' | 'analyst';

export interface InvestigationLimits {
  readonly baselineMs: number;
  readonly eventWindowMs: number;
  readonly tokenBudget: number;
  /** The whole investigation: wall clock of work, over all processes that work on it. */
  readonly timeoutMs: number;
  readonly maxTurns: number;
  readonly maxTokens: number;
  readonly maxOutputTokens: number;
  /** Of main agent and sub-agents together; null: not limited. */
  readonly maxCostUsd: number | null;
  /** The setting that `maxCostUsd` comes from, for people. */
  readonly costSetting?: string;
}

/** The analyst's verdict, while an agent is at work. */
export interface FirstLook {
  /** Its `stage` is `first_look`. */
  readonly report: Report;
  readonly look: Look;
}

export interface InvestigationParts {
  /** What agents may reach for, the telemetry providers among it. */
  readonly toolbox: Toolbox;
  /** Adds what the sender of the alert left out, and says what of that could not be read. Never rejects. Absent: incidents are whole. */
  readonly complete?: (incident: Incident, signal: AbortSignal) => Promise<CompletedIncident>;
  /** `onSoFar` is told, at most once, of what is there when some of it takes long: for a first look that does not wait. */
  readonly gather: (
    incident: Incident,
    window: GatherWindow,
    signal: AbortSignal,
    onSoFar?: (telemetry: Telemetry) => void,
  ) => Promise<Telemetry>;
  /** The funnel, in a thread of its own or inline. A thread ends when `signal` aborts. */
  readonly distil: (
    incident: Incident,
    telemetry: Telemetry,
    options: DistilOptions,
    signal: AbortSignal,
  ) => Promise<Brief>;
  /** Opens what only agents use, and says what of it is not there. Asked after the first look, which does not wait for it. Absent: nothing to open. */
  readonly equip?: () => Promise<readonly Gap[]>;
  /** What steers where the agent looks. Never rejects; asked once an investigation, when there is a model. */
  readonly guide: (incident: Incident, brief: Brief) => Promise<Guidance>;
  /** A model, or the reason why there is none, in words for the report. */
  readonly model: Model | { readonly off: string };
  readonly limits: InvestigationLimits;
  /** Runs sub-agents elsewhere and keeps their sessions. Default: in this process; their sessions are part of the result. */
  readonly runSubAgents?: RunSubAgents;
  /** Absent where nobody could go on with the investigation. */
  readonly journal?: Journal;
  readonly now: () => number;
  readonly redact: (text: string) => string;
  /** A fresh unguessable word an investigation, for fencing untrusted text. */
  readonly nonce: () => string;
  readonly onProgress?: (stage: Stage, line: string) => void;
  /**
   * Told of the analyst's verdict before a model is asked, and not told when none will be. Once an investigation, also over processes, unless one dies
   * over it. The model waits for it. Never rejects.
   */
  readonly onFirstLook?: (firstLook: FirstLook) => Promise<void>;
  /** Names session and sub-agents when an incident is investigated again. Default: the incident's id. */
  readonly workId?: string;
  /** Of scheduled checks. */
  readonly check?: CheckPlan;
  /** Absent: no spans. */
  readonly trace?: TraceSpan;
}

export interface CompletedIncident {
  readonly incident: Incident;
  readonly gaps: readonly Gap[];
}

/** One investigation at work: what it is about, its parts, and where its time goes. */
export interface Run extends CompletedIncident {
  readonly parts: InvestigationParts;
  readonly startedAtMs: number;
  readonly window: GatherWindow;
  /** Aborts when the caller gives up. */
  readonly signal: AbortSignal;
  /** Aborts then, and at the investigation's own deadline. */
  readonly deadline: AbortSignal;
  readonly stages: Record<string, number>;
  /** An earlier look at the same incident. */
  readonly earlier: Look | undefined;
  /** Of sub-agents that ran in this process. */
  readonly subSessions: Session[];
  isFirstLookTold: boolean;
}

/** Names the session and the orders of this run. */
export function workIdOf({ incident, parts }: Run): string {
  return parts.workId ?? incident.id;
}

/** What is known of the incident when the model is asked; `subAgents` grows. */
export type Known = Omit<InvestigationState, 'version' | 'stages' | 'startedAtMs' | 'window'>;

export async function timed<T>({ parts, stages }: Run, stage: Stage, work: () => T | Promise<T>): Promise<T> {
  const beganMs = parts.now();
  const result = await work();
  stages[stage] = Math.max(0, parts.now() - beganMs);
  return result;
}

/** Wall clock of work so far, all processes together. */
export function workedMs(stages: Readonly<Record<string, number>>): number {
  return Object.values(stages).reduce((total, ms) => total + ms, 0);
}
