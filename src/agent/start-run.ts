import type { Gap } from '../domain/telemetry.ts';
import { noTracing } from '../domain/tracing.ts';
import { fingerprintOf, fromCheckpoint, toCheckpoint, type RunState } from './checkpoint.ts';
import type { ModelTool } from './model.ts';
import { PROMPT_VERSION } from './prompts.ts';
import type { AgentInput } from './run-agent.ts';
import { NEW_COURSE, type Step } from './step.ts';
import type { AgentRun } from './take-turn.ts';
import { Dispatch } from './tools/dispatch.ts';
import { redactDeep } from './tools/redact-deep.ts';
import { isoSeconds } from './tools/relative-window.ts';
import type { Tool } from './tools/tool.ts';
import { Transcript } from './transcript.ts';

export interface StartedRun {
  readonly run: AgentRun;
  /** Where it begins, or goes on. */
  readonly step: Step;
  /** Writes down that the run is about to take `step`. */
  readonly save: (step: Step) => Promise<void>;
}

/** A run at its beginning, or where its checkpoint left it. A checkpoint that does not fit is passed over, and the progress says so. */
export async function startRun(input: AgentInput<unknown>): Promise<StartedRun> {
  const { model, system, redact, checkpoint } = input;
  const fingerprint = fingerprintOf({ modelId: model.id, system, jsonSchema: input.output.jsonSchema });
  const saved = await checkpoint?.load();
  const state = saved && fromCheckpoint(saved, fingerprint);
  const run = openRun(input, state);
  if (saved && !state) run.progress('the checkpoint belongs to other prompts or another model: starting anew');
  if (state) goOn(run, state);
  else begin(run, input.opening);
  // Results of one run are fenced with one nonce, whoever runs it.
  const nonce = state?.nonce ?? input.nonce;
  return {
    run,
    step: state?.step ?? { kind: 'work' },
    save: async (step) => checkpoint?.save(toCheckpoint({ fingerprint, nonce, ...stateOf(run, step, redact) })),
  };
}

function openRun(input: AgentInput<unknown>, state: RunState | undefined): AgentRun {
  const { context, redact, now, model, ledger, output, maxOutputTokens, signal, trace = noTracing } = input;
  const nonce = state?.nonce ?? input.nonce;
  const presentation = { triggerMs: context.triggerMs, book: context.book, redact, nonce };
  const known = state?.known ?? [];
  const tools = state?.tools ?? input.tools.map(shown);
  return {
    model,
    system: state?.system ?? input.system,
    tools,
    sources: input.sources ?? [],
    workingFacts: { session: input.id, alertBeganAt: isoSeconds(context.triggerMs) },
    dispatch: new Dispatch({ ...callable(input.tools, tools), context, presentation, trace, known }),
    transcript: new Transcript({ redact, now, nonce }),
    ledger,
    book: context.book,
    output,
    course: { ...(state?.course ?? NEW_COURSE) },
    gaps: [...(state?.gaps ?? [])],
    maxOutputTokens,
    signal,
    progress: (line) => input.onProgress?.(redact(line)),
    trace,
    modelName: state?.modelName ?? null,
  };
}

/** A tool as the model is shown it. */
function shown({ name, description, inputSchema }: Tool): ModelTool {
  return { name, description, inputSchema };
}

/** Of the tools that are there now, those that the model was shown when the run began; and which of them are gone. */
function callable(tools: readonly Tool[], offered: readonly ModelTool[]) {
  const offeredNames = new Set(offered.map(({ name }) => name));
  const thereNow = new Set(tools.map(({ name }) => name));
  return {
    tools: tools.filter(({ name }) => offeredNames.has(name)),
    away: [...offeredNames].filter((name) => !thereNow.has(name)),
  };
}

function begin({ transcript, system }: AgentRun, opening: string): void {
  const [stable, ...more] = system;
  transcript.system(`[prompt version ${PROMPT_VERSION}]\n${stable}`);
  for (const block of more) transcript.system(block);
  transcript.user(opening);
}

function goOn({ ledger, book, transcript, progress }: AgentRun, state: RunState): void {
  ledger.restore(state.ledger);
  book.restore(state.found);
  transcript.restore(state.transcript);
  progress(`going on after turn ${ledger.turns}`);
}

function stateOf(
  { system, tools, course, transcript, ledger, book, gaps, dispatch, modelName }: AgentRun,
  step: Step,
  redact: (text: string) => string,
): Omit<RunState, 'fingerprint' | 'nonce'> {
  return {
    step: redactStep(step, redact),
    course: { ...course },
    system,
    tools,
    transcript: transcript.state,
    ledger: ledger.state,
    found: book.found(),
    gaps: redactGaps(gaps, redact),
    known: dispatch.known(),
    modelName,
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
    case 'repair': {
      const { value, removed } = step.first;
      return { ...step, first: { ...step.first, value: redactDeep(value, redact), removed: removed.map(redact) } };
    }
    case 'ended':
      if ('failed' in step) return { ...step, failed: redact(step.failed) };
      return { ...step, value: redactDeep(step.value, redact), removed: step.removed.map(redact) };
    default:
      return step satisfies never;
  }
}

export function redactGaps(gaps: readonly Gap[], redact: (text: string) => string): readonly Gap[] {
  return gaps.map(({ source, message }) => ({ source, message: redact(message) }));
}
