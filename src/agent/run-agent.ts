import type { Evidence } from '../domain/evidence.ts';
import type { ModelUsage, TranscriptEntry } from '../domain/session.ts';
import type { Gap } from '../domain/telemetry.ts';
import { noTracing, type TraceSpan } from '../domain/tracing.ts';
import { AgentStop, noPrice, type TerminationReason } from './agent-stop.ts';
import { fingerprintOf, fromCheckpoint, toCheckpoint, type CheckpointSlot, type RunState } from './checkpoint.ts';
import type { OutputContract } from './contract.ts';
import { takeFinal, takeRepair } from './hand-in.ts';
import type { Ledger } from './ledger.ts';
import type { Model, ModelTool } from './model.ts';
import { PROMPT_VERSION } from './prompts.ts';
import { answerTools, work } from './search.ts';
import { NEW_COURSE, type Ended, type Step } from './step.ts';
import { parentOf } from './sub-agents/ids.ts';
import type { AgentRun } from './take-turn.ts';
import { createDispatch } from './tools/dispatch.ts';
import { redactDeep } from './tools/redact-deep.ts';
import { isoSeconds } from './tools/relative-window.ts';
import type { RunContext, Tool } from './tools/tool.ts';
import { Transcript } from './transcript.ts';

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
    const { run, step, save } = await startOrResume(input);
    const ended = await drive(run, step, save);
    describe({ terminationReason: ended.terminationReason, turns: run.ledger.turns });
    return toResult(input, run, ended);
  });
}

type Save = (step: Step) => Promise<void>;

/** Takes steps until there is none left. Each turn is taken off the ledger, which has only so many: the loop ends. */
async function drive(run: AgentRun, first: Step, save: Save): Promise<Ended> {
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
    return { kind: 'ended', terminationReason: error.terminationReason, failed: error.message };
  }
}

interface Started {
  readonly run: AgentRun;
  readonly step: Step;
  readonly save: Save;
}

async function startOrResume<T>(input: AgentInput<T>): Promise<Started> {
  const { model, ledger, context, redact, checkpoint } = input;
  const tools = input.tools.map(({ name, description, inputSchema }) => ({ name, description, inputSchema }));
  const fingerprint = fingerprintOf({
    modelId: model.id,
    system: input.system,
    tools,
    jsonSchema: input.output.jsonSchema,
  });
  const progress = (line: string) => input.onProgress?.(redact(line));
  const saved = await checkpoint?.load();
  const state = saved && fromCheckpoint(saved, fingerprint);
  if (saved && !state) progress('the checkpoint belongs to other prompts, tools or another model: starting anew');

  const run = openRun(input, tools, state, progress);
  if (state) {
    ledger.restore(state.ledger);
    context.book.restore(state.found);
    run.transcript.restore(state.transcript);
    progress(`going on after turn ${ledger.turns}`);
  } else {
    const [stable, ...more] = run.system;
    run.transcript.system(`[prompt version ${PROMPT_VERSION}]\n${stable}`);
    for (const block of more) run.transcript.system(block);
    run.transcript.user(input.opening);
  }
  const save: Save = async (step) => {
    const { transcript, course, gaps, dispatch, modelName, system } = run;
    const parts = {
      fingerprint,
      system,
      nonce: state?.nonce ?? input.nonce,
      gaps: redactGaps(gaps, redact),
      modelName,
    };
    const memory = { found: context.book.found(), known: dispatch.known(), transcript: transcript.state };
    const where = { step: redactStep(step, redact), course: { ...course }, ledger: ledger.state };
    await checkpoint?.save(toCheckpoint({ ...parts, ...memory, ...where }));
  };
  return { run, step: state?.step ?? { kind: 'work' }, save };
}

function openRun<T>(
  input: AgentInput<T>,
  tools: readonly ModelTool[],
  state: RunState | undefined,
  progress: (line: string) => void,
): AgentRun {
  const { context, redact, now, model, ledger, output, maxOutputTokens, signal, trace = noTracing } = input;
  // Results of one run are fenced with one nonce, whoever runs it.
  const nonce = state?.nonce ?? input.nonce;
  const presentation = { triggerMs: context.triggerMs, book: context.book, redact, nonce };
  return {
    model,
    system: state?.system ?? input.system,
    tools,
    sources: input.sources ?? [],
    workingFacts: { session: input.id, alertBeganAt: isoSeconds(context.triggerMs) },
    dispatch: createDispatch({
      tools: input.tools,
      context,
      presentation,
      trace,
      ...(state ? { known: state.known } : {}),
    }),
    transcript: new Transcript({ redact, now, nonce }),
    ledger,
    book: context.book,
    output,
    course: { ...(state?.course ?? NEW_COURSE) },
    gaps: [...(state?.gaps ?? [])],
    maxOutputTokens,
    signal,
    progress,
    trace,
    modelName: state?.modelName ?? null,
  };
}

/** What of a step the model wrote, redacted. Ids stay as they are: answers refer to them. */
function redactStep(step: Step, redact: (text: string) => string): Step {
  switch (step.kind) {
    case 'work':
    case 'final':
      return step;
    case 'tools':
      return { ...step, uses: step.uses.map((use) => ({ ...use, input: redactDeep(use.input, redact) })) };
    case 'repair':
      return { ...step, first: { ...step.first, value: redactDeep(step.first.value, redact) } };
    case 'ended':
      return 'failed' in step
        ? { ...step, failed: redact(step.failed) }
        : { ...step, value: redactDeep(step.value, redact) };
    default:
      return step satisfies never;
  }
}

function redactGaps(gaps: readonly Gap[], redact: (text: string) => string): readonly Gap[] {
  return gaps.map(({ source, message }) => ({ source, message: redact(message) }));
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
