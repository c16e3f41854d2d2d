/** Numbers over plain and typed arrays. Nothing here spreads an array into arguments, so length is no danger to the stack. */
export type Numbers = Float64Array | readonly number[];

/** Ascending copy; the input is untouched. */
export function sorted(values: Numbers): Float64Array {
  return Float64Array.from(values).sort();
}

/** Quantile by linear interpolation at rank q·(n−1) of an ascending array; 0 for an empty one. */
export function quantileOfSorted(ascending: Numbers, q: number): number {
  const n = ascending.length;
  if (n === 0) return 0;
  const rank = q * (n - 1);
  const low = Math.floor(rank);
  const from = ascending[low] ?? 0;
  const to = ascending[Math.min(low + 1, n - 1)] ?? from;
  return from + (to - from) * (rank - low);
}

export function quantile(values: Numbers, q: number): number {
  return quantileOfSorted(sorted(values), q);
}

export function median(values: Numbers): number {
  return quantile(values, 0.5);
}

export function sum(values: Numbers): number {
  let total = 0;
  for (const value of values) total += value;
  return total;
}

export function largest(values: Iterable<number>): number {
  let best = -Infinity;
  for (const value of values) if (value > best) best = value;
  return best === -Infinity ? 0 : best;
}

/** Highest and lowest mean of `length` neighbouring values, each with the index of its first value. Needs 1 ≤ length ≤ n. */
export function extremePieces(values: Numbers, length: number) {
  let running = 0;
  for (let i = 0; i < length; i++) running += values[i] ?? 0;
  let high = running;
  let low = running;
  let highAt = 0;
  let lowAt = 0;
  for (let i = length; i < values.length; i++) {
    running += (values[i] ?? 0) - (values[i - length] ?? 0);
    if (running > high) [high, highAt] = [running, i - length + 1];
    if (running < low) [low, lowAt] = [running, i - length + 1];
  }
  return { high: high / length, highAt, low: low / length, lowAt };
}

/** First index whose time is at or after `timeMs`; `times` ascending. */
export function lowerBound(times: Numbers, timeMs: number): number {
  let low = 0;
  let high = times.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((times[middle] ?? 0) < timeMs) low = middle + 1;
    else high = middle;
  }
  return low;
}
