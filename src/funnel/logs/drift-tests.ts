import { median, quantileOfSorted, sorted } from '../metrics/statistics.ts';
import type { Dimension } from './line-values.ts';

/** Odds of a false alarm of one comparison: hundreds of places are compared. */
const MAX_CHANCE = 1e-6;
/** Part of the usual value by which it must have moved, and what is too short a time to matter. */
const MIN_RELATIVE_MOVE = 0.5;
const MIN_MOVE: Readonly<Record<Dimension, number>> = { time: 5, size: 1024, percent: 3, number: 1, word: 0 };
/** Rank correlation with time from which numbers are taken for a count that only ever goes on: ids, sequences, uptimes. */
const TREND = 0.5;

export interface NumericShift {
  readonly direction: 1 | -1;
  /** End of the usual range in that direction, at least the amount that matters away, and the share of the values now beyond it. */
  readonly border: number;
  readonly share: number;
  readonly usual: number;
  /** Median of the values now when it moved too; else of those beyond the usual range. */
  readonly now: number;
  readonly hasMedianMoved: boolean;
}

/**
 * Tells whether more of the values now lie beyond the usual range (5 % to 95 %) than chance allows, and by an amount that matters. Values in order of
 * time. Needs no distribution: only the ranks count. Undefined when nothing moved, or when the usual values were moving already.
 */
export function numericShift(
  usual: readonly number[],
  now: readonly number[],
  dimension: Dimension,
): NumericShift | undefined {
  if (Math.abs(trendOf(usual)) > TREND) return undefined;
  const ascending = sorted(usual);
  const middle = quantileOfSorted(ascending, 0.5);
  const least = Math.max(MIN_MOVE[dimension], MIN_RELATIVE_MOVE * Math.abs(middle));
  // Of few values the extremes are the range: one more lies beyond them with 1 in n + 1.
  const chance = Math.max(0.05, 2 / (usual.length + 1));
  for (const direction of [1, -1] as const) {
    const edge = quantileOfSorted(ascending, direction > 0 ? 0.95 : 0.05);
    const border = direction > 0 ? Math.max(edge, middle + least) : Math.min(edge, middle - least);
    const beyond = now.filter((value) => direction * (value - border) > 0);
    if (beyond.length === 0) continue;
    if (binomialTail(beyond.length, now.length, chance) > MAX_CHANCE) continue;
    const hasMedianMoved = direction * (median(now) - middle) >= least;
    return {
      direction,
      border,
      share: beyond.length / now.length,
      usual: middle,
      now: median(hasMedianMoved ? now : beyond),
      hasMedianMoved,
    };
  }
  return undefined;
}

const MIN_BEYOND = 3;
const MIN_DIFFERENCE = 0.2;

/** A cheap look at few values: false when a move of a third of them is out of question. */
export function mayHaveMoved(usual: readonly (number | string)[], now: readonly (number | string)[]): boolean {
  if (usual.length === 0 || now.length === 0) return false;
  if (typeof now[0] === 'number') {
    const least = usual.reduce((a, b) => (b < a ? b : a));
    const most = usual.reduce((a, b) => (b > a ? b : a));
    const beyond = (isBeyond: (value: number | string) => boolean) => now.filter(isBeyond).length >= MIN_BEYOND;
    return beyond((value) => value > most) || beyond((value) => value < least);
  }
  const [value, count] = commonest(now.map(String));
  return count / now.length - usual.filter((known) => known === value).length / usual.length >= MIN_DIFFERENCE;
}

export interface Takeover {
  readonly value: string;
  readonly shareBefore: number;
  readonly shareNow: number;
}

const MIN_SHARE_NOW = 0.5;
const MIN_GAIN = 0.35;

/** The value that most lines now carry and far fewer did before; undefined when there is none. A value with digits in it must have been known before. */
export function takeover(usual: readonly string[], now: readonly string[]): Takeover | undefined {
  const [value, count] = commonest(now);
  const known = usual.filter((other) => other === value).length;
  if (known === 0 && /\d/.test(value)) return undefined;
  const [shareBefore, shareNow] = [known / usual.length, count / now.length];
  if (shareNow < MIN_SHARE_NOW || shareNow - shareBefore < MIN_GAIN) return undefined;
  const chance = (known + 1) / (usual.length + 2);
  return binomialTail(count, now.length, chance) > MAX_CHANCE ? undefined : { value, shareBefore, shareNow };
}

function commonest(values: readonly string[]): readonly [value: string, count: number] {
  const counts = new Map<string, number>();
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1);
  return [...counts].reduce((a, b) => (b[1] > a[1] ? b : a), ['', 0]);
}

/** Probability of at least `hits` of `n` when each has probability `p`. */
function binomialTail(hits: number, n: number, p: number): number {
  let logChoose = 0;
  for (let i = 0; i < hits; i++) logChoose += Math.log((n - i) / (i + 1));
  let term = Math.exp(logChoose + hits * Math.log(p) + (n - hits) * Math.log(1 - p));
  let tail = 0;
  for (let k = hits; k <= n; k++) {
    tail += term;
    term *= ((n - k) / (k + 1)) * (p / (1 - p));
  }
  return tail;
}

/** Spearman's rank correlation of values with their order, −1 to 1; 0 when they are all alike. */
function trendOf(values: readonly number[]): number {
  const n = values.length;
  const order = values.map((_, i) => i).sort((a, b) => (values[a] ?? 0) - (values[b] ?? 0));
  const ranks = new Float64Array(n);
  for (let start = 0; start < n;) {
    let end = start + 1;
    while (end < n && values[order[end] ?? 0] === values[order[start] ?? 0]) end++;
    // Equal values share the middle of their ranks.
    for (let i = start; i < end; i++) ranks[order[i] ?? 0] = (start + end - 1) / 2;
    start = end;
  }
  const mean = (n - 1) / 2;
  let [both, rankSquares, orderSquares] = [0, 0, 0];
  ranks.forEach((rank, i) => {
    both += (rank - mean) * (i - mean);
    rankSquares += (rank - mean) ** 2;
    orderSquares += (i - mean) ** 2;
  });
  return rankSquares > 0 ? both / Math.sqrt(rankSquares * orderSquares) : 0;
}
