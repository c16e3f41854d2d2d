import type { EvidenceBook } from '../domain/evidence.ts';
import type { Gap } from '../domain/telemetry.ts';
import type { TraceSpan } from '../domain/tracing.ts';
import { AgentStop, cancelled, modelFailed, outOfBudget } from './agent-stop.ts';
import type { OutputContract } from './contract.ts';
import { estimateRequest } from './estimate-request.ts';
import type { Ledger } from './ledger.ts';
import {
  ModelError,
  type JsonSchema,
  type Model,
  type ModelRequest,
  type ModelResponse,
  type ModelTool,
} from './model.ts';
import type { Course } from './step.ts';
import type { Dispatch } from './tools/dispatch.ts';
import type { Transcript } from './transcript.ts';

/** What the passes of one run share. Only `modelName` and the course change; the parts with a memory are objects of their own. */
export interface AgentRun {
  readonly model: Model;
  readonly system: readonly string[];
  readonly tools: readonly ModelTool[];
  readonly dispatch: Dispatch;
  readonly transcript: Transcript;
  readonly ledger: Ledger;
  readonly book: EvidenceBook;
  readonly output: OutputContract<unknown>;
  readonly course: Course;
  readonly gaps: Gap[];
  readonly maxOutputTokens: number;
  readonly signal: AbortSignal;
  readonly progress: (line: string) => void;
  readonly trace: TraceSpan;
  modelName: string | null;
}

export type TurnOutcome =
  | { readonly kind: 'reply'; readonly response: ModelResponse }
  | { readonly kind: 'overflow' }
  /** The time for working turns ran out during the turn; the final turn's share is left. */
  | { readonly kind: 'late' };

/** Below this a failed turn is put down to the clock and not to the model. */
const NO_TIME_MS = 1000;

/** Everything one turn depends on, fixed at its start (SPEC A2): nothing that happens during the turn can change it. */
type TurnSnapshot = Readonly<
  Pick<ModelRequest, 'system' | 'tools' | 'messages' | 'toolChoice' | 'maxOutputTokens' | 'timeoutMs'>
> & {
  readonly jsonSchema?: JsonSchema;
};

/** A turn in which the model may call tools. Throws `AgentStop` when the run cannot go on. */
export async function takeWorkingTurn(run: AgentRun, maxOutputTokens: number): Promise<TurnOutcome> {
  return takeTurn(run, freezeTurn(run, { toolChoice: 'auto', maxOutputTokens, timeoutMs: run.ledger.workTimeLeftMs }));
}

/**
 * A turn that can only be answered with the result. The tools stay listed, because the transcript refers to them and because the cache
 * begins with them. Throws `AgentStop` when there is no budget left even for this.
 */
export async function takeFinalTurn(run: AgentRun, maxOutputTokens: number): Promise<ModelResponse> {
  const { jsonSchema } = run.output;
  const snapshot = freezeTurn(run, {
    toolChoice: 'none',
    maxOutputTokens,
    timeoutMs: run.ledger.timeLeftMs,
    jsonSchema,
  });
  const spent = run.ledger.spentForFinal({
    inputTokens: estimateRequest(snapshot),
    outputTokens: maxOutputTokens,
  });
  if (spent) throw outOfBudget(spent);
  const outcome = await takeTurn(run, snapshot);
  if (outcome.kind === 'reply') return outcome.response;
  if (outcome.kind === 'late') throw outOfBudget('deadline');
  throw new AgentStop(
    'overflow',
    'the request does not fit the context window of the model, even without older results',
  );
}

/** Estimated input of the next working turn. */
export function nextInputTokens(run: AgentRun): number {
  return estimateRequest({ system: run.system, tools: run.tools, messages: run.transcript.messages });
}

function freezeTurn(
  run: AgentRun,
  own: Pick<TurnSnapshot, 'toolChoice' | 'maxOutputTokens' | 'timeoutMs' | 'jsonSchema'>,
): TurnSnapshot {
  const { system, tools } = run;
  return Object.freeze({ system, tools, messages: Object.freeze(run.transcript.messages), ...own });
}

async function takeTurn(run: AgentRun, snapshot: TurnSnapshot): Promise<TurnOutcome> {
  if (run.signal.aborted) throw cancelled(run.signal, run.ledger.timeLeftMs);
  run.ledger.countTurn();
  try {
    const response = await complete(run, snapshot);
    run.ledger.countTokens(response.usage, estimateRequest(snapshot));
    run.modelName = response.model;
    if (response.stopReason === 'refusal') throw refused(response);
    return response.stopReason === 'overflow' ? { kind: 'overflow' } : { kind: 'reply', response };
  } catch (error) {
    if (!(error instanceof ModelError)) throw error;
    run.ledger.countTokens(error.usage, 0);
    if (run.signal.aborted) throw cancelled(run.signal, run.ledger.timeLeftMs, error);
    if (error.kind === 'overflow') return { kind: 'overflow' };
    const timeLeftMs = snapshot.toolChoice === 'auto' ? run.ledger.workTimeLeftMs : run.ledger.timeLeftMs;
    if (error.retryable && timeLeftMs <= NO_TIME_MS) return { kind: 'late' };
    throw modelFailed(error);
  }
}

function complete(run: AgentRun, snapshot: TurnSnapshot): Promise<ModelResponse> {
  return run.trace('turn', { turn: run.ledger.turns, model: run.model.id }, async (describe) => {
    const response = await run.model.complete({ ...snapshot, signal: run.signal });
    const { inputTokens, outputTokens, cacheReadTokens, cacheWriteTokens } = response.usage;
    describe({ inputTokens, outputTokens, cacheReadTokens, cacheWriteTokens, stopReason: response.stopReason });
    return response;
  });
}

/** The same text would be refused again: no retry. */
function refused(response: ModelResponse): AgentStop {
  const category = response.stopDetail ? ` (category ${response.stopDetail})` : '';
  return new AgentStop('refusal', `the model declined to work on this incident${category}`);
}
