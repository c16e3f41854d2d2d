import { Ledger } from '../agent/ledger.ts';
import { runMainAgent } from '../agent/main-agent.ts';
import type { AgentResult } from '../agent/run-agent.ts';
import type { Model } from '../agent/model.ts';
import type { Brief } from '../domain/brief.ts';
import type { Incident } from '../domain/incident.ts';
import type { Look } from '../domain/look.ts';
import type { GatherWindow, TelemetryProvider } from '../domain/provider.ts';
import type { Conclusion, Report } from '../domain/report.ts';
import { NO_USAGE, type Session } from '../domain/session.ts';
import type { Gap, Telemetry } from '../domain/telemetry.ts';
import { analyse } from '../funnel/analyst/analyse.ts';
import type { DistilOptions } from '../funnel/distil.ts';
import { compareLooks } from './compare-looks.ts';
import { takeLook } from './take-look.ts';
import { telemetryWindow } from './telemetry-window.ts';
import { tellGaps } from './tell-gaps.ts';
import { verifyAgainst } from './verify-against.ts';
import { latestTime, summariseTelemetry } from './what-was-read.ts';
import { reportId, sessionId, writeReport, type ReportInput } from './write-report.ts';

type Verdict = Pick<ReportInput, 'mode' | 'conclusion' | 'evidence'>;

/** Stage names in the order they run; the keys of `usage.stages` in the report. */
export type Stage = 'gather' | 'distil' | 'agent' | 'analyst';

export interface InvestigationLimits {
  readonly baselineMs: number;
  readonly eventWindowMs: number;
  readonly tokenBudget: number;
  /** The whole investigation, from its start. */
  readonly timeoutMs: number;
  readonly maxTurns: number;
  readonly maxTokens: number;
  readonly maxOutputTokens: number;
}

export interface InvestigationParts {
  readonly providers: readonly TelemetryProvider[];
  readonly gather: (incident: Incident, window: GatherWindow, signal: AbortSignal) => Promise<Telemetry>;
  /** The funnel, in a thread of its own or inline. A thread ends when `signal` aborts. */
  readonly distil: (
    incident: Incident,
    telemetry: Telemetry,
    options: DistilOptions,
    signal: AbortSignal,
  ) => Promise<Brief>;
  /** A model, or the reason why there is none, in words for the report. */
  readonly model: Model | { readonly off: string };
  readonly limits: InvestigationLimits;
  readonly now: () => number;
  readonly redact: (text: string) => string;
  /** A fresh unguessable word an investigation, for fencing untrusted text. */
  readonly nonce: () => string;
  readonly onProgress?: (stage: Stage, line: string) => void;
}

export interface Investigation {
  readonly report: Report;
  readonly session: Session;
  /** For a second look to compare itself with. */
  readonly look: Look;
}

/** More in one turn is a fishing trip. */
const TOOL_CALLS_PER_TURN = 4;

const NO_PROVIDER: Gap = { source: 'telemetry', message: 'no telemetry provider is configured: set PROMETHEUS_URL' };

/** One investigation at work: what it is about, its parts, and where its time goes. */
interface Run {
  readonly incident: Incident;
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
}

/**
 * One investigation: gather → distil → agent (or analyst) → verify → report. A report always comes out: a dead provider is a gap, a failing model
 * leaves the analyst's verdict with the reason. With the look of an earlier investigation of the same incident, the report says what has
 * changed since. Rejects only when `signal` is aborted or on a bug.
 */
export async function investigate(
  incident: Incident,
  parts: InvestigationParts,
  signal: AbortSignal,
  earlier?: Look,
): Promise<Investigation> {
  const run = startRun(incident, parts, signal, earlier);
  const { brief, seenUntilMs } = await readBrief(run);
  signal.throwIfAborted();
  const agent = await askAgent(run, brief);
  signal.throwIfAborted();
  const verdict = agent?.kind === 'concluded' ? agentVerdict(agent) : await askAnalyst(run, brief);
  return record(run, { brief, agent, verdict, seenUntilMs });
}

function startRun(incident: Incident, parts: InvestigationParts, signal: AbortSignal, earlier: Look | undefined): Run {
  const startedAtMs = parts.now();
  return {
    incident,
    parts,
    startedAtMs,
    window: telemetryWindow(incident, startedAtMs, parts.limits.baselineMs),
    signal,
    deadline: AbortSignal.any([signal, AbortSignal.timeout(parts.limits.timeoutMs)]),
    stages: {},
    earlier,
  };
}

async function timed<T>({ parts, stages }: Run, stage: Stage, work: () => T | Promise<T>): Promise<T> {
  const beganMs = parts.now();
  const result = await work();
  stages[stage] = parts.now() - beganMs;
  return result;
}

/** The telemetry lives no longer than this: a million lines need not wait in memory for the model's answers. */
async function readBrief(run: Run): Promise<Pick<Outcome, 'brief' | 'seenUntilMs'>> {
  const telemetry = await gather(run);
  run.signal.throwIfAborted();
  const brief = await distil(run, telemetry);
  return { brief, seenUntilMs: latestTime(telemetry, run.window.toMs) };
}

async function gather(run: Run): Promise<Telemetry> {
  const { incident, parts, window, deadline } = run;
  const read = await timed(run, 'gather', () => parts.gather(incident, window, deadline));
  const isBlind = parts.providers.length === 0 && read.rawCharacters === 0;
  const telemetry = isBlind ? { ...read, gaps: [...read.gaps, NO_PROVIDER] } : read;
  parts.onProgress?.('gather', summariseTelemetry(telemetry));
  return telemetry;
}

async function distil(run: Run, telemetry: Telemetry): Promise<Brief> {
  const { tokenBudget, eventWindowMs } = run.parts.limits;
  const brief = await timed(run, 'distil', () =>
    run.parts.distil(run.incident, telemetry, { tokenBudget, eventWindowMs }, run.signal),
  );
  run.parts.onProgress?.('distil', `${brief.rawTokens} raw tokens → brief of ${brief.tokens}`);
  return brief;
}

/** What the model found, or why it found nothing; undefined when there is no model. */
async function askAgent(run: Run, brief: Brief): Promise<AgentResult<Conclusion> | undefined> {
  const { incident, parts, window, deadline: signal, startedAtMs } = run;
  const { model, limits, providers, now, redact, onProgress } = parts;
  if ('off' in model) return undefined;
  const allowance = {
    turns: limits.maxTurns,
    tokens: limits.maxTokens,
    toolCalls: limits.maxTurns * TOOL_CALLS_PER_TURN,
    costUsd: null,
    timeMs: startedAtMs + limits.timeoutMs - now(),
  };
  return timed(run, 'agent', () =>
    runMainAgent({
      id: sessionId(incident.id),
      incident,
      brief,
      toolbox: { providers },
      role: incident.kind === 'check' ? 'check' : 'alert',
      model,
      window,
      now,
      redact,
      signal,
      ledger: new Ledger({ allowance, now, priceUsd: model.priceUsd }),
      maxOutputTokens: limits.maxOutputTokens,
      nonce: parts.nonce(),
      verify: (conclusion, evidence) => verifyAgainst(brief, conclusion, evidence),
      ...(onProgress ? { onProgress: (line: string) => onProgress('agent', line) } : {}),
    }),
  );
}

function agentVerdict({ value, evidence }: AgentResult<Conclusion> & { kind: 'concluded' }): Verdict {
  return { mode: 'agent', conclusion: value, evidence };
}

function askAnalyst(run: Run, brief: Brief): Promise<Verdict> {
  return timed(run, 'analyst', () => {
    const { conclusion } = verifyAgainst(brief, analyse(run.incident, brief), brief.evidence);
    return { mode: 'analyst', conclusion, evidence: brief.evidence };
  });
}

interface Outcome {
  readonly brief: Brief;
  readonly agent: AgentResult<Conclusion> | undefined;
  readonly verdict: Verdict;
  readonly seenUntilMs: number | null;
}

function record(run: Run, { brief, agent, verdict, seenUntilMs }: Outcome): Investigation {
  const { incident, parts, startedAtMs, stages, earlier } = run;
  const finishedAtMs = parts.now();
  const look = takeLook(
    {
      conclusion: verdict.conclusion,
      ranking: brief.ranking,
      reportId: reportId(incident.id),
      generatedAtMs: finishedAtMs,
      seenUntilMs,
    },
    parts.redact,
  );
  const report = writeReport(
    {
      ...verdict,
      ...(earlier ? { revision: compareLooks(earlier, look) } : {}),
      incident,
      usage: agent?.usage ?? NO_USAGE,
      stages,
      terminationReason: terminationReasonOf(agent),
      gaps: tellGaps(parts.model, brief, agent),
      model: agent?.model ?? null,
      briefTokens: brief.tokens,
      rawTokens: brief.rawTokens,
      durationMs: finishedAtMs - startedAtMs,
      generatedAtMs: finishedAtMs,
    },
    parts.redact,
  );
  return { report, session: sessionOf(run, brief, agent, finishedAtMs), look };
}

function sessionOf(run: Run, brief: Brief, agent: AgentResult<Conclusion> | undefined, finishedAtMs: number): Session {
  const { incident, parts, startedAtMs } = run;
  return {
    id: sessionId(incident.id),
    incidentId: incident.id,
    startedAtMs,
    finishedAtMs,
    brief: parts.redact(brief.text),
    // Redacted by the agent as they were written.
    entries: agent?.entries ?? [],
    usage: agent?.usage ?? NO_USAGE,
    terminationReason: terminationReasonOf(agent),
  };
}

function terminationReasonOf(agent: AgentResult<Conclusion> | undefined): string {
  return agent?.terminationReason ?? 'no_model';
}
