import type { LogRecord } from '../../domain/telemetry.ts';
import { FOLDED, type LogTemplate } from '../logs/templated-logs.ts';
import { isOnClock, NO_TIMES, widen } from '../logs/time-span.ts';
import type { RankContext } from './clue.ts';
import { earlyOnset } from './onset.ts';

export interface LogLine {
  readonly service: string;
  readonly template: LogTemplate;
  readonly record: LogRecord;
}

/** Lines of the incident and of a usual time, to be compared by rate. */
export interface LogComparison {
  readonly now: readonly LogLine[];
  readonly usual: readonly LogLine[];
  /** False when there is too little of a usual time to compare with; every error is then new to us. */
  readonly hasUsual: boolean;
  /** Lines now per usual line: scales usual counts to what is to be expected now. */
  readonly ratio: number;
}

/** So many lines show what is usual; of a quiet system fewer do, when they cover some time. */
const MIN_USUAL_LINES = 30;
const MIN_QUIET_LINES = 8;
const MIN_QUIET_MS = 300_000;

/** Splits the log at the incident window. The provider's fault-free reference is the usual time, else what precedes the window. */
export function compareLogs(context: RankContext): LogComparison {
  const { telemetry, window, triggerMs } = context.model;
  const { templated } = context.input;
  const lines = telemetry.logs.flatMap((record, i) => lineOf(context, record, templated.current[i]) ?? []);
  const timed = lines.filter(({ record }) => isOnClock(record.timeMs, triggerMs));
  const errorTimes = timed.filter(({ template }) => template.isError).map(({ record }) => record.timeMs);
  const firstMs = timed.reduce((first, { record }) => Math.min(first, record.timeMs), Infinity);
  const fromMs = earlyOnset(context, { firstMs, timesMs: errorTimes }) ?? window.fromMs;
  const isNow = ({ record: { timeMs } }: LogLine) =>
    !isOnClock(timeMs, triggerMs) || (timeMs >= fromMs && timeMs <= window.toMs);
  const now = lines.filter(isNow);
  const before = timed.filter(({ record }) => record.timeMs < fromMs);
  const untimed = lines.length - timed.length;
  const reference = telemetry.reference.logs.flatMap(
    (record, i) => lineOf(context, record, templated.reference[i]) ?? [],
  );
  const mostlyUntimed = untimed > telemetry.logs.length / 2;
  const usual = reference.length > 0 ? reference : mostlyUntimed ? [] : before;
  const usualMs = usual === reference ? lengthOf(reference) : fromMs - firstMs;
  const hasUsual = usual.length >= MIN_USUAL_LINES || (usual.length >= MIN_QUIET_LINES && usualMs >= MIN_QUIET_MS);
  return { now, usual, hasUsual, ratio: hasUsual ? now.length / usual.length : 1 };
}

/** Milliseconds from the first line to the last; NaN when no time is known. */
function lengthOf(lines: readonly LogLine[]): number {
  const { fromMs, toMs } = lines.reduce((span, { record }) => widen(span, record.timeMs), NO_TIMES);
  return toMs - fromMs;
}

function lineOf(context: RankContext, record: LogRecord, templateNumber: number | undefined): LogLine | undefined {
  if (templateNumber === undefined || templateNumber === FOLDED || !record.service) return undefined;
  const template = context.input.templated.templates[templateNumber];
  return template && { service: context.model.services.canonical(record.service), template, record };
}
