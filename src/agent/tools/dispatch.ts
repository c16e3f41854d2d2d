import pLimit from 'p-limit';
import type { TranscriptEntry } from '../../domain/session.ts';
import type { Gap } from '../../domain/telemetry.ts';
import type { ToolAnswer, ToolUse } from '../model.ts';
import { present, presentFailure, type Presentation } from './present.ts';
import { ToolFailure, type Tool, type ToolContext } from './tool.ts';

const AT_ONCE = 4;
const MOST_PER_TURN = 8;
const TOOL_TIMEOUT_MS = 20_000;
const CACHED_RESULTS = 128;

/** What became of the calls of one turn; lists are in call order. */
export interface Dispatched {
  readonly answers: readonly ToolAnswer[];
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
  /** Calls still allowed in this run; the rest of the turn is answered without running. */
  readonly callsLeft: number;
  readonly timeLeftMs: number;
  readonly signal: AbortSignal;
}

export type Dispatch = (uses: readonly ToolUse[], limits: DispatchLimits) => Promise<Dispatched>;

interface Outcome {
  readonly text: string;
  readonly isError: boolean;
  readonly repeated: boolean;
  readonly gap?: Gap;
}

/**
 * Returns the function that answers tool calls: every id gets exactly one answer; failures are answers; an exact repeat is answered
 * from memory (tools are read-only, so its answer has not changed). Rejects only when `signal` aborts or a tool has a bug.
 */
export function createDispatch(tools: readonly Tool[], context: ToolContext, presentation: Presentation): Dispatch {
  const byName = new Map(tools.map((tool) => [tool.name, tool]));
  const known = new Map<string, Promise<Outcome>>();

  const answer = async (use: ToolUse, limits: DispatchLimits): Promise<Outcome> => {
    const tool = byName.get(use.name);
    if (!tool) {
      const message = `There is no tool ${use.name}. Tools: ${[...byName.keys()].join(', ')}.`;
      return { text: presentFailure('unknown tool', message, presentation), isError: true, repeated: false };
    }
    const key = `${use.name} ${canonical(use.input)}`;
    const earlier = known.get(key);
    if (earlier) {
      const outcome = await earlier;
      return {
        ...outcome,
        text: `You made this very call before; this is the same answer.\n${outcome.text}`,
        repeated: true,
      };
    }
    const running = runTool(tool, use.input, context, presentation, limits);
    if (known.size < CACHED_RESULTS) known.set(key, running);
    const outcome = await running;
    // What failed may work the next time.
    if (outcome.isError) known.delete(key);
    return outcome;
  };

  return async (uses, limits) => {
    const before = context.book.all().length;
    const limit = pLimit(AT_ONCE);
    const allowed = Math.min(MOST_PER_TURN, limits.callsLeft);
    const outcomes = await Promise.all(
      uses.map((use, i) => (i < allowed ? limit(() => answer(use, limits)) : Promise.resolve(notRun(allowed)))),
    );
    return {
      answers: outcomes.map(({ text, isError }, i) => ({ toolUseId: uses[i]?.id ?? '', text, isError })),
      calls: outcomes.map(({ isError }, i) => ({ name: uses[i]?.name ?? '', input: uses[i]?.input, isError })),
      gaps: outcomes.flatMap(({ gap }) => gap ?? []),
      ran: Math.min(uses.length, allowed),
      onlyRepeats: outcomes.length > 0 && outcomes.every(({ repeated }) => repeated),
      newEvidence: context.book.all().length - before,
    };
  };
}

async function runTool(
  tool: Tool,
  input: unknown,
  context: ToolContext,
  presentation: Presentation,
  limits: DispatchLimits,
): Promise<Outcome> {
  const timeoutMs = Math.max(1, Math.min(TOOL_TIMEOUT_MS, limits.timeLeftMs));
  const fail = (message: string, gap?: Gap): Outcome => ({
    text: presentFailure(tool.name, message, presentation),
    isError: true,
    repeated: false,
    ...(gap ? { gap } : {}),
  });
  limits.signal.throwIfAborted();
  const deadline = new AbortController();
  const stop = AbortSignal.any([limits.signal, deadline.signal]);
  const timer = setTimeout(() => deadline.abort(), timeoutMs);
  const stopped = new Promise<'stopped'>((resolve) => {
    stop.addEventListener('abort', () => resolve('stopped'), { once: true });
  });
  try {
    const running = tool.run(input, context, stop);
    // A provider that ignores its signal must not hold the turn; what it says later is nobody's concern.
    running.catch(() => {});
    const data = await Promise.race([running, stopped]);
    limits.signal.throwIfAborted();
    if (data !== 'stopped') return { text: present(tool.name, data, presentation), isError: false, repeated: false };
    return fail(`${tool.name} gave no answer within ${timeoutMs} ms. Ask for a shorter window, or go on without it.`, {
      source: tool.name,
      message: `no answer within ${timeoutMs} ms`,
    });
  } catch (error) {
    limits.signal.throwIfAborted();
    if (error instanceof ToolFailure) return fail(error.message, error.gap);
    if (deadline.signal.aborted) return fail(`${tool.name} was stopped after ${timeoutMs} ms.`);
    throw error;
  } finally {
    clearTimeout(timer);
  }
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
