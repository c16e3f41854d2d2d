import { runAgent, type AgentResult } from '../agent/run-agent.ts';
import type { Model } from '../agent/model.ts';
import type { Brief } from '../domain/brief.ts';
import type { Incident } from '../domain/incident.ts';
import type { TimeWindow } from '../domain/provider.ts';
import type { TelemetryProvider } from '../domain/provider.ts';
import type { Conclusion, Report } from '../domain/report.ts';
import { NO_USAGE, type Session, type TranscriptEntry } from '../domain/session.ts';
import type { Evidence } from '../domain/evidence.ts';
import type { Telemetry } from '../domain/telemetry.ts';
import { analyse } from '../funnel/analyst/analyse.ts';
import type { DistilOptions } from '../funnel/distil.ts';
import { verifyConclusion } from './verify.ts';
import { sessionId, writeReport } from './write-report.ts';

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
  readonly gather: (incident: Incident, window: TimeWindow, signal: AbortSignal) => Promise<Telemetry>;
  /** The funnel, in a thread of its own or inline. */
  readonly distil: (incident: Incident, telemetry: Telemetry, options: DistilOptions) => Promise<Brief>;
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
}

/** How much after the trigger may be read: enough for four samples of a slow scrape, not the next day. */
const AFTER_TRIGGER_MS = 30 * 60_000;
/** The window asks for this much beyond "now", so that the sample being scraped is included. */
const MIN_AFTER_TRIGGER_MS = 60_000;

/** The window that telemetry is read in. Computed here and nowhere else, from the trigger, in UTC. */
export function telemetryWindow(incident: Incident, nowMs: number, baselineMs: number): TimeWindow {
  const latest = Math.max(nowMs, incident.startsAtMs + MIN_AFTER_TRIGGER_MS);
  return {
    fromMs: incident.startsAtMs - baselineMs,
    toMs: Math.min(latest, incident.startsAtMs + AFTER_TRIGGER_MS),
  };
}

/**
 * One investigation: gather → distil → agent (or analyst) → verify → report. A report always comes out: a dead provider is a gap, a failing model
 * leaves the analyst's verdict with the reason. Rejects only when `signal` is aborted or on a bug.
 */
export async function investigate(
  incident: Incident,
  parts: InvestigationParts,
  signal: AbortSignal,
): Promise<Investigation> {
  const { limits, now } = parts;
  const startedAtMs = now();
  const deadline = AbortSignal.any([signal, AbortSignal.timeout(limits.timeoutMs)]);
  const window = telemetryWindow(incident, startedAtMs, limits.baselineMs);
  const stages: Record<string, number> = {};
  const timed = async <T>(stage: Stage, work: () => Promise<T>): Promise<T> => {
    const beganMs = now();
    const result = await work();
    stages[stage] = now() - beganMs;
    return result;
  };

  const telemetry = await timed('gather', () => parts.gather(incident, window, deadline));
  signal.throwIfAborted();
  parts.onProgress?.('gather', summariseTelemetry(telemetry));

  const brief = await timed('distil', () =>
    parts.distil(incident, telemetry, { tokenBudget: limits.tokenBudget, eventWindowMs: limits.eventWindowMs }),
  );
  signal.throwIfAborted();
  parts.onProgress?.('distil', `${brief.rawTokens} raw tokens → brief of ${brief.tokens}`);

  const services = new Set(brief.ranking.suspects.map((suspect) => suspect.service));
  const verify = (conclusion: Conclusion, evidence: readonly Evidence[]) =>
    verifyConclusion(conclusion, evidence, services);

  const agent = await askAgent(incident, brief, window, startedAtMs, parts, verify, deadline, timed);
  signal.throwIfAborted();
  const concluded = agent?.kind === 'concluded' ? agent : undefined;
  const verdict = concluded
    ? { mode: 'agent' as const, conclusion: concluded.conclusion, evidence: concluded.evidence }
    : await timed('analyst', async () => ({
        mode: 'analyst' as const,
        conclusion: verify(analyse(incident, brief), brief.evidence).conclusion,
        evidence: brief.evidence,
      }));

  const finishedAtMs = now();
  const modelOff = 'off' in parts.model ? parts.model.off : undefined;
  const terminationReason = agent?.terminationReason ?? 'no_model';
  const gaps = [
    ...brief.gaps.map((gap) => `${gap.source}: ${gap.message}`),
    ...(agent?.gaps ?? []).map((gap) => `${gap.source}: ${gap.message}`),
    ...(agent?.removed ?? []).map((claim) => `removed by the check of citations: ${claim}`),
    ...(modelOff === undefined ? [] : [`no model: ${modelOff}; this is the offline analyst's report`]),
    ...(agent?.kind === 'failed' ? [`model: ${agent.reason}; this is the offline analyst's report`] : []),
  ];
  const usage = agent?.usage ?? NO_USAGE;
  const report = writeReport(
    {
      incident,
      ...verdict,
      gaps,
      usage,
      model: agent?.model ?? null,
      briefTokens: brief.tokens,
      rawTokens: brief.rawTokens,
      stages,
      durationMs: finishedAtMs - startedAtMs,
      terminationReason,
      generatedAtMs: finishedAtMs,
    },
    parts.redact,
  );
  const session: Session = {
    id: sessionId(incident.id),
    incidentId: incident.id,
    startedAtMs,
    finishedAtMs,
    brief: parts.redact(brief.text),
    entries: (agent?.entries ?? []).map((entry) => redactEntry(entry, parts.redact)),
    usage,
    terminationReason,
  };
  return { report, session };
}

async function askAgent(
  incident: Incident,
  brief: Brief,
  window: TimeWindow,
  startedAtMs: number,
  parts: InvestigationParts,
  verify: (conclusion: Conclusion, evidence: readonly Evidence[]) => ReturnType<typeof verifyConclusion>,
  signal: AbortSignal,
  timed: <T>(stage: Stage, work: () => Promise<T>) => Promise<T>,
): Promise<AgentResult | undefined> {
  const { model, limits, onProgress } = parts;
  if ('off' in model) return undefined;
  return timed('agent', () =>
    runAgent({
      incident,
      brief,
      providers: parts.providers,
      model,
      window,
      limits: {
        maxTurns: limits.maxTurns,
        maxTokens: limits.maxTokens,
        maxOutputTokens: limits.maxOutputTokens,
        maxToolCalls: limits.maxTurns * 4,
        deadlineMs: startedAtMs + limits.timeoutMs,
      },
      now: parts.now,
      redact: parts.redact,
      nonce: parts.nonce(),
      signal,
      verify,
      ...(onProgress ? { onProgress: (line: string) => onProgress('agent', line) } : {}),
    }),
  );
}

function redactEntry(entry: TranscriptEntry, redact: (text: string) => string): TranscriptEntry {
  return { ...entry, text: redact(entry.text) };
}

/** What was read, in one line for the progress display. */
function summariseTelemetry(telemetry: Telemetry): string {
  const counts: readonly [count: number, singular: string, plural: string][] = [
    [telemetry.series.length, 'series', 'series'],
    [telemetry.logs.length, 'log line', 'log lines'],
    [telemetry.spans.length, 'span', 'spans'],
    [telemetry.events.length, 'event', 'events'],
    [telemetry.objects.length, 'object', 'objects'],
    [telemetry.changes.length, 'change', 'changes'],
    [telemetry.gaps.length, 'gap', 'gaps'],
  ];
  const words = counts.flatMap(([count, singular, plural]) =>
    count > 0 ? [`${count} ${count === 1 ? singular : plural}`] : [],
  );
  return words.join(', ') || 'nothing';
}
