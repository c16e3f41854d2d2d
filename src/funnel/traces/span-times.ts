import type { Span } from '../../domain/telemetry.ts';

/** Where time is spent in a set of spans: samples in seconds, by operation and by call edge. */
export interface SpanTimes {
  readonly spans: number;
  /** Exclusive time of spans that are no client spans. Key: service, operation. */
  readonly selfTimes: ReadonlyMap<string, Timing>;
  /** Caller's client span minus what the callee's spans cover: time on the way between them. Key: caller, callee, operation. */
  readonly gaps: ReadonlyMap<string, Timing>;
  /** Failed spans without a failed child, so where an error begins. Key: service. */
  readonly failures: ReadonlyMap<string, number>;
  /** Calls a service received from others (or started itself, for an entry). */
  readonly calls: ReadonlyMap<string, number>;
}

const MAX_OPERATION = 60;

/** The name of an operation as sentences and keys carry it: foreign text of any length, cut to 60 characters. */
export function shortOperation(operation: string): string {
  return operation.slice(0, MAX_OPERATION);
}

export interface Timing {
  readonly caller: string | undefined;
  readonly service: string;
  readonly operation: string;
  readonly seconds: number[];
  /** True when any of the spans called other services itself, without client spans: their remainder may lie on the way to those. */
  callsOut: boolean;
}

/**
 * `canonical` maps the service names of spans. Parents missing from `spans` are treated as outside. A span is a client span when it calls another
 * service from inside a span of its own: a span that was itself called from elsewhere is a server span, whose remainder is its own work.
 */
export function measureSpans(spans: readonly Span[], canonical: (name: string) => string): SpanTimes {
  const byId = new Map(spans.map((span) => [span.spanId, span]));
  const children = new Map<string, Span[]>();
  for (const span of spans) {
    const siblings = children.get(span.parentId);
    if (siblings) siblings.push(span);
    else children.set(span.parentId, [span]);
  }
  const selfTimes = new Map<string, Timing>();
  const gaps = new Map<string, Timing>();
  const failures = new Map<string, number>();
  const calls = new Map<string, number>();
  for (const span of spans) {
    const service = canonical(span.service);
    const inner = children.get(span.spanId) ?? [];
    const parent = byId.get(span.parentId);
    const caller = parent && canonical(parent.service);
    const remote = inner.filter((child) => canonical(child.service) !== service);
    if (remote.length === 0 || caller !== service) {
      const place = { caller: undefined, service, operation: span.operation, callsOut: remote.length > 0 };
      addSample(selfTimes, place, exclusiveSeconds(span, inner));
    } else {
      const seconds = secondsOnTheWay(span, inner);
      for (const child of remote) {
        const place = {
          caller: service,
          service: canonical(child.service),
          operation: child.operation,
          callsOut: false,
        };
        addSample(gaps, place, seconds);
      }
    }
    if (caller !== service) calls.set(service, (calls.get(service) ?? 0) + 1);
    if (span.error && !inner.some((child) => child.error)) failures.set(service, (failures.get(service) ?? 0) + 1);
  }
  return { spans: spans.length, selfTimes, gaps, failures, calls };
}

function addSample(into: Map<string, Timing>, place: Omit<Timing, 'seconds'>, seconds: number): void {
  const key = `${place.caller ?? ''}\n${place.service}\n${place.operation}`;
  const known = into.get(key);
  if (known) {
    known.seconds.push(seconds);
    known.callsOut ||= place.callsOut;
  } else into.set(key, { ...place, seconds: [seconds] });
}

/** What a client span does not spend inside its callee. Of one call by durations alone, for the clocks of two hosts differ; several share the rest. */
function secondsOnTheWay(client: Span, inner: readonly Span[]): number {
  const [call] = inner;
  if (inner.length === 1 && call) return Math.max(0, client.durationUs - call.durationUs) / 1e6;
  return exclusiveSeconds(client, inner);
}

/** Duration minus the union of the children's intervals. */
function exclusiveSeconds(span: Span, children: readonly Span[]): number {
  const end = span.timeUs + span.durationUs;
  let covered = 0;
  let reached = span.timeUs;
  for (const child of [...children].sort((a, b) => a.timeUs - b.timeUs)) {
    const from = Math.max(child.timeUs, reached);
    const to = Math.min(child.timeUs + child.durationUs, end);
    if (to > from) [covered, reached] = [covered + to - from, to];
  }
  return Math.max(0, span.durationUs - covered) / 1e6;
}
