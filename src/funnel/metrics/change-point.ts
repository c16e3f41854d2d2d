import type { Numbers } from './statistics.ts';

/** The shifted stretch of a series: rows `from` to `to`, both inclusive. `from` is the change point. */
export interface Shift {
  readonly from: number;
  readonly to: number;
}

/**
 * Finds where a shift around a known extreme began and ended: the stretch that holds row `peakAt` with the largest
 * cumulative sum of deviation from `usual` minus half of `size` (Page's CUSUM, Biometrika 1954, whose best reference
 * value for a shift of known size is half of it). Deviations are clipped to `size`, so one outlier cannot bridge a long
 * return to normal. `size` is signed: negative looks for a drop. Undefined when `size` is 0 or the row does not deviate.
 */
export function findShift(values: Numbers, usual: number, size: number, peakAt: number): Shift | undefined {
  const height = Math.abs(size);
  const peak = values[peakAt];
  if (!(height > 0) || peak === undefined) return undefined;
  const gain = (row: number) => {
    const deviation = ((values[row] ?? usual) - usual) * Math.sign(size);
    return Math.max(-height, Math.min(height, deviation)) - height / 2;
  };
  if (gain(peakAt) <= 0) return undefined;
  return {
    from: furthestGain(gain, peakAt, -1, -1),
    to: furthestGain(gain, peakAt, 1, values.length),
  };
}

/** Walks from a row to the end and returns the row where the running sum was highest. */
function furthestGain(gain: (row: number) => number, start: number, step: 1 | -1, end: number): number {
  let best = 0;
  let bestAt = start;
  let running = 0;
  for (let row = start + step; row !== end; row += step) {
    running += gain(row);
    if (running > best) [best, bestAt] = [running, row];
  }
  return bestAt;
}
