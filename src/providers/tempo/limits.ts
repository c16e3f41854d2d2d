import type { TimeWindow } from '../../domain/provider.ts';

/** Parts that a window is split into at most. */
const MOST_PARTS = 24;
const UNIT_MS: Readonly<Record<string, number>> = { h: 3_600_000, m: 60_000, s: 1000 };

/** What Tempo lets one search ask for, as it says when more was asked: `exceeds 1h1m0s. received start=…`, `exceeds max limit 100`. */
export interface SearchLimits {
  readonly windowMs?: number;
  readonly traces?: number;
}

export function limitsIn(refusal: string): SearchLimits | undefined {
  const window = /range specified by start and end exceeds ((?:\d+(?:\.\d+)?[hms])+)/.exec(refusal)?.[1];
  if (window !== undefined) return { windowMs: durationMs(window) };
  const traces = Number(/exceeds max limit (\d+)/.exec(refusal)?.[1]);
  return traces > 0 ? { traces } : undefined;
}

/** Go's way to write a duration. */
function durationMs(text: string): number {
  return [...text.matchAll(/(\d+(?:\.\d+)?)([hms])/g)].reduce(
    (sum, [, count, unit = '']) => sum + Number(count) * (UNIT_MS[unit] ?? 0),
    0,
  );
}

/** The window in parts no longer than allowed, newest first; of a window that needs too many parts the newest. */
export function split(
  { fromMs, toMs }: TimeWindow,
  { windowMs }: SearchLimits,
): { readonly parts: readonly TimeWindow[]; readonly left: boolean } {
  if (windowMs === undefined) return { parts: [{ fromMs, toMs }], left: false };
  // Whole seconds are asked for, outwards.
  const longest = Math.max(1000, windowMs - 2000);
  const count = Math.ceil((toMs - fromMs) / longest) || 1;
  const parts = Array.from({ length: Math.min(count, MOST_PARTS) }, (_, i) => ({
    fromMs: Math.max(fromMs, toMs - (i + 1) * longest),
    toMs: toMs - i * longest,
  }));
  return { parts, left: count > MOST_PARTS };
}
