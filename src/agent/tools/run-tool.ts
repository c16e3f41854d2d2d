import type { Gap } from '../../domain/telemetry.ts';
import type { TraceSpan } from '../../domain/tracing.ts';
import { ToolFailure, type Tool, type ToolContext, type ToolData } from './tool.ts';

/** A query that takes longer is not worth waiting for; a long-running tool has all the time that is left for work. */
const QUERY_TIMEOUT_MS = 20_000;
/** With less time than this nothing is asked any more. */
const LEAST_MS = 5;

/** What a tool gave, before it is made into text. */
export type RawResult =
  | { readonly kind: 'data'; readonly data: ToolData }
  | {
      readonly kind: 'failed';
      readonly message: string;
      readonly gap?: Gap | undefined;
      readonly ended?: 'timeout' | 'denied' | undefined;
    };

/** One call of a tool that exists. */
export interface Asked {
  readonly tool: Tool;
  /** The model's id of the call. */
  readonly id: string;
  readonly input: unknown;
  readonly context: ToolContext;
}

export interface ToolBounds {
  /** Work time left in the run, asked when the call's turn comes: it may have waited for others of its turn. */
  readonly timeLeftMs: () => number;
  readonly signal: AbortSignal;
}

/** Runs one tool within its time, in a span. What fails is a result. Rejects when the run is aborted, or on a bug of the tool. */
export function runTool(asked: Asked, bounds: ToolBounds, trace: TraceSpan): Promise<RawResult> {
  const { tool, id: callId, context } = asked;
  return trace('tool', { tool: tool.name, callId, turn: context.turn }, async (describe) => {
    const raw = await runWithin(asked, bounds);
    describe({ outcome: raw.kind === 'data' ? 'ok' : 'error' });
    return raw;
  });
}

async function runWithin({ tool, input, context }: Asked, { timeLeftMs, signal }: ToolBounds): Promise<RawResult> {
  signal.throwIfAborted();
  const leftMs = Math.round(timeLeftMs());
  if (leftMs < LEAST_MS) return outOfTime(tool.name, 'was not run: the time for tools was used up');
  const timeoutMs = tool.longRunning ? leftMs : Math.min(QUERY_TIMEOUT_MS, leftMs);
  const overdue = () =>
    outOfTime(tool.name, `gave no answer within ${timeoutMs} ms`, ' Ask for a shorter window, or go on without it.');
  const deadline = new AbortController();
  const stop = AbortSignal.any([signal, deadline.signal]);
  const timer = setTimeout(() => deadline.abort(), timeoutMs);
  const stopped = new Promise<'stopped'>((resolve) => {
    stop.addEventListener('abort', () => resolve('stopped'), { once: true });
  });
  try {
    const running = tool.run(input, context, stop);
    // A provider that ignores its signal must not hold the turn; what it says later is nobody's concern.
    running.catch(() => {});
    const data = await Promise.race([running, stopped]);
    signal.throwIfAborted();
    return data === 'stopped' ? overdue() : { kind: 'data', data };
  } catch (error) {
    signal.throwIfAborted();
    // Whether it gave up by itself or was given up, and which was faster, must not change what is said.
    if (deadline.signal.aborted) return overdue();
    if (error instanceof ToolFailure) return toFailed(error);
    throw error;
  } finally {
    clearTimeout(timer);
  }
}

/** A result and a gap, whatever the tool made of its signal. `what` is said of it. */
function outOfTime(toolName: string, what: string, advice = ''): RawResult {
  const gap = { source: toolName, message: `it ${what}` };
  return { kind: 'failed', message: `${toolName} ${what}.${advice}`, gap, ended: 'timeout' };
}

function toFailed({ message, gap, isDenial }: ToolFailure): RawResult {
  return { kind: 'failed', message, gap, ...(isDenial ? { ended: 'denied' } : {}) };
}
