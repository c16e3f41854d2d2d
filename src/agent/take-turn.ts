import type { Evidence, EvidenceBook } from '../domain/evidence.ts';
import type { Conclusion } from '../domain/report.ts';
import type { Verification } from '../domain/verification.ts';
import { AgentStop, cancelled, modelFailed, outOfBudget } from './agent-stop.ts';
import type { Budget } from './budget.ts';
import { estimateRequest } from './estimate-request.ts';
import {
  addTokens,
  ModelError,
  type JsonSchema,
  type Model,
  type ModelRequest,
  type ModelResponse,
  type ModelTool,
  type TokenUsage,
} from './model.ts';
import { SYSTEM_PROMPT } from './prompts.ts';
import type { Transcript } from './transcript.ts';

/** What the steps of one run share. Only `spent` and `modelName` change; the parts with a memory are objects of their own. */
export interface AgentRun {
  readonly model: Model;
  readonly tools: readonly ModelTool[];
  readonly transcript: Transcript;
  readonly budget: Budget;
  readonly book: EvidenceBook;
  readonly maxOutputTokens: number;
  readonly signal: AbortSignal;
  readonly progress: (line: string) => void;
  readonly verify: (conclusion: Conclusion, evidence: readonly Evidence[]) => Verification;
  spent: TokenUsage;
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
  const snapshot = freezeTurn(run, { toolChoice: 'auto', maxOutputTokens, timeoutMs: run.budget.workTimeLeftMs });
  return takeTurn(run, snapshot);
}

/**
 * A turn that can only be answered with a report. The tools stay listed, because the transcript refers to them and because the cache
 * begins with them. Throws `AgentStop` when there is no budget left even for this.
 */
export async function takeFinalTurn(
  run: AgentRun,
  maxOutputTokens: number,
  jsonSchema: JsonSchema,
): Promise<ModelResponse> {
  const timeoutMs = run.budget.timeLeftMs;
  const snapshot = freezeTurn(run, { toolChoice: 'none', maxOutputTokens, timeoutMs, jsonSchema });
  const spent = run.budget.spentForFinal(estimateRequest(snapshot), maxOutputTokens);
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
  return estimateRequest({ system: SYSTEM_PROMPT, tools: run.tools, messages: run.transcript.messages });
}

function freezeTurn(
  run: AgentRun,
  own: Pick<TurnSnapshot, 'toolChoice' | 'maxOutputTokens' | 'timeoutMs' | 'jsonSchema'>,
): TurnSnapshot {
  return Object.freeze({
    system: SYSTEM_PROMPT,
    tools: run.tools,
    messages: Object.freeze(run.transcript.messages),
    ...own,
  });
}

async function takeTurn(run: AgentRun, snapshot: TurnSnapshot): Promise<TurnOutcome> {
  if (run.signal.aborted) throw cancelled(run.signal, run.budget.timeLeftMs);
  run.budget.countTurn();
  try {
    const response = await run.model.complete({ ...snapshot, signal: run.signal });
    book(run, response.usage, estimateRequest(snapshot));
    run.modelName = response.model;
    if (response.stopReason === 'refusal') throw refused(response);
    return response.stopReason === 'overflow' ? { kind: 'overflow' } : { kind: 'reply', response };
  } catch (error) {
    if (!(error instanceof ModelError)) throw error;
    book(run, error.usage, 0);
    if (run.signal.aborted) throw cancelled(run.signal, run.budget.timeLeftMs, error);
    if (error.kind === 'overflow') return { kind: 'overflow' };
    const timeLeftMs = snapshot.toolChoice === 'auto' ? run.budget.workTimeLeftMs : run.budget.timeLeftMs;
    if (error.retryable && timeLeftMs <= NO_TIME_MS) return { kind: 'late' };
    throw modelFailed(error);
  }
}

function book(run: AgentRun, usage: TokenUsage, estimatedTokens: number): void {
  run.budget.countTokens(usage, estimatedTokens);
  run.spent = addTokens(run.spent, usage);
}

/** The same text would be refused again: no retry. */
function refused(response: ModelResponse): AgentStop {
  const category = response.stopDetail ? ` (category ${response.stopDetail})` : '';
  return new AgentStop('refusal', `the model declined to work on this incident${category}`);
}
