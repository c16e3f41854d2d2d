import { lowerBound, median, sorted, sum, type Numbers } from './statistics.ts';
import type { Samples } from './usable-samples.ts';

/** Longer series are averaged over equal pieces down to this many: a change of minutes is seen all the same. */
const MOST_ROWS = 240;
const LEAST_ROWS = 12;
/** A change counts from this improbability on, −ln p: one of a thousand steady series shows it by chance. */
const CLEAR = 7;
/** One series may show anything; beyond this it gains no further weight. */
const MOST_WEIGHT = 25;
/** Load drifts by less than a fifth all the time. */
const LEAST_CHANGE = 0.2;
/** Onsets of one fault lie this close, or three samples. */
const TOGETHER_MS = 15_000;
/** Part of all votes, by weight, that must fall together: where each changes at a time of its own, no stretch holds so many. */
const LEAST_SUPPORT = 0.3;

/**
 * When more series of a system changed together than at any other time, epoch ms; undefined when too few did. For short recordings, in which nobody knows how much of the
 * time before the alert was still usual. Each series votes for its most probable change point by ranks (Pettitt, Applied Statistics 1979), so
 * outliers, units and shapes do not matter, with its improbability −ln p as weight. Only samples up to `untilMs` count.
 */
export function commonOnset(all: readonly Samples[], untilMs: number, stepMs: number): number | undefined {
  const votes = all.flatMap((series) => changeOf(series, untilMs) ?? []).sort((a, b) => a.atMs - b.atMs);
  const reachMs = Math.max(TOGETHER_MS, 3 * stepMs);
  let best: { readonly atMs: number; readonly support: number } | undefined;
  let [from, to, support] = [0, 0, 0];
  for (const { atMs } of votes) {
    for (let vote = votes[to]; vote && vote.atMs <= atMs + reachMs; vote = votes[++to]) support += vote.weight;
    for (let vote = votes[from]; vote && vote.atMs < atMs - reachMs; vote = votes[++from]) support -= vote.weight;
    if (!best || support > best.support) best = { atMs, support };
  }
  const total = sum(votes.map(({ weight }) => weight));
  return best && best.support >= LEAST_SUPPORT * total ? best.atMs : undefined;
}

interface Vote {
  readonly atMs: number;
  readonly weight: number;
}

function changeOf(series: Samples, untilMs: number): Vote | undefined {
  const { timesMs, values } = thinned(series, lowerBound(series.timesMs, untilMs + 1));
  const n = values.length;
  if (n < LEAST_ROWS) return undefined;
  const ranks = averageRanks(values);
  let running = 0;
  let [extreme, at] = [0, 0];
  for (let i = 0; i < n - 1; i++) {
    running += 2 * (ranks[i] ?? 0) - (n + 1);
    if (Math.abs(running) > extreme) [extreme, at] = [Math.abs(running), i + 1];
  }
  const weight = (6 * extreme ** 2) / (n ** 3 + n ** 2) - Math.LN2;
  if (weight < CLEAR) return undefined;
  const [before, after] = [median(values.subarray(0, at)), median(values.subarray(at))];
  const isLarge = Math.abs(after - before) >= LEAST_CHANGE * Math.max(Math.abs(before), Math.abs(after));
  return isLarge ? { atMs: timesMs[at] ?? 0, weight: Math.min(weight, MOST_WEIGHT) } : undefined;
}

function thinned({ timesMs, values }: Samples, rows: number): Samples {
  const length = Math.ceil(rows / MOST_ROWS);
  if (length <= 1) return { timesMs: timesMs.subarray(0, rows), values: values.subarray(0, rows) };
  const starts = Array.from({ length: Math.floor(rows / length) }, (_, i) => i * length);
  return {
    timesMs: Float64Array.from(starts, (start) => timesMs[start] ?? 0),
    values: Float64Array.from(starts, (start) => sum(values.subarray(start, start + length)) / length),
  };
}

/** Rank of each value, from 1; equal values share the middle of theirs. */
function averageRanks(values: Numbers): Float64Array {
  const ascending = sorted(values);
  const middle = new Map<number, number>();
  for (let first = 0; first < ascending.length;) {
    let end = first + 1;
    while (end < ascending.length && ascending[end] === ascending[first]) end++;
    middle.set(ascending[first] ?? 0, (first + end + 1) / 2);
    first = end;
  }
  return Float64Array.from(values, (value) => middle.get(value) ?? 0);
}
