import type { LogRecord } from '../../domain/telemetry.ts';
import { FOLDED, type LogTemplate } from '../logs/templated-logs.ts';
import { isOnClock } from '../logs/time-span.ts';
import type { RankContext } from './clue.ts';

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

const MIN_USUAL_LINES = 30;

/** A state that can stop a service. */
const GRAVE = 0.45;
/** Alerts with long averages come late, yet not by more than this. */
const LATEST_ALERT_MS = 20 * 60_000;
/** A probe fails several times before a pod is called unready. */
const BEFORE_STATE_MS = 60_000;

/** When the first object became as bad as it is, if that was shortly before the alert: the incident is as old, however late the alert. */
function stateOnset({ model, input }: RankContext): number | undefined {
  const onsets = input.states
    .filter(({ evidence, severity }) => evidence.kind === 'state' && severity >= GRAVE)
    .flatMap(({ evidence }) => evidence.atMs ?? [])
    .filter((atMs) => atMs >= model.triggerMs - LATEST_ALERT_MS && atMs <= model.triggerMs);
  return onsets.length > 0 ? Math.min(...onsets) - BEFORE_STATE_MS : undefined;
}

/** Splits the log at the incident window. The provider's fault-free reference is the usual time, else what precedes the window. */
export function compareLogs(context: RankContext): LogComparison {
  const { telemetry, window, triggerMs } = context.model;
  const { templated } = context.input;
  const fromMs = Math.min(window.fromMs, stateOnset(context) ?? window.fromMs);
  const now: LogLine[] = [];
  const before: LogLine[] = [];
  let untimed = 0;
  telemetry.logs.forEach((record, i) => {
    const line = lineOf(context, record, templated.current[i]);
    if (!line) return;
    const isTimed = isOnClock(record.timeMs, triggerMs);
    if (!isTimed) untimed++;
    if (!isTimed || (record.timeMs >= fromMs && record.timeMs <= window.toMs)) now.push(line);
    else if (record.timeMs < fromMs) before.push(line);
  });
  const reference = telemetry.reference.logs.flatMap(
    (record, i) => lineOf(context, record, templated.reference[i]) ?? [],
  );
  const mostlyUntimed = untimed > telemetry.logs.length / 2;
  const usual = reference.length > 0 ? reference : mostlyUntimed ? [] : before;
  const hasUsual = usual.length >= MIN_USUAL_LINES;
  return { now, usual, hasUsual, ratio: hasUsual ? now.length / usual.length : 1 };
}

function lineOf(context: RankContext, record: LogRecord, templateNumber: number | undefined): LogLine | undefined {
  if (templateNumber === undefined || templateNumber === FOLDED || !record.service) return undefined;
  const template = context.input.templated.templates[templateNumber];
  return template && { service: context.model.services.canonical(record.service), template, record };
}
