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
