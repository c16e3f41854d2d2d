import { NO_GUIDANCE } from '../agent/guidance.ts';
import type { Brief } from '../domain/brief.ts';
import type { Incident } from '../domain/incident.ts';
import type { Look } from '../domain/look.ts';
import type { ProbeAnswers } from '../domain/probe-answer.ts';
import type { Report } from '../domain/report.ts';
import type { Session } from '../domain/session.ts';
import type { Gap, Telemetry } from '../domain/telemetry.ts';
import { analyse } from '../funnel/analyst/analyse.ts';
import { concludeFound } from '../funnel/analyst/check-verdict.ts';
import { tokensOfProbes, withProbes } from '../funnel/brief/add-probes.ts';
import { agentVerdict, askAgent } from './ask-agent.ts';
import { asksNoModel, isSettled, settle, takeAnswers } from './check-run.ts';
import { withoutGuesses } from './checks/actions.ts';
import { STATE_VERSION, type InvestigationState } from './journal.ts';
import { recordFirstLook, recordInvestigation, type Verdict } from './record-investigation.ts';
import { timed, workedMs, type CompletedIncident, type InvestigationParts, type Known, type Run } from './run.ts';
import { telemetryWindow } from './telemetry-window.ts';
import { verifyAgainst } from './verify-against.ts';
import { latestTime, summariseTelemetry } from './what-was-read.ts';
import { writeDown } from './write-down.ts';
import { abortAfter } from '../domain/deadline.ts';

export interface Investigation {
  readonly report: Report;
  readonly session: Session;
  /** Of sub-agents that ran in this process; those that ran elsewhere are kept there. */
  readonly subSessions: readonly Session[];
  /** Of the verdict: for a second look to compare itself with. */
  readonly look: Look;
  /** Of the analyst's verdict on the same ranking; the same one when the analyst reports. */
  readonly analystLook: Look;
}

const NO_PROVIDER: Gap = { source: 'telemetry', message: 'no telemetry provider is configured: set PROMETHEUS_URL' };

/**
 * One investigation: complete the incident → answers of a check's probes → gather → distil → analyst's first look → agent → verify → report. A report always comes out: a dead provider is a gap, a failing
 * model leaves the analyst's verdict with the reason. With a journal it goes on where another process stopped: nothing is gathered or distilled twice, and no
 * answer of the model is paid for twice. With the look of an earlier investigation of the same incident, the report says what has changed since.
 * Rejects only when `signal` is aborted or on a bug.
 */
export async function investigate(
  incident: Incident,
  parts: InvestigationParts,
  signal: AbortSignal,
  earlier?: Look,
): Promise<Investigation> {
  const saved = await savedState(parts);
  const completed = (await parts.complete?.(incident, signal)) ?? { incident, gaps: [] };
  const run = startRun(completed, parts, { signal, earlier, saved });
  const answers = saved ? undefined : takeAnswers(run);
  if (isSettled(run, answers)) return recordSettled(run, answers);
  const read = saved ?? (await readBrief(run, answers));
  signal.throwIfAborted();
  const analyst = await askAnalyst(run, read.brief);
  if (asksNoModel(run, analyst))
    return recordInvestigation(run, { known: withoutAgents(run, read), agent: undefined, verdict: analyst, analyst });
  await tellFirstLook(run, read, analyst);
  const known = saved ?? (await prepareAgents(run, read));
  signal.throwIfAborted();
  const agent = await askAgent(run, known);
  signal.throwIfAborted();
  const verdict = (agent && agentVerdict(run, known, agent)) ?? analyst;
  return recordInvestigation(run, { known, agent, verdict, analyst });
}

/** Of a check that found nothing there is no more to read. */
function recordSettled(run: Run, answers: ProbeAnswers): Investigation {
  const { known, verdict } = settle(run, answers);
  return recordInvestigation(run, { known, agent: undefined, verdict, analyst: verdict });
}

function withoutAgents({ parts }: Run, read: Pick<Known, 'brief' | 'seenUntilMs'>): Known {
  return { ...read, nonce: parts.nonce(), guidance: NO_GUIDANCE, subAgents: [] };
}

/** What another process knew already. Without a model there is nothing to be gained from it. */
async function savedState({ journal, model, onProgress }: InvestigationParts): Promise<InvestigationState | undefined> {
  if (!journal || 'off' in model) return undefined;
  const state = await journal.load();
  if (state?.version !== STATE_VERSION) return undefined;
  onProgress?.('distil', 'going on with what another process gathered and distilled');
  return state;
}

interface Start {
  readonly signal: AbortSignal;
  readonly earlier: Look | undefined;
  readonly saved: InvestigationState | undefined;
}

function startRun(
  { incident, gaps }: CompletedIncident,
  parts: InvestigationParts,
  { signal, earlier, saved }: Start,
): Run {
  const { baselineMs, timeoutMs } = parts.limits;
  const startedAtMs = saved?.startedAtMs ?? parts.now();
  const stages = { ...saved?.stages };
  return {
    incident,
    gaps,
    parts,
    startedAtMs,
    window: saved?.window ?? telemetryWindow(incident, startedAtMs, baselineMs),
    signal,
    deadline: abortAfter(signal, Math.ceil(Math.max(0, timeoutMs - workedMs(stages)))),
    stages,
    earlier,
    subSessions: [],
    // Whoever goes on with what was written down comes after the first look.
    isFirstLookTold: saved !== undefined,
  };
}

async function tellFirstLook(run: Run, known: Pick<Known, 'brief' | 'seenUntilMs'>, analyst: Verdict): Promise<void> {
  const { model, onFirstLook } = run.parts;
  if (!onFirstLook || 'off' in model || run.isFirstLookTold) return;
  run.isFirstLookTold = true;
  await onFirstLook(recordFirstLook(run, known, analyst));
  run.signal.throwIfAborted();
}

/** What only agents need, after the first look: their tools and guidance. Written down, so that another process can go on. */
async function prepareAgents(run: Run, { brief: read, seenUntilMs }: Pick<Known, 'brief' | 'seenUntilMs'>) {
  const { incident, parts } = run;
  const isOff = 'off' in parts.model;
  const missing = isOff ? [] : ((await parts.equip?.()) ?? []);
  const brief = missing.length > 0 ? { ...read, gaps: [...read.gaps, ...missing] } : read;
  const guidance = isOff ? NO_GUIDANCE : await parts.guide(incident, brief);
  const known: Known = { brief, seenUntilMs, nonce: parts.nonce(), guidance, subAgents: [] };
  if (!isOff) await writeDown(run, known);
  return known;
}

/** The telemetry lives no longer than this: a million lines need not wait in memory for the model's answers. */
async function readBrief(run: Run, answers: ProbeAnswers | undefined): Promise<Pick<Known, 'brief' | 'seenUntilMs'>> {
  let early: Promise<void> | undefined;
  const telemetry = await gather(run, (soFar) => {
    early = lookEarly(run, soFar);
  });
  await early;
  run.signal.throwIfAborted();
  const brief = await distil(run, telemetry, answers);
  return { brief, seenUntilMs: latestTime(telemetry, run.window.toMs) };
}

/** A first look at what is there while a provider is waited for. When it fails, there is one at all of it. Never rejects. */
async function lookEarly(run: Run, soFar: Telemetry): Promise<void> {
  const { incident, parts, window, signal } = run;
  const { tokenBudget, eventWindowMs } = parts.limits;
  try {
    const telemetry = { ...soFar, gaps: [...run.gaps, ...soFar.gaps] };
    const brief = await parts.distil(incident, telemetry, { tokenBudget, eventWindowMs }, signal);
    await tellFirstLook(
      run,
      { brief, seenUntilMs: latestTime(telemetry, window.toMs) },
      analystVerdict(incident, brief),
    );
  } catch {
    // It is told of all that was read, or the investigation has been stopped and says so itself.
  }
}

async function gather(run: Run, onSoFar: (telemetry: Telemetry) => void): Promise<Telemetry> {
  const { incident, parts, window, deadline } = run;
  const tellsFirstLook = parts.onFirstLook !== undefined && !('off' in parts.model);
  const read = await timed(run, 'gather', () =>
    parts.gather(incident, window, deadline, tellsFirstLook ? onSoFar : undefined),
  );
  const isBlind = parts.toolbox.providers.length === 0 && read.rawCharacters === 0;
  const gaps = [...run.gaps, ...read.gaps, ...(isBlind ? [NO_PROVIDER] : [])];
  const telemetry = { ...read, gaps };
  parts.onProgress?.('gather', summariseTelemetry(telemetry));
  return telemetry;
}

/** What probes found stands before the rest, within the same budget. */
async function distil(run: Run, telemetry: Telemetry, answers: ProbeAnswers | undefined): Promise<Brief> {
  const { tokenBudget: whole, eventWindowMs } = run.parts.limits;
  const tokenBudget = answers ? whole - tokensOfProbes(answers, whole) : whole;
  const distilled = await timed(run, 'distil', () =>
    run.parts.distil(run.incident, telemetry, { tokenBudget, eventWindowMs }, run.signal),
  );
  const brief = answers ? withProbes(distilled, answers, whole) : distilled;
  run.parts.onProgress?.('distil', `${brief.rawTokens} raw tokens → brief of ${brief.tokens}`);
  return brief;
}

function askAnalyst(run: Run, brief: Brief): Promise<Verdict> {
  return timed(run, 'analyst', () => analystVerdict(run.incident, brief));
}

function analystVerdict(incident: Incident, brief: Brief): Verdict {
  const own = concludeFound(analyse(incident, brief), brief);
  const { conclusion } = verifyAgainst(incident, brief, own, brief.evidence);
  // The check may leave less of it than the analyst thought.
  return { mode: 'analyst', conclusion: withoutGuesses(conclusion).conclusion, evidence: brief.evidence };
}
