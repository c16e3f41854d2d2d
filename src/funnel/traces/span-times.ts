import type { Span } from '../../domain/telemetry.ts';

/** Where time is spent in a set of spans: samples in seconds, by operation and by call edge. */
export interface SpanTimes {
  readonly spans: number;
  /** Exclusive time of spans that wait for no other service. Key: service, operation. */
  readonly selfTimes: ReadonlyMap<string, Timing>;
  /** Caller's span minus callee's span: time on the way between them. Key: caller, callee, operation. */
  readonly gaps: ReadonlyMap<string, Timing>;
  /** Failed spans without a failed child, so where an error begins. Key: service. */
  readonly failures: ReadonlyMap<string, number>;
  /** Calls a service received from others (or started itself, for an entry). */
  readonly calls: ReadonlyMap<string, number>;
}

export interface Timing {
  readonly caller: string | undefined;
  readonly service: string;
  readonly operation: string;
  readonly seconds: number[];
}

/** `canonical` maps the service names of spans. Parents missing from `spans` are treated as outside. */
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
    // A span that waits for another service is measured by the gap and by that service's own spans.
    if (inner.every((child) => canonical(child.service) === service)) {
      addSample(selfTimes, undefined, service, span.operation, exclusiveSeconds(span, inner));
    }
    const parent = byId.get(span.parentId);
    const caller = parent && canonical(parent.service);
    if (parent && caller !== undefined && caller !== service) {
      addSample(gaps, caller, service, span.operation, Math.max(0, parent.durationUs - span.durationUs) / 1e6);
    }
    if (caller !== service) calls.set(service, (calls.get(service) ?? 0) + 1);
    if (span.error && !inner.some((child) => child.error)) failures.set(service, (failures.get(service) ?? 0) + 1);
  }
  return { spans: spans.length, selfTimes, gaps, failures, calls };
}

function addSample(
  into: Map<string, Timing>,
  caller: string | undefined,
  service: string,
  operation: string,
  seconds: number,
): void {
  const key = `${caller ?? ''}\n${service}\n${operation}`;
  const known = into.get(key);
  if (known) known.seconds.push(seconds);
  else into.set(key, { caller, service, operation, seconds: [seconds] });
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
