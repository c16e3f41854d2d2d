import { lowerBound, median } from '../metrics/statistics.ts';
import type { Samples } from '../metrics/usable-samples.ts';

export interface Trend {
  /** Value now by the line through all samples. */
  readonly level: number;
  readonly perMs: number;
  /** Whether the samples agree on a direction. */
  readonly isSteady: boolean;
}

/** Medians of so many equal parts of the window: pairs of all samples would be millions. */
const PARTS = 48;
const LEAST_PARTS = 6;
/** The samples have to cover so much of the window, for a new series tells little of a day. */
const LEAST_COVERED = 0.25;
/** Of the pairs of parts so many have to lie in the direction of the slope. Chance gives half, a sawtooth about as much. */
const AGREEING = 0.75;
/** Parts of the end that tell where it is now. */
const LAST_PARTS = 3;

/**
 * The trend by Theil–Sen: the median of the slopes between all pairs, which a third of outliers cannot move (Sen 1968). Undefined with too few samples or
 * too little of the window. The level is the median of the last parts, carried on by the slope: after a jump the line through everything would be of the past.
 */
export function trendOf(samples: Samples, windowMs: number): Trend | undefined {
  const parts = partsOf(samples);
  const spanMs = (samples.timesMs.at(-1) ?? 0) - (samples.timesMs[0] ?? 0);
  if (parts.length < LEAST_PARTS || spanMs < LEAST_COVERED * windowMs) return undefined;
  const slopes: number[] = [];
  for (const [i, from] of parts.entries()) {
    for (const to of parts.slice(i + 1)) slopes.push((to.value - from.value) / (to.timeMs - from.timeMs));
  }
  const perMs = median(slopes);
  const agreeing = slopes.filter((slope) => Math.sign(slope) === Math.sign(perMs)).length / slopes.length;
  const endMs = parts.at(-1)?.timeMs ?? 0;
  const level = median(parts.slice(-LAST_PARTS).map(({ timeMs, value }) => value + perMs * (endMs - timeMs)));
  return { level, perMs, isSteady: perMs !== 0 && agreeing >= AGREEING };
}

function partsOf({ timesMs, values }: Samples): readonly { readonly timeMs: number; readonly value: number }[] {
  const first = timesMs[0] ?? 0;
  const spanMs = (timesMs.at(-1) ?? 0) - first;
  if (timesMs.length <= PARTS) return Array.from(timesMs, (timeMs, i) => ({ timeMs, value: values[i] ?? 0 }));
  return Array.from({ length: PARTS }, (_, i) => {
    const from = lowerBound(timesMs, first + (spanMs * i) / PARTS);
    const to = i === PARTS - 1 ? timesMs.length : lowerBound(timesMs, first + (spanMs * (i + 1)) / PARTS);
    const rows = values.subarray(from, to);
    return { timeMs: median(timesMs.subarray(from, to)), value: median(rows), count: rows.length };
  }).filter(({ count }) => count > 0);
}
