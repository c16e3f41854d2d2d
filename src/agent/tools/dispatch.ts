import pLimit from 'p-limit';
import type { TranscriptEntry } from '../../domain/session.ts';
import type { Gap } from '../../domain/telemetry.ts';
import { noTracing, type TraceSpan } from '../../domain/tracing.ts';
import type { ToolAnswer, ToolUse } from '../model.ts';
import { present, presentFailure, type Presentation } from './present.ts';
import { redactDeep } from './redact-deep.ts';
import { runTool, type RawResult } from './run-tool.ts';
import type { RunContext, Tool } from './tool.ts';

const AT_ONCE = 4;
const MOST_PER_TURN = 8;
const CACHED_RESULTS = 128;

/** What became of the calls of one turn; lists are in call order. */
export interface Dispatched {
  readonly answers: readonly ToolAnswer[];
  /** Inputs are redacted. */
  readonly calls: readonly NonNullable<TranscriptEntry['tool']>[];
  readonly gaps: readonly Gap[];
  /** Calls that count against the limit: all but those over it. */
  readonly ran: number;
  /** Every call was one that had been answered before. */
  readonly onlyRepeats: boolean;
  /** Pieces of evidence that were not known before this turn. */
  readonly newEvidence: number;
}

export interface DispatchLimits {
  /** Number of the model's turn, from 1. */
  readonly turn: number;
  /** Calls still allowed in this run; the rest of the turn is answered without running. */
  readonly callsLeft: number;
  readonly timeLeftMs: number;
  readonly signal: AbortSignal;
}

/** An answer that is given again when the same call comes again. */
export interface KnownAnswer {
  readonly key: string;
  readonly text: string;
}

export interface Dispatch {
  /**
   * Every id gets exactly one answer; failures are answers; an exact repeat is answered from memory (tools are read-only, so its answer has not
   * changed). Rejects only when `signal` aborts or a tool has a bug.
   */
  readonly answer: (uses: readonly ToolUse[], limits: DispatchLimits) => Promise<Dispatched>;
  /** For a checkpoint: what repeats are answered with. */
  readonly known: () => readonly KnownAnswer[];
}

export interface DispatchOptions {
  /** The list is the permission: what is not in it does not run, whatever the model asks for. */
  readonly tools: readonly Tool[];
  readonly context: RunContext;
  readonly presentation: Presentation;
  /** Of an earlier process of the same run. */
  readonly known?: readonly KnownAnswer[];
  readonly trace?: TraceSpan;
}

interface Outcome {
  readonly text: string;
  readonly isError: boolean;
  readonly repeated: boolean;
  readonly gap?: Gap;
}

/** One call, decided before any of the turn's calls runs. */
type Planned =
  | { readonly kind: 'run'; readonly key: string; readonly running: Promise<RawResult> }
  | { readonly kind: 'unknown' }
  | { readonly kind: 'over' }
  /** Answered in an earlier turn. */
  | { readonly kind: 'known'; readonly text: string }
  /** The same as the call at `of` in this turn. */
  | { readonly kind: 'twin'; readonly of: number };

export function createDispatch({
  tools,
  context,
  presentation,
  known = [],
  trace = noTracing,
}: DispatchOptions): Dispatch {
  const byName = new Map(tools.map((tool) => [tool.name, tool]));
  const answered = new Map(known.map(({ key, text }) => [key, text]));

  const plan = (uses: readonly ToolUse[], inputs: readonly unknown[], allowed: number, limits: DispatchLimits) => {
    const limit = pLimit(AT_ONCE);
    const first = new Map<string, number>();
    return uses.map((use, call): Planned => {
      const tool = byName.get(use.name);
      if (call >= allowed) return { kind: 'over' };
      if (!tool) return { kind: 'unknown' };
      const key = `${use.name} ${canonical(inputs[call])}`;
      const text = answered.get(key);
      if (text !== undefined) return { kind: 'known', text };
      const of = first.get(key);
      if (of !== undefined) return { kind: 'twin', of };
      first.set(key, call);
      const asked = { tool, id: use.id, input: use.input, context: { ...context, turn: limits.turn, call } };
      return { kind: 'run', key, running: limit(() => runTool(asked, limits, trace)) };
    });
  };

  const settle = (
    use: ToolUse,
    planned: Planned,
    raw: RawResult | undefined,
    allowed: number,
    before: readonly Outcome[],
  ): Outcome => {
    const fail = (label: string, message: string): Outcome => ({
      text: presentFailure(label, message, presentation),
      isError: true,
      repeated: false,
    });
    switch (planned.kind) {
      case 'over':
        return notRun(allowed);
      case 'unknown':
        return fail('unknown tool', `There is no tool ${use.name}. Tools: ${[...byName.keys()].join(', ')}.`);
      case 'known':
        return { text: again(planned.text), isError: false, repeated: true };
      case 'twin': {
        const twin = before[planned.of] ?? notRun(allowed);
        return { text: again(twin.text), isError: twin.isError, repeated: true };
      }
      case 'run': {
        if (!raw) throw new Error(`no result of ${use.name}`);
        if (raw.kind === 'failed') return { ...fail(use.name, raw.message), ...(raw.gap ? { gap: raw.gap } : {}) };
        const text = present(use.name, raw.data, presentation);
        // What failed may work the next time; what worked is remembered.
        if (answered.size < CACHED_RESULTS) answered.set(planned.key, text);
        return { text, isError: false, repeated: false };
      }
      default:
        return planned satisfies never;
    }
  };

  const answer = async (uses: readonly ToolUse[], limits: DispatchLimits): Promise<Dispatched> => {
    const before = context.book.all().length;
    const allowed = Math.min(MOST_PER_TURN, limits.callsLeft);
    const inputs = uses.map(({ input }) => redactDeep(input, presentation.redact));
    const planned = plan(uses, inputs, allowed, limits);
    const raws = await Promise.all(
      planned.map((one) => (one.kind === 'run' ? one.running : Promise.resolve(undefined))),
    );
    // Made into text in call order and not as they come: ids of evidence must not depend on which source is faster.
    const outcomes: Outcome[] = [];
    for (const [i, use] of uses.entries())
      outcomes.push(settle(use, planned[i] ?? { kind: 'over' }, raws[i], allowed, outcomes));
    return {
      answers: outcomes.map(({ text, isError }, i) => ({ toolUseId: uses[i]?.id ?? '', text, isError })),
      calls: outcomes.map(({ isError }, i) => ({ name: uses[i]?.name ?? '', input: inputs[i], isError })),
      gaps: outcomes.flatMap(({ gap }) => gap ?? []),
      ran: Math.min(uses.length, allowed),
      onlyRepeats: outcomes.length > 0 && outcomes.every(({ repeated }) => repeated),
      newEvidence: context.book.all().length - before,
    };
  };
  return { answer, known: () => [...answered].map(([key, text]) => ({ key, text })) };
}

function again(text: string): string {
  return `You made this very call before; this is the same answer.\n${text}`;
}

function notRun(allowed: number): Outcome {
  const text = `Not run: limit of ${allowed} calls reached. Use what you have, or ask in the next turn.`;
  return { text, isError: true, repeated: false };
}

/** JSON with sorted keys: the order in which the model wrote the arguments does not make a call new. */
function canonical(value: unknown): string {
  return JSON.stringify(value, (_key, item: unknown) =>
    item && typeof item === 'object' && !Array.isArray(item)
      ? Object.fromEntries(Object.entries(item).toSorted(([a], [b]) => (a < b ? -1 : 1)))
      : item,
  );
}
