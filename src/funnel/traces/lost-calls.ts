import type { Span } from '../../domain/telemetry.ts';
import type { IncidentModel } from '../incident-model.ts';
import type { Fact } from '../metrics/metric-evidence.ts';
import { shortOperation } from './span-times.ts';

/** Calls that a kind of request always made and now does not. Counts are of requests. */
export interface LostCall {
  readonly caller: string;
  /** The operation of the caller whose requests are counted. */
  readonly operation: string;
  readonly callee: string;
  readonly calls: number;
  readonly expected: number;
  readonly requests: number;
}

/** Below this share of the calls that were to come a path has ended. */
const MOST_LEFT = 0.5;
/** Standard errors of the binomial count; hundreds of paths are compared. */
const SIGMAS = 5;
const MIN_REQUESTS = 10;
/** What is lost is lost by the time of the alert: the window before it may still be quiet. */
const BEFORE_TRIGGER_MS = 60_000;
const MAX_FACTS = 5;

/**
 * Finds calls that are no longer made: code that stops early or an answer from a cache leaves no slow and no failed span, only none. Compared by request
 * of the same operation, so that fewer requests are no finding. Most lost calls first; empty without a fault-free time.
 */
export function findLostCalls(model: IncidentModel): readonly LostCall[] {
  const { telemetry, services, triggerMs, window } = model;
  const canonical = (name: string) => services.canonical(name);
  const within = (fromMs: number, toMs: number) => (span: Span) =>
    span.timeUs >= fromMs * 1000 && span.timeUs <= toMs * 1000;
  const calm = telemetry.reference.spans.length
    ? telemetry.reference.spans
    : telemetry.spans.filter(within(-Infinity, window.fromMs));
  const usual = countCalls(calm, canonical);
  const current = countCalls(telemetry.spans.filter(within(triggerMs - BEFORE_TRIGGER_MS, window.toMs)), canonical);
  return [...usual.values()]
    .flatMap((path) => lostOn(path, current))
    .toSorted((a, b) => b.expected - b.calls - (a.expected - a.calls) || (a.callee < b.callee ? -1 : 1));
}

/** Requests of one operation of a service, and how many of them called each other service. */
interface Path {
  readonly service: string;
  readonly operation: string;
  requests: number;
  readonly callees: Map<string, number>;
}

function countCalls(spans: readonly Span[], canonical: (name: string) => string): Map<string, Path> {
  const byId = new Map(spans.map((span) => [span.spanId, span]));
  const paths = new Map<string, Path>();
  const pathOf = (service: string, operation: string) => {
    const key = `${service}\n${operation}`;
    const path = paths.get(key) ?? { service, operation, requests: 0, callees: new Map() };
    paths.set(key, path);
    return path;
  };
  const counted = new Set<string>();
  for (const span of spans) {
    const service = canonical(span.service);
    const parent = byId.get(span.parentId);
    if (parent && canonical(parent.service) === service) continue;
    pathOf(service, span.operation).requests++;
    const entry = parent && entryOf(parent, byId, canonical);
    // One request may call a service many times: whether it does is what counts.
    if (!entry || counted.has(`${entry.spanId}\n${service}`)) continue;
    counted.add(`${entry.spanId}\n${service}`);
    const { callees } = pathOf(canonical(entry.service), entry.operation);
    callees.set(service, (callees.get(service) ?? 0) + 1);
  }
  return paths;
}

const MAX_DEPTH = 50;

/** The span by which the request came into the service of `span`; undefined when the spans between run in circles. */
function entryOf(span: Span, byId: ReadonlyMap<string, Span>, canonical: (name: string) => string): Span | undefined {
  let at = span;
  for (let depth = 0; depth < MAX_DEPTH; depth++) {
    const parent = byId.get(at.parentId);
    if (!parent || canonical(parent.service) !== canonical(at.service)) return at;
    at = parent;
  }
  return undefined;
}

function lostOn(usual: Path, current: ReadonlyMap<string, Path>): LostCall[] {
  const now = current.get(`${usual.service}\n${usual.operation}`);
  if (!now || now.requests < MIN_REQUESTS || usual.requests < MIN_REQUESTS) return [];
  return [...usual.callees].flatMap(([callee, count]): LostCall[] => {
    const calls = now.callees.get(callee) ?? 0;
    // One more of each kind: a share seen in few requests is never quite 0 or 1.
    const share = (count + 1) / (usual.requests + 2);
    const expected = share * now.requests;
    const scatter = Math.sqrt(now.requests * share * (1 - share) * (1 + now.requests / usual.requests)) + 1;
    if (calls > MOST_LEFT * expected || expected - calls < SIGMAS * scatter) return [];
    return [{ caller: usual.service, operation: usual.operation, callee, calls, expected, requests: now.requests }];
  });
}

/** Evidence of the calls lost most, `edge:<caller>-><callee>/lost`; at most five. */
export function lostCallFacts(lost: readonly LostCall[]): readonly Fact[] {
  const byEdge = new Map<string, LostCall>();
  for (const call of lost) {
    const edge = `${call.caller}->${call.callee}`;
    if (!byEdge.has(edge)) byEdge.set(edge, call);
  }
  return [...byEdge].slice(0, MAX_FACTS).map(([edge, { caller, operation, callee, calls, expected, requests }]) => {
    const usually = Math.round(expected);
    const statement =
      `${caller} calls ${callee} ${calls === 0 ? 'no more' : 'less'} (${shortOperation(operation)}): ` +
      `${calls} of ${requests} requests since a minute before the alert do, where ${usually} would usually`;
    return {
      key: `edge:${edge}/lost`,
      evidence: { kind: 'trace', service: callee, statement, atMs: undefined, numbers: [calls, requests, usually] },
    };
  });
}
