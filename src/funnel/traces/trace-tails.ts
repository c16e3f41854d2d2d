import type { Fact } from '../metrics/metric-evidence.ts';
import { secondsWord } from '../metrics/number-words.ts';
import { median, quantile } from '../metrics/statistics.ts';
import { shortOperation, type Timing } from './span-times.ts';
import type { TraceShift } from './trace-shifts.ts';

/** A part of the calls at one place of the traces that takes far longer than any usually does, too small a part to move the upper quartile. */
export interface TraceTail extends Pick<TraceShift, 'kind' | 'caller' | 'service' | 'operation' | 'calls'> {
  readonly slow: number;
  readonly slowSeconds: number;
  /** The 99th percentile of the usual calls. */
  readonly usuallyAtMost: number;
}

const MIN_CALLS = 30;
/** Of a hundred usual calls one is slower than the 99th percentile. */
const USUALLY_BEYOND = 0.01;
const FACTOR = 2;
const LEAST_SECONDS = 0.02;
/** From a quarter on the upper quartile moves, and the place is a shift. */
const LARGEST_PART = 0.25;
const SIGMAS = 5;

/** Compares the slowest calls of each place with the usual ones; places with fewer than 30 calls on a side are left out. */
export function tailsOf(
  kind: TraceShift['kind'],
  now: ReadonlyMap<string, Timing>,
  before: ReadonlyMap<string, Timing>,
): TraceTail[] {
  return [...now].flatMap(([key, { caller, service, operation, seconds }]): TraceTail[] => {
    const usual = before.get(key)?.seconds ?? [];
    const calls = seconds.length;
    if (calls < MIN_CALLS || usual.length < MIN_CALLS) return [];
    const usuallyAtMost = quantile(usual, 1 - USUALLY_BEYOND);
    const border = Math.max(FACTOR * usuallyAtMost, usuallyAtMost + LEAST_SECONDS);
    const slow = seconds.filter((one) => one > border);
    const expected = USUALLY_BEYOND * calls;
    if (slow.length >= LARGEST_PART * calls || slow.length - expected < SIGMAS * Math.sqrt(expected + 1)) return [];
    return [{ kind, caller, service, operation, calls, slow: slow.length, slowSeconds: median(slow), usuallyAtMost }];
  });
}

/** Evidence of a tail: `edge:<caller>-><callee>/tail` or `trace:<service>/<operation>/tail`. */
export function tailFact({
  kind,
  caller,
  service,
  operation,
  calls,
  slow,
  slowSeconds,
  usuallyAtMost,
}: TraceTail): Fact {
  const where = shortOperation(operation);
  const isGap = kind === 'gap' && caller !== undefined;
  const place = isGap ? `time lost between ${caller} and ${service} (${where})` : `${service}'s own time in ${where}`;
  return {
    key: isGap ? `edge:${caller}->${service}/tail` : `trace:${service}/${where}/tail`,
    evidence: {
      kind: 'trace',
      service,
      statement: `${place} in ${slow} of ${calls} calls: ${secondsWord(slowSeconds)}, usually at most ${secondsWord(usuallyAtMost)}`,
      atMs: undefined,
      numbers: [slow, calls, slowSeconds, usuallyAtMost],
    },
  };
}
