import type { Brief } from '../domain/brief.ts';
import { EvidenceBook, type Evidence } from '../domain/evidence.ts';
import type { Incident } from '../domain/incident.ts';
import type { TelemetryProvider, TimeWindow } from '../domain/provider.ts';
import type { Conclusion } from '../domain/report.ts';
import type { ModelUsage, TranscriptEntry } from '../domain/session.ts';
import type { Gap } from '../domain/telemetry.ts';
import type { Verification } from '../domain/verification.ts';
import { AgentStop, type TerminationReason } from './agent-stop.ts';
import { Budget, type AgentLimits } from './budget.ts';
import { NO_TOKENS, type Model } from './model.ts';
import { firstMessage, PROMPT_VERSION, SYSTEM_PROMPT } from './prompts.ts';
import { searchAndConclude } from './search.ts';
import type { AgentRun } from './take-turn.ts';
import { createDispatch } from './tools/dispatch.ts';
import { createTools } from './tools/index.ts';
import type { Tool } from './tools/tool.ts';
import { Transcript } from './transcript.ts';

export interface AgentInput {
  readonly incident: Incident;
  readonly brief: Brief;
  readonly providers: readonly TelemetryProvider[];
  readonly model: Model;
  /** The window the brief was made from. */
  readonly window: TimeWindow;
  readonly limits: AgentLimits;
  readonly now: () => number;
  readonly redact: (text: string) => string;
  /** Random per investigation; fences untrusted text. */
  readonly nonce: string;
  readonly signal: AbortSignal;
  readonly onProgress?: (line: string) => void;
  readonly verify: (conclusion: Conclusion, evidence: readonly Evidence[]) => Verification;
}

interface AgentRecord {
  /** The brief's evidence and what the tools found, ids continuing. */
  readonly evidence: readonly Evidence[];
  readonly usage: ModelUsage;
  readonly entries: readonly TranscriptEntry[];
  readonly terminationReason: TerminationReason;
  readonly gaps: readonly Gap[];
  /** What the verifier took out of the report, a sentence each. */
  readonly removed: readonly string[];
  /** Id of the model that answered last; null when none did. */
  readonly model: string | null;
}

export type AgentResult =
  | (AgentRecord & { readonly kind: 'concluded'; readonly conclusion: Conclusion })
  /** `reason` is a clause for people: what failed. What is done instead is the caller's to decide and to say. */
  | (AgentRecord & { readonly kind: 'failed'; readonly reason: string });

/**
 * Lets the model investigate with read-only tools within the limits, and has its report checked. Never throws but for a bug: whatever the
 * model, its API, a provider or the clock does ends in a result with its reason.
 */
export async function runAgent(input: AgentInput): Promise<AgentResult> {
  const gaps: Gap[] = [];
  const tools = createTools({ providers: input.providers }, 'alert');
  const run = startRun(input, tools);
  const record = (terminationReason: TerminationReason, removed: readonly string[]): AgentRecord => ({
    evidence: run.book.all(),
    usage: { turns: run.budget.turns, ...run.spent },
    entries: run.transcript.entries,
    terminationReason,
    gaps: gaps.map(({ source, message }) => ({ source, message: input.redact(message) })),
    removed,
    model: run.modelName,
  });
  const dispatch = dispatcherFor(input, tools, run.book);
  try {
    const { verification, terminationReason } = await searchAndConclude(run, dispatch, gaps);
    const { conclusion, removed } = verification;
    return { kind: 'concluded', conclusion, ...record(terminationReason, removed) };
  } catch (error) {
    if (!(error instanceof AgentStop)) throw error;
    run.progress(error.message);
    return { kind: 'failed', reason: input.redact(error.message), ...record(error.terminationReason, []) };
  }
}

function startRun(input: AgentInput, tools: readonly Tool[]): AgentRun {
  const transcript = new Transcript(input.redact, input.now);
  transcript.system(`[prompt version ${PROMPT_VERSION}]\n${SYSTEM_PROMPT}`);
  transcript.user(firstMessage({ ...input, maxTurns: input.limits.maxTurns }));
  return {
    model: input.model,
    tools: tools.map(({ name, description, inputSchema }) => ({ name, description, inputSchema })),
    transcript,
    budget: new Budget(input.limits, input.now),
    book: new EvidenceBook(input.brief.evidence),
    maxOutputTokens: input.limits.maxOutputTokens,
    signal: input.signal,
    progress: (line) => input.onProgress?.(input.redact(line)),
    verify: input.verify,
    spent: NO_TOKENS,
    modelName: null,
  };
}

function dispatcherFor(input: AgentInput, tools: readonly Tool[], book: EvidenceBook) {
  const { brief, window, now, redact, nonce } = input;
  const triggerMs = input.incident.startsAtMs;
  return createDispatch(tools, { triggerMs, window, brief, book, now }, { triggerMs, book, redact, nonce });
}
