import pLimit from 'p-limit';
import type { ToolCall } from '../../domain/session.ts';
import type { Gap } from '../../domain/telemetry.ts';
import { noTracing, type TraceSpan } from '../../domain/tracing.ts';
import type { ToolAnswer, ToolUse } from '../model.ts';
import { present, presentFailure, type Presentation } from './present.ts';
import { rawBytes } from './raw-bytes.ts';
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
  readonly calls: readonly ToolCall[];
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

export interface DispatchOptions {
  /** The list is the permission: what is not in it does not run, whatever the model asks for. */
  readonly tools: readonly Tool[];
  /** Names of tools that the model is shown and that are not there now. */
  readonly away?: readonly string[];
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
  readonly gap?: Gap | undefined;
  /** What is more to be told of the call. */
  readonly facts?: Pick<ToolCall, 'ended' | 'raw'>;
}

/** One call, decided before any of the turn's calls runs. */
type Planned =
  | { readonly kind: 'run'; readonly key: string; readonly running: Promise<RawResult> }
  | { readonly kind: 'unknown' }
  | { readonly kind: 'away' }
  | { readonly kind: 'over' }
  /** Answered in an earlier turn. */
  | { readonly kind: 'known'; readonly text: string }
  /** The same as the call at `of` in this turn. */
  | { readonly kind: 'twin'; readonly of: number };

/** Runs the tools of one run, and remembers what they answered. */
export class Dispatch {
  readonly #tools: ReadonlyMap<string, Tool>;
  readonly #away: ReadonlySet<string>;
  readonly #context: RunContext;
  readonly #presentation: Presentation;
  readonly #trace: TraceSpan;
  readonly #answered: Map<string, string>;

  constructor({ tools, away = [], context, presentation, known = [], trace = noTracing }: DispatchOptions) {
    this.#tools = new Map(tools.map((tool) => [tool.name, tool]));
    this.#away = new Set(away);
    this.#context = context;
    this.#presentation = presentation;
    this.#trace = trace;
    this.#answered = new Map(known.map(({ key, text }) => [key, text]));
  }

  /**
   * Every id gets exactly one answer; failures are answers; an exact repeat is answered from memory (tools are read-only, so its answer has not
   * changed). Rejects only when `signal` aborts or a tool has a bug.
   */
  async answer(uses: readonly ToolUse[], limits: DispatchLimits): Promise<Dispatched> {
    const { book } = this.#context;
    const before = book.all().length;
    const allowed = Math.min(MOST_PER_TURN, limits.callsLeft);
    const inputs = uses.map(({ input }) => redactDeep(input, this.#presentation.redact));
    const planned = this.#plan(uses, inputs, allowed, limits);
    const raws = await Promise.all(
      planned.map((one) => (one.kind === 'run' ? one.running : Promise.resolve(undefined))),
    );
    // Made into text in call order and not as they come: ids of evidence must not depend on which source is faster.
    const outcomes: Outcome[] = [];
    for (const [i, use] of uses.entries()) {
      const one = planned[i];
      outcomes.push(!one || one.kind === 'over' ? notRun(allowed) : this.#settle(use, one, raws[i], outcomes));
    }
    return {
      answers: outcomes.map(({ text, isError }, i) => ({ toolUseId: uses[i]?.id ?? '', text, isError })),
      calls: outcomes.map(({ isError, facts }, i) => ({
        name: uses[i]?.name ?? '',
        input: inputs[i],
        isError,
        ...facts,
      })),
      gaps: outcomes.flatMap(({ gap }) => gap ?? []),
      ran: Math.min(uses.length, allowed),
      onlyRepeats: outcomes.length > 0 && outcomes.every(({ repeated }) => repeated),
      newEvidence: book.all().length - before,
    };
  }

  /** For a checkpoint: what repeats are answered with. */
  known(): readonly KnownAnswer[] {
    return [...this.#answered].map(([key, text]) => ({ key, text }));
  }

  #plan(
    uses: readonly ToolUse[],
    inputs: readonly unknown[],
    allowed: number,
    limits: DispatchLimits,
  ): readonly Planned[] {
    const limit = pLimit(AT_ONCE);
    const endsAt = performance.now() + limits.timeLeftMs;
    const bounds = { signal: limits.signal, timeLeftMs: () => endsAt - performance.now() };
    const first = new Map<string, number>();
    return uses.map((use, call): Planned => {
      if (call >= allowed) return { kind: 'over' };
      const key = `${use.name} ${canonical(inputs[call])}`;
      const text = this.#answered.get(key);
      if (text !== undefined) return { kind: 'known', text };
      const tool = this.#tools.get(use.name);
      if (!tool) return { kind: this.#away.has(use.name) ? 'away' : 'unknown' };
      const of = first.get(key);
      if (of !== undefined) return { kind: 'twin', of };
      first.set(key, call);
      const asked = { tool, id: use.id, input: use.input, context: { ...this.#context, turn: limits.turn, call } };
      return { kind: 'run', key, running: limit(() => runTool(asked, bounds, this.#trace)) };
    });
  }

  #settle(
    use: ToolUse,
    planned: Exclude<Planned, { kind: 'over' }>,
    raw: RawResult | undefined,
    before: readonly Outcome[],
  ): Outcome {
    switch (planned.kind) {
      case 'unknown': {
        const names = [...this.#tools.keys()].join(', ');
        const message = `There is no tool ${use.name}. Tools: ${names}.`;
        return this.#fail('unknown tool', { message, ended: 'denied' });
      }
      case 'away':
        return this.#fail(use.name, awayNow(use.name));
      case 'known':
        return { text: again(planned.text), isError: false, repeated: true };
      case 'twin': {
        const { text, isError } = before[planned.of] as Outcome;
        return { text: again(text), isError, repeated: true };
      }
      case 'run': {
        if (!raw) throw new Error(`no result of ${use.name}`);
        if (raw.kind === 'failed') return this.#fail(use.name, raw);
        const { text, isCut } = present(use.name, raw.data, this.#presentation);
        // What failed may work the next time; what worked is remembered.
        if (this.#answered.size < CACHED_RESULTS) this.#answered.set(planned.key, text);
        const sizes = { raw: { kind: raw.data.kind, bytes: rawBytes(raw.data) } };
        return { text, isError: false, repeated: false, facts: isCut ? { ...sizes, ended: 'truncated' } : sizes };
      }
      default:
        return planned satisfies never;
    }
  }

  #fail(label: string, { message, gap, ended }: Omit<RawResult & { kind: 'failed' }, 'kind'>): Outcome {
    const text = presentFailure(label, message, this.#presentation);
    return { text, isError: true, repeated: false, gap, ...(ended ? { facts: { ended } } : {}) };
  }
}

/** A run that goes on in another process keeps the tools that it began with, and some of them may be gone. */
function awayNow(name: string) {
  return {
    message: `${name} is not available now. Go on without it.`,
    gap: { source: name, message: 'the tool was not available any more' },
  };
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
