import type { Evidence } from '../domain/evidence.ts';
import type { ModelUsage, TranscriptEntry } from '../domain/session.ts';
import type { Gap } from '../domain/telemetry.ts';
import { noTracing, type TraceSpan } from '../domain/tracing.ts';
import { AgentStop, noPrice, type TerminationReason } from './agent-stop.ts';
import type { CheckpointSlot } from './checkpoint.ts';
import type { OutputContract } from './contract.ts';
import { takeFinal, takeRepair } from './hand-in.ts';
import type { Ledger } from './ledger.ts';
import type { Model } from './model.ts';
import { answerTools, work } from './search.ts';
import { redactGaps, startRun, type StartedRun } from './start-run.ts';
import type { Ended, Step } from './step.ts';
import { parentOf } from './sub-agents/ids.ts';
import type { AgentRun } from './take-turn.ts';
import type { RunContext, Tool } from './tools/tool.ts';

export interface AgentInput<T> {
  readonly agent: 'main' | 'sub';
  /** Id of its session. */
  readonly id: string;
  readonly model: Model;
  /** Blocks of the system prompt. The first is the same bytes for every incident; a second may hold memory. */
  readonly system: readonly string[];
  /** The first message: redacted, and what others wrote in it fenced with `nonce`. */
  readonly opening: string;
  /** All that this agent may call, and nothing else can be called. */
  readonly tools: readonly Tool[];
  /** Names of the sources that the tools can ask. */
  readonly sources?: readonly string[];
  readonly context: RunContext;
  readonly output: OutputContract<T>;
  readonly ledger: Ledger;
  /** Of one turn. */
  readonly maxOutputTokens: number;
  readonly checkpoint?: CheckpointSlot;
  readonly now: () => number;
  readonly redact: (text: string) => string;
  /** Random per investigation; fences untrusted text. */
  readonly nonce: string;
  readonly signal: AbortSignal;
  readonly onProgress?: (line: string) => void;
  readonly trace?: TraceSpan;
}

interface AgentRecord {
  /** Everything in the book: the brief's evidence and what the tools found. */
  readonly evidence: readonly Evidence[];
  /** Of this agent alone; what sub-agents used stands in the ledger. */
  readonly usage: ModelUsage;
  readonly toolCalls: number;
  readonly entries: readonly TranscriptEntry[];
  readonly terminationReason: TerminationReason;
  readonly gaps: readonly Gap[];
  /** What was taken out of the result, a sentence each. */
  readonly removed: readonly string[];
  /** Id of the model that answered last; null when none did. */
  readonly model: string | null;
}

export type AgentResult<T> =
  | (AgentRecord & { readonly kind: 'concluded'; readonly value: T })
  /** `reason` is a clause for people: what failed. What is done instead is the caller's to decide and to say. */
  | (AgentRecord & { readonly kind: 'failed'; readonly reason: string });

/**
 * Lets a model work with read-only tools within the ledger, and has its result checked. With a checkpoint it goes on where an earlier process stopped:
 * no answered call of the model is made again. Never throws but for a bug: whatever the model, its API, a provider or the clock does ends in a result
 * with its reason.
 */
export async function runAgent<T>(input: AgentInput<T>): Promise<AgentResult<T>> {
  const { agent, id, model, trace = noTracing } = input;
  const facts = { agent, session: id, conversation: parentOf(id) ?? id, model: model.id };
  return trace('agent', facts, async (describe) => {
    const { run, step, save } = await startRun(input);
    const ended = await drive(run, step, save);
    // Of a run that had ended in another process that is told already.
    const repair = step.kind !== 'ended' && ended.repair ? { repair: ended.repair } : {};
    describe({ terminationReason: ended.terminationReason, turns: run.ledger.turns, ...repair });
    return toResult(input, run, ended);
  });
}

/** Takes steps until there is none left. Each turn is taken off the ledger, which has only so many: the loop ends. */
async function drive(run: AgentRun, first: Step, save: StartedRun['save']): Promise<Ended> {
  let step = first;
  while (step.kind !== 'ended') {
    step = await take(run, step);
    // Who is stopped from outside goes on from the step before.
    if (step.kind !== 'ended' || step.terminationReason !== 'aborted') await save(step);
  }
  return step;
}

/** One pass: at most one call of the model, or one batch of tools. */
async function take(run: AgentRun, step: Exclude<Step, Ended>): Promise<Step> {
  try {
    if (!run.ledger.canKeepCost) throw noPrice(run.model.id);
    switch (step.kind) {
      case 'work':
        return await work(run);
      case 'tools':
        return await answerTools(run, step.uses);
      case 'final':
        return await takeFinal(run, step);
      case 'repair':
        return await takeRepair(run, step);
      default:
        return step satisfies never;
    }
  } catch (error) {
    if (!(error instanceof AgentStop)) throw error;
    run.progress(error.message);
    const { terminationReason, message: failed } = error;
    const repair = step.kind === 'repair' && terminationReason !== 'aborted' ? { repair: 'failed' as const } : {};
    return { kind: 'ended', terminationReason, failed, ...repair };
  }
}

function toResult<T>(input: AgentInput<T>, run: AgentRun, ended: Ended): AgentResult<T> {
  const record = {
    evidence: run.book.all(),
    usage: run.ledger.usage,
    toolCalls: run.ledger.toolCalls,
    entries: run.transcript.entries,
    terminationReason: ended.terminationReason,
    gaps: redactGaps(run.gaps, input.redact),
    model: run.modelName,
  };
  if ('failed' in ended) return { kind: 'failed', reason: input.redact(ended.failed), removed: [], ...record };
  // The contract has judged it, here or in the process that this run was resumed from: the fingerprint holds its schema.
  return { kind: 'concluded', value: ended.value as T, removed: ended.removed, ...record };
}
