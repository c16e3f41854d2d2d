/** Epoch milliseconds, both ends included; NaN when nothing is known. */
export interface TimeSpan {
  readonly fromMs: number;
  readonly toMs: number;
}

export const NO_TIMES: TimeSpan = { fromMs: NaN, toMs: NaN };

/** The span widened to hold the time; unchanged when the time is unknown. */
export function widen(span: TimeSpan, timeMs: number): TimeSpan {
  if (Number.isNaN(timeMs) || (timeMs >= span.fromMs && timeMs <= span.toMs)) return span;
  if (Number.isNaN(span.fromMs)) return { fromMs: timeMs, toMs: timeMs };
  return { fromMs: Math.min(span.fromMs, timeMs), toMs: Math.max(span.toMs, timeMs) };
}

const FOREIGN_CLOCK_MS = 7 * 86_400_000;

/** False for no time at all, and for the times of writers who stamp lines decades off: such a time is unknown, not far away. */
export function isOnClock(timeMs: number, triggerMs: number): boolean {
  return Math.abs(timeMs - triggerMs) <= FOREIGN_CLOCK_MS;
}
