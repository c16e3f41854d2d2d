import { isOnClock, NO_TIMES, type TimeSpan, widen } from './time-span.ts';
import type { LogRecord } from '../../domain/telemetry.ts';
import type { ServiceMap } from '../services.ts';
import { FOLDED, type LogTemplate, type TemplatedLogs } from './templated-logs.ts';

export interface LogLayerInput {
  readonly logs: readonly LogRecord[];
  /** Records of a fault-free time; empty when there is no such reference. */
  readonly reference: readonly LogRecord[];
  readonly templated: TemplatedLogs;
  readonly services: ServiceMap;
  readonly triggerMs: number;
  /** The time of the incident that is looked at. Records before it serve as the fault-free time when there is no reference. */
  readonly windowFromMs: number;
  readonly windowToMs: number;
}

/** How a template behaves in the window against the fault-free time. `uncompared` when there is no such time. */
export type LogChange = 'new' | 'burst' | 'vanished' | 'steady' | 'uncompared';

/** One template in numbers. Times are NaN when no record of it in the window carries one. */
export interface TemplateMeasure {
  readonly template: LogTemplate;
  /** Lines in the window; records without a usable time count. */
  readonly count: number;
  /** Lines the fault-free time lets expect in a window of this length; undefined when there is no such time. */
  readonly expected: number | undefined;
  readonly change: LogChange;
  readonly firstMs: number;
  readonly lastMs: number;
  /** Lines in the window by service, most first. For a vanished template those of the fault-free time. */
  readonly services: readonly (readonly [string, number])[];
}

/** The whole input, counted. Lines in the window + lines outside + folded lines = number of records in `logs`. */
export interface LogMeasures {
  readonly templates: readonly TemplateMeasure[];
  readonly linesInWindow: number;
  readonly linesOutside: number;
  readonly foldedLines: number;
  readonly triggerMs: number;
}

/** Counts every template in the window and in the fault-free time. */
export function measureLogs(input: LogLayerInput): LogMeasures {
  const records = onOneClock(input);
  const window: TimeSpan = { fromMs: input.windowFromMs, toMs: input.windowToMs };
  const current = tally(input, records, input.templated.current, window);
  const calm = faultFree(input, records);
  const scale = calm === undefined ? undefined : scaleOf(current, calm);
  const templates = input.templated.templates.map((template): TemplateMeasure => {
    const now = current.of[template.number];
    const before = calm?.of[template.number];
    const count = now?.count ?? 0;
    const expected = scale === undefined ? undefined : (before?.count ?? 0) * scale;
    return {
      template,
      count,
      expected,
      change: judge(count, expected, before?.count ?? 0),
      firstMs: now?.times.fromMs ?? NaN,
      lastMs: now?.times.toMs ?? NaN,
      services: byCount((count > 0 ? now : before)?.services),
    };
  });
  return {
    templates,
    linesInWindow: current.lines,
    linesOutside: current.outside,
    foldedLines: current.folded,
    triggerMs: input.triggerMs,
  };
}

interface Lines {
  count: number;
  times: TimeSpan;
  readonly services: Map<string, number>;
}

interface Tally {
  readonly of: readonly (Lines | undefined)[];
  readonly lines: number;
  readonly outside: number;
  readonly folded: number;
  /** From the first to the last record counted. */
  readonly covered: TimeSpan;
}

function tally(input: LogLayerInput, records: readonly LogRecord[], numbers: Int32Array, window: TimeSpan): Tally {
  const of: (Lines | undefined)[] = [];
  let [lines, outside, folded] = [0, 0, 0];
  let covered = NO_TIMES;
  records.forEach((record, index) => {
    const number = numbers[index] ?? FOLDED;
    if (number === FOLDED) folded++;
    else if (record.timeMs < window.fromMs || record.timeMs > window.toMs) outside++;
    else {
      lines++;
      covered = widen(covered, record.timeMs);
      const service = input.services.canonical(record.service);
      const known = (of[number] ??= { count: 0, times: NO_TIMES, services: new Map() });
      known.count++;
      known.times = widen(known.times, record.timeMs);
      known.services.set(service, (known.services.get(service) ?? 0) + 1);
    }
  });
  return { of, lines, outside, folded, covered };
}

function onOneClock({ logs, triggerMs }: LogLayerInput): LogRecord[] {
  return logs.map((record) => (isOnClock(record.timeMs, triggerMs) ? record : { ...record, timeMs: NaN }));
}

/** The reference, else the records from before the window; undefined when there are none. */
function faultFree(input: LogLayerInput, records: readonly LogRecord[]): Tally | undefined {
  const { reference, templated } = input;
  const always: TimeSpan = { fromMs: -Infinity, toMs: Infinity };
  if (reference.length > 0) return tally(input, reference, templated.reference, always);
  const isBefore = (record: LogRecord | undefined) => record !== undefined && record.timeMs < input.windowFromMs;
  const before = records.filter(isBefore);
  const numbers = templated.current.filter((_, index) => isBefore(records[index]));
  return before.length > 0 ? tally(input, before, numbers, always) : undefined;
}

/** Below this a span says nothing about a rate. */
const MIN_SPAN_MS = 10_000;

/** Length of the window over length of the fault-free time, as far as records cover them; 1 when a length is unknown. */
function scaleOf(current: Tally, calm: Tally): number {
  const length = ({ fromMs, toMs }: TimeSpan) => toMs - fromMs;
  const [now, before] = [length(current.covered), length(calm.covered)];
  return now >= MIN_SPAN_MS && before >= MIN_SPAN_MS ? now / before : 1;
}

/** Lines come at random times: counts scatter by the square root of what is expected (Poisson). */
const SIGMAS = 3;
/** With five lines expected, none at all happens by chance in 1 of 150 windows: e^-5. */
const MIN_EXPECTED_TO_VANISH = 5;

function judge(count: number, expected: number | undefined, seenBefore: number): LogChange {
  if (expected === undefined) return 'uncompared';
  if (count === 0) return expected >= MIN_EXPECTED_TO_VANISH ? 'vanished' : 'steady';
  if (seenBefore === 0) return 'new';
  const isBurst = count >= 2 * expected && count > expected + SIGMAS * Math.sqrt(expected + 1);
  return isBurst ? 'burst' : 'steady';
}

function byCount(services: ReadonlyMap<string, number> | undefined): (readonly [string, number])[] {
  return [...(services ?? [])].toSorted(([a, m], [b, n]) => n - m || (a < b ? -1 : 1));
}
