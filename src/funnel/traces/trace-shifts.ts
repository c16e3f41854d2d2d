import type { Span } from '../../domain/telemetry.ts';
import type { IncidentModel } from '../incident-model.ts';
import { median, quantile } from '../metrics/statistics.ts';
import { measureSpans, type SpanTimes, type Timing } from './span-times.ts';
import { tailsOf, type TraceTail } from './trace-tails.ts';

/** Time added at one place of the traces. `gap`: between caller and callee; `self`: inside one operation. */
export interface TraceShift {
  readonly kind: 'gap' | 'self';
  readonly caller: string | undefined;
  readonly service: string;
  readonly operation: string;
  readonly usualSeconds: number;
  readonly nowSeconds: number;
  readonly addedSeconds: number;
  /** Added time against the usual spread. */
  readonly surprise: number;
  readonly calls: number;
  /** See `Timing`. */
  readonly callsOut: boolean;
}

/** Failed spans that begin at a service, now and as expected from the reference; `expected` is undefined without one. */
export interface TraceFailure {
  readonly service: string;
  readonly failed: number;
  readonly calls: number;
  readonly expected: number | undefined;
}

export interface TraceReading {
  readonly spans: number;
  readonly hasReference: boolean;
  readonly shifts: readonly TraceShift[];
  /** Empty without a reference. */
  readonly tails: readonly TraceTail[];
  readonly failures: readonly TraceFailure[];
}

const MIN_SPANS = 20;
const MIN_REFERENCE_SPANS = 50;
const MIN_CALLS = 3;
/** Two milliseconds stand for a usual gap when there is nothing to learn it from. */
const DEFAULT_GAP_SECONDS = 0.002;
const ABSOLUTE_FLOOR_SECONDS = 0.003;
const RELATIVE_FLOOR = 0.2;

/**
 * Compares the spans of the incident with a fault-free reference (the provider's, else the spans before the incident).
 * Undefined when there are too few spans. Without a reference only failures and gaps are judged, these against the gaps of all edges.
 */
export function readTraceShifts(model: IncidentModel): TraceReading | undefined {
  const { spans, reference } = model.telemetry;
  if (spans.length < MIN_SPANS) return undefined;
  const { fromMs, toMs } = model.window;
  const during = spans.filter((span) => span.timeUs >= fromMs * 1000 && span.timeUs <= toMs * 1000);
  const before = reference.spans.length ? reference.spans : spans.filter((span) => span.timeUs < fromMs * 1000);
  const measure = (list: readonly Span[]) => measureSpans(list, (name) => model.services.canonical(name));
  const now = measure(during.length < MIN_SPANS ? spans : during);
  const usual = before.length >= MIN_REFERENCE_SPANS ? measure(before) : undefined;
  const gapTimings = [...(usual ?? now).gaps.values()];
  const typicalGap = gapTimings.length ? median(gapTimings.map((gap) => median(gap.seconds))) : DEFAULT_GAP_SECONDS;
  const shifts = [
    ...shiftsOf('gap', now.gaps, usual?.gaps, { middle: typicalGap, upper: typicalGap, spread: 2 * typicalGap }),
    ...shiftsOf('self', now.selfTimes, usual?.selfTimes, undefined),
  ];
  const tails = usual
    ? [...tailsOf('gap', now.gaps, usual.gaps), ...tailsOf('self', now.selfTimes, usual.selfTimes)]
    : [];
  return { spans: now.spans, hasReference: usual !== undefined, shifts, tails, failures: failuresOf(now, usual) };
}

interface Usual {
  readonly middle: number;
  readonly upper: number;
  readonly spread: number;
}

function usualOf(timing: Timing | undefined): Usual | undefined {
  if (!timing || timing.seconds.length < MIN_CALLS) return undefined;
  const middle = median(timing.seconds);
  const spread = quantile(timing.seconds, 0.9) - middle;
  return { middle, upper: quantile(timing.seconds, 0.75), spread };
}

function shiftsOf(
  kind: TraceShift['kind'],
  now: ReadonlyMap<string, Timing>,
  before: ReadonlyMap<string, Timing> | undefined,
  fallback: Usual | undefined,
): TraceShift[] {
  return [...now].flatMap(([key, timing]): TraceShift[] => {
    const usual = usualOf(before?.get(key)) ?? fallback;
    const calls = timing.seconds.length;
    if (!usual || calls < MIN_CALLS) return [];
    // The upper quartile, because a part of the window may precede the onset.
    const nowSeconds = quantile(timing.seconds, calls >= 8 ? 0.75 : 0.5);
    const addedSeconds = nowSeconds - usual.upper;
    if (addedSeconds <= 0) return [];
    const surprise = addedSeconds / (usual.spread + ABSOLUTE_FLOOR_SECONDS + RELATIVE_FLOOR * usual.middle);
    const { caller, service, operation } = timing;
    const callsOut = timing.callsOut || before?.get(key)?.callsOut === true;
    return [
      {
        kind,
        caller,
        service,
        operation,
        usualSeconds: usual.upper,
        nowSeconds,
        addedSeconds,
        surprise,
        calls,
        callsOut,
      },
    ];
  });
}

function failuresOf(now: SpanTimes, usual: SpanTimes | undefined): TraceFailure[] {
  return [...now.failures].map(([service, failed]) => {
    const calls = now.calls.get(service) ?? failed;
    if (!usual) return { service, failed, calls, expected: undefined };
    const usualCalls = usual.calls.get(service) ?? 0;
    const rate = usualCalls > 0 ? (usual.failures.get(service) ?? 0) / usualCalls : 0;
    return { service, failed, calls, expected: rate * calls };
  });
}
