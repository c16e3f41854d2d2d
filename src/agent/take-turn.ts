import type { EvidenceBook } from '../domain/evidence.ts';
import type { Gap } from '../domain/telemetry.ts';
import type { TraceSpan } from '../domain/tracing.ts';
import { AgentStop, cancelled, modelFailed, outOfBudget, tooLarge } from './agent-stop.ts';
import type { OutputContract } from './contract.ts';
import { estimateRequest } from './estimate-request.ts';
import type { Ledger, SpentBudget } from './ledger.ts';
import {
  ModelError,
  type JsonSchema,
  type Model,
  type ModelMessage,
  type ModelRequest,
  type ModelResponse,
  type ModelTool,
} from './model.ts';
import { beginTurn, type TurnSnapshot } from './state/turn-snapshot.ts';
import type { Course } from './step.ts';
import type { Dispatch } from './tools/dispatch.ts';
import type { Transcript } from './transcript.ts';

/** What the passes of one run share. Only `modelName` and the course change; the parts with a memory are objects of their own. */
export interface AgentRun {
  readonly model: Model;
  readonly system: readonly string[];
  readonly tools: readonly ModelTool[];
  /** Names of the sources that its tools can ask. */
  readonly sources: readonly string[];
  readonly workingFacts: Readonly<Record<string, string>>;
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
  /** `lastObservation`: the result that the model had not yet answered to. */
  | { readonly kind: 'overflow'; readonly lastObservation: string | null }
  /** The time for working turns ran out during the turn; the final turn's share is left. */
  | { readonly kind: 'late' };

/** Below this a failed turn is put down to the clock and not to the model. */
const NO_TIME_MS = 1000;

/** How a turn is asked for; all else comes from the run. */
interface Asking {
  readonly toolChoice: ModelRequest['toolChoice'];
  readonly maxOutputTokens: number;
  readonly timeoutMs: number;
  readonly jsonSchema?: JsonSchema;
}

/** A turn in which the model may call tools. Throws `AgentStop` when the run cannot go on. */
export async function takeWorkingTurn(run: AgentRun, maxOutputTokens: number): Promise<TurnOutcome> {
  return takeTurn(run, { toolChoice: 'auto', maxOutputTokens, timeoutMs: run.ledger.workTimeLeftMs });
}

/**
 * A turn that can only be answered with the result. The tools stay listed, because the transcript refers to them and because the cache
 * begins with them. Throws `AgentStop` when there is no budget left even for this.
 */
export async function takeFinalTurn(run: AgentRun, maxOutputTokens: number): Promise<ModelResponse> {
  const { jsonSchema } = run.output;
  const spent = spentForFinal(run, maxOutputTokens);
  if (spent) throw outOfBudget(spent);
  const timeoutMs = run.ledger.timeLeftMs;
  const outcome = await takeTurn(run, { toolChoice: 'none', maxOutputTokens, timeoutMs, jsonSchema });
  if (outcome.kind === 'reply') return outcome.response;
  if (outcome.kind === 'late') throw outOfBudget('deadline');
  throw tooLarge();
}

/** The budget that does not allow a final turn, by the transcript as it is. */
export function spentForFinal(run: AgentRun, maxOutputTokens: number): SpentBudget | undefined {
  const { system, tools, output } = run;
  const request = { system, tools, messages: run.transcript.messages, jsonSchema: output.jsonSchema };
  return run.ledger.spentForFinal({ inputTokens: estimated(run, request), outputTokens: maxOutputTokens });
}

/** Estimated input of the next working turn. */
export function nextInputTokens(run: AgentRun): number {
  return estimated(run, { system: run.system, tools: run.tools, messages: run.transcript.messages });
}

function estimated({ model }: AgentRun, request: Parameters<typeof estimateRequest>[0]): number {
  return Math.ceil(estimateRequest(request) * (model.tokenFactor?.() ?? 1));
}

/** SPEC A2, A4: everything the turn depends on is fixed before anything happens in it. */
function snapshotOf(run: AgentRun): TurnSnapshot<ModelMessage, ModelTool> {
  const { transcript, ledger, course } = run;
  const { recoveryNote } = course;
  course.recoveryNote = null;
  if (recoveryNote !== null) transcript.remark(recoveryNote);
  return beginTurn(transcript.conversation, {
    text: transcript.pendingText,
    sent: transcript.messages,
    sources: run.sources,
    tools: run.tools,
    systemPrompt: run.system,
    iterationCap: ledger.maxTurns,
    budgets: { turnsLeft: ledger.turnsLeft, toolCallsLeft: ledger.toolCallsLeft, timeLeftMs: ledger.timeLeftMs },
    model: run.model.id,
    workingFacts: run.workingFacts,
    recoveryNote,
  });
}

async function takeTurn(run: AgentRun, asking: Asking): Promise<TurnOutcome> {
  const { ledger, signal } = run;
  if (signal.aborted) throw cancelled(signal, ledger.timeLeftMs);
  const snapshot = snapshotOf(run);
  const note = snapshot.recoveryNote === null ? [] : [{ role: 'user' as const, text: snapshot.recoveryNote }];
  const { systemPrompt: system, tools, sent } = snapshot;
  const request: ModelRequest = { system, tools, messages: [...sent, ...note], ...asking, signal };
  ledger.countTurn();
  try {
    const response = await complete(run, request);
    ledger.countTokens(response.usage, estimated(run, request));
    run.modelName = response.model;
    if (response.stopReason === 'refusal') throw refused(response);
    return response.stopReason === 'overflow' ? overflow(snapshot) : { kind: 'reply', response };
  } catch (error) {
    if (!(error instanceof ModelError)) throw error;
    ledger.countTokens(error.usage, 0);
    if (signal.aborted) throw cancelled(signal, ledger.timeLeftMs, error);
    if (error.kind === 'overflow') return overflow(snapshot);
    const timeLeftMs = asking.toolChoice === 'auto' ? ledger.workTimeLeftMs : ledger.timeLeftMs;
    if (error.retryable && timeLeftMs <= NO_TIME_MS) return { kind: 'late' };
    throw modelFailed(error);
  }
}

function overflow({ lastObservation }: TurnSnapshot<ModelMessage, ModelTool>): TurnOutcome {
  return { kind: 'overflow', lastObservation };
}

function complete(run: AgentRun, request: ModelRequest): Promise<ModelResponse> {
  return run.trace('turn', { turn: run.ledger.turns, model: run.model.id }, async (describe) => {
    const response = await run.model.complete(request);
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
