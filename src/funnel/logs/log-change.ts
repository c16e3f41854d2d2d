/** How a template behaves in the window against the fault-free time. `uncompared` when there is no such time. */
export type LogChange = 'new' | 'burst' | 'fewer' | 'vanished' | 'steady' | 'uncompared';

/** Lines of one template, counted in the window and in the fault-free time. */
export interface LineCounts {
  readonly count: number;
  /** Lines the fault-free time lets expect in the window. */
  readonly expected: number;
  /** Lines it lets expect between the last line of the window and the window's end. */
  readonly expectedSinceLast: number;
  /** Length of the window over length of the fault-free time. */
  readonly scale: number;
  /** See `dispersionOf`. */
  readonly dispersion: number;
  /** Silence since the last line, over the longest silence between two lines before it. */
  readonly silenceRatio: number;
}

/** Standard errors from which a count differs: of a thousand templates, one does so by chance in every window. */
const SIGMAS = 3;
const FACTOR = 2;
/** With five lines expected, none at all happens by chance in 1 of 150 windows: e^-5. */
const MIN_EXPECTED_TO_VANISH = 5;
/** To stop in the middle of the window may happen at many moments: e^-8 is one in 3,000. */
const MIN_EXPECTED_TO_STOP = 8;
/** Lines that come in bursts are silent in between: a silence counts when it is much longer than any before. */
const MIN_SILENCE_RATIO = 3;

/**
 * Compares two counts of lines that come at random times. Both scatter (Poisson, widened by the dispersion), the expected one too, since it was
 * counted over a time of its own: the variance of their difference is φ·µ·(1 + scale), plus one line for a time too short to see it.
 */
export function judgeCounts(counts: LineCounts): LogChange {
  const { count, expected, expectedSinceLast, scale, dispersion, silenceRatio } = counts;
  if (expected === 0) return count > 0 ? 'new' : 'steady';
  if (count === 0) return expected / dispersion >= MIN_EXPECTED_TO_VANISH ? 'vanished' : 'steady';
  const hasStopped = expectedSinceLast / dispersion >= MIN_EXPECTED_TO_STOP && silenceRatio >= MIN_SILENCE_RATIO;
  if (hasStopped) return 'vanished';
  const sigmas = (count - expected) / Math.sqrt(dispersion * expected * (1 + scale) + 1);
  if (count >= FACTOR * expected && sigmas > SIGMAS) return 'burst';
  return count * FACTOR <= expected && sigmas < -SIGMAS ? 'fewer' : 'steady';
}

/** With fewer stretches their scatter is itself a guess. */
const MIN_STRETCHES = 4;

/**
 * How much more than by chance a template's lines crowd: variance over mean of its counts in stretches of equal length, at least 1. A job that
 * writes all its lines once an hour has a large one, so that its silence means little.
 */
export function dispersionOf(counts: readonly number[], stretches: number): number {
  if (stretches < MIN_STRETCHES) return 1;
  let [sum, squares] = [0, 0];
  for (let i = 0; i < stretches; i++) {
    const count = counts[i] ?? 0;
    sum += count;
    squares += count * count;
  }
  if (sum === 0) return 1;
  const mean = sum / stretches;
  return Math.max(1, (squares - sum * mean) / (stretches - 1) / mean);
}
