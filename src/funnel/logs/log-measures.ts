import { isOnClock, NO_TIMES, type TimeSpan, widen } from './time-span.ts';
import type { LogRecord } from '../../domain/telemetry.ts';
import type { ServiceMap } from '../services.ts';
import { dispersionOf, judgeCounts, type LogChange } from './log-change.ts';
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

/** One template in numbers. Times are NaN when no record of it in the window carries one. */
export interface TemplateMeasure {
  readonly template: LogTemplate;
  /** Lines in the window; records without a usable time count. */
  readonly count: number;
  /** Lines in the fault-free time. */
  readonly countBefore: number;
  /** Lines the fault-free time lets expect in a window of this length; undefined when there is no such time. */
  readonly expected: number | undefined;
  /** Of these, the lines that were to come after the last one that came. */
  readonly expectedSinceLast: number;
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
  /** Templates without errors that a time as long as the window sees for the first time, even when all is well. */
  readonly usuallyNew: number;
  /** How many templates without errors changed in each way. */
  readonly crowds: ReadonlyMap<LogChange, number>;
  /** Place in time of the templates of errors that began or grew, by their numbers; 0 is the first. */
  readonly errorPlaces: ReadonlyMap<number, number>;
  readonly triggerMs: number;
}

/** Counts every template in the window and in the fault-free time. */
export function measureLogs(input: LogLayerInput): LogMeasures {
  const records = onOneClock(input);
  const window: TimeSpan = { fromMs: input.windowFromMs, toMs: input.windowToMs };
  const current = tally(input, records, input.templated.current, window);
  const calm = faultFree(input, records, current);
  const templates = input.templated.templates.map((template) =>
    measureTemplate(template, current, calm && { ...calm, scale: scaleOf(current, calm) }),
  );
  return {
    templates,
    linesInWindow: current.lines,
    linesOutside: current.outside,
    foldedLines: current.folded,
    crowds: crowdsOf(templates),
    errorPlaces: errorPlaces(templates),
    usuallyNew: calm === undefined ? 0 : usuallyNew(input, current, calm),
    triggerMs: input.triggerMs,
  };
}

function measureTemplate(
  template: LogTemplate,
  current: Tally,
  calm: (Tally & { readonly scale: number }) | undefined,
): TemplateMeasure {
  const now = current.of[template.number];
  const before = calm?.of[template.number];
  const common = {
    template,
    count: now?.count ?? 0,
    countBefore: before?.count ?? 0,
    firstMs: now?.times.fromMs ?? NaN,
    lastMs: now?.times.toMs ?? NaN,
    services: byCount((now ?? before)?.services),
  };
  if (calm === undefined) return { ...common, expected: undefined, expectedSinceLast: 0, change: 'uncompared' };
  const { scale } = calm;
  const expected = common.countBefore * scale;
  const silentMs = current.covered.toMs - common.lastMs;
  const expectedSinceLast = silentMs > 0 ? (expected * silentMs) / lengthOf(current.covered) : 0;
  const dispersion = dispersionOf(before?.stretches ?? [], calm.stretches);
  const longestMs = Math.max(now?.longestGapMs ?? 0, before?.longestGapMs ?? 0);
  const silenceRatio = longestMs > 0 ? silentMs / longestMs : Infinity;
  const change = judgeCounts({ count: common.count, expected, expectedSinceLast, scale, dispersion, silenceRatio });
  return { ...common, expected, expectedSinceLast, change };
}

function crowdsOf(templates: readonly TemplateMeasure[]): ReadonlyMap<LogChange, number> {
  const crowds = new Map<LogChange, number>();
  for (const { template, change } of templates) {
    if (!template.isError) crowds.set(change, (crowds.get(change) ?? 0) + 1);
  }
  return crowds;
}

function errorPlaces(templates: readonly TemplateMeasure[]): ReadonlyMap<number, number> {
  const inTime = templates
    .filter(({ template, change, firstMs }) => template.isError && change !== 'steady' && !Number.isNaN(firstMs))
    .toSorted((a, b) => a.firstMs - b.firstMs);
  return new Map(inTime.map(({ template }, place) => [template.number, place]));
}

interface Lines {
  count: number;
  times: TimeSpan;
  readonly services: Map<string, number>;
  /** Longest time between two neighbouring lines; too long where the records are not in order of time. */
  longestGapMs: number;
  /** Lines in each stretch of the time counted. */
  readonly stretches: number[];
}

interface Tally {
  readonly of: readonly (Lines | undefined)[];
  readonly lines: number;
  readonly outside: number;
  readonly folded: number;
  /** From the first to the last record counted. */
  readonly covered: TimeSpan;
  /** How many stretches of the length asked for the time covered holds. */
  readonly stretches: number;
}

function tally(
  input: LogLayerInput,
  records: readonly LogRecord[],
  numbers: Int32Array,
  window: TimeSpan,
  stretchMs = Infinity,
): Tally {
  const of: (Lines | undefined)[] = [];
  let [lines, outside, folded] = [0, 0, 0];
  let covered = NO_TIMES;
  const fromMs = Number.isFinite(window.fromMs) ? window.fromMs : earliestOf(records);
  records.forEach((record, index) => {
    const number = numbers[index] ?? FOLDED;
    if (number === FOLDED) folded++;
    else if (record.timeMs < window.fromMs || record.timeMs > window.toMs) outside++;
    else {
      lines++;
      covered = widen(covered, record.timeMs);
      const service = input.services.canonical(record.service);
      const known = (of[number] ??= { count: 0, times: NO_TIMES, services: new Map(), longestGapMs: 0, stretches: [] });
      known.count++;
      known.longestGapMs = Math.max(known.longestGapMs, record.timeMs - known.times.toMs || 0);
      const stretch = Math.floor((record.timeMs - fromMs) / stretchMs);
      if (stretch >= 0 && stretch < MAX_STRETCHES) known.stretches[stretch] = (known.stretches[stretch] ?? 0) + 1;
      known.times = widen(known.times, record.timeMs);
      known.services.set(service, (known.services.get(service) ?? 0) + 1);
    }
  });
  const stretches = lines > 0 ? Math.min(MAX_STRETCHES, Math.floor((covered.toMs - fromMs) / stretchMs) || 0) : 0;
  return { of, lines, outside, folded, covered, stretches };
}

function earliestOf(records: readonly LogRecord[]): number {
  return records.reduce((first, { timeMs }) => (timeMs < first ? timeMs : first), Infinity);
}

function onOneClock({ logs, triggerMs }: LogLayerInput): LogRecord[] {
  return logs.map((record) => (isOnClock(record.timeMs, triggerMs) ? record : { ...record, timeMs: NaN }));
}

/** The reference, else the records from before the window; undefined when there are none. */
function faultFree(input: LogLayerInput, records: readonly LogRecord[], current: Tally): Tally | undefined {
  const { reference, templated } = input;
  const always: TimeSpan = { fromMs: -Infinity, toMs: Infinity };
  const stretchMs = Math.max(MIN_SPAN_MS, lengthOf(current.covered)) || Infinity;
  if (reference.length > 0) return tally(input, reference, templated.reference, always, stretchMs);
  const isBefore = (record: LogRecord | undefined) => record !== undefined && record.timeMs < input.windowFromMs;
  const before = records.filter(isBefore);
  const numbers = templated.current.filter((_, index) => isBefore(records[index]));
  return before.length > 0 ? tally(input, before, numbers, always, stretchMs) : undefined;
}

/** A fault-free time is some hours at most; what is longer has a broken clock in it. */
const MAX_STRETCHES = 1000;
/** Below this a span says nothing about a rate. */
const MIN_SPAN_MS = 10_000;

/** Length of the window over length of the fault-free time, as far as records cover them; 1 when a length is unknown. */
function scaleOf(current: Tally, calm: Tally): number {
  const [now, before] = [lengthOf(current.covered), lengthOf(calm.covered)];
  return now >= MIN_SPAN_MS && before >= MIN_SPAN_MS ? now / before : 1;
}

/** From the second half of the fault-free time: in its first half everything is seen for the first time. */
function usuallyNew({ templated }: LogLayerInput, current: Tally, calm: Tally): number {
  const { fromMs, toMs } = calm.covered;
  const half = (toMs - fromMs) / 2;
  if (!(half >= MIN_SPAN_MS)) return 0;
  const late = templated.templates.filter(
    ({ number, isError }) => !isError && (calm.of[number]?.times.fromMs ?? fromMs) >= fromMs + half,
  );
  return (late.length * (lengthOf(current.covered) || 0)) / half;
}

const lengthOf = ({ fromMs, toMs }: TimeSpan): number => toMs - fromMs;

function byCount(services: ReadonlyMap<string, number> | undefined): (readonly [string, number])[] {
  return [...(services ?? [])].toSorted(([a, m], [b, n]) => n - m || (a < b ? -1 : 1));
}
