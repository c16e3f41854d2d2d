import { json, type AskedOfServer, type PlainReply } from '../http-imitation.ts';
import type { TestSpan } from './test-spans.ts';
import { startTraceImitation, type LoadedTrace, type TraceImitation } from './trace-test-server.ts';

type Traces = ReadonlyMap<string, LoadedTrace>;

/** Default of `limit` (jaegertracing.io/docs, "HTTP JSON"). */
const DEFAULT_LIMIT = 100;

/** Jaeger's `/api` as its storages for production answer: they know the tag `error`, and give the newest traces first. */
export function startJaegerImitation(): Promise<TraceImitation> {
  return startTraceImitation(answer);
}

function answer({ method, path, params }: AskedOfServer, traces: Traces): PlainReply {
  if (method !== 'GET') return { status: 405, body: '' };
  if (path === '/api/services') return data([...new Set(all(traces).map(({ service }) => service))]);
  if (path === '/api/operations') return operations(params, traces);
  if (path === '/api/traces') return search(params, traces);
  if (path === '/api/dependencies') return data(dependencies(params, traces));
  const id = /^\/api\/traces\/([^/]+)$/.exec(path)?.[1];
  if (id !== undefined) return oneTrace(id, traces);
  // Its page answers for every other path.
  return { status: 200, body: '<!DOCTYPE html><title>Jaeger UI</title>', headers: { 'content-type': 'text/html' } };
}

function all(traces: Traces): readonly TestSpan[] {
  return [...traces.values()].flatMap(({ spans }) => spans);
}

function data(value: unknown): PlainReply {
  return json({ data: value, total: 0, limit: 0, offset: 0, errors: null });
}

function failure(code: number, msg: string): PlainReply {
  const body = JSON.stringify({ data: null, total: 0, limit: 0, offset: 0, errors: [{ code, msg }] });
  return { status: code, body, headers: { 'content-type': 'text/plain; charset=utf-8' } };
}

function operations(params: URLSearchParams, traces: Traces): PlainReply {
  const service = params.get('service');
  if (!service) return failure(400, "parameter 'service' is required");
  const names = new Set(
    all(traces)
      .filter((span) => span.service === service)
      .map(({ name }) => name),
  );
  return data([...names].map((name) => ({ name, spanKind: 'server' })));
}

function search(params: URLSearchParams, traces: Traces): PlainReply {
  const service = params.get('service');
  if (!service) return failure(400, "parameter 'service' is required");
  const numbers = ['start', 'end', 'limit'].map((name) => params.get(name) ?? undefined);
  const wrong = numbers.find((text) => text !== undefined && !/^-?\d{1,19}$/.test(text));
  if (wrong !== undefined)
    return failure(400, `unable to parse param: strconv.ParseInt: parsing "${wrong}": invalid syntax`);
  const [start = (Date.now() - 2 * 86_400_000) * 1000, end = Date.now() * 1000, limit = DEFAULT_LIMIT] = numbers.map(
    (text) => (text === undefined ? undefined : Number(text)),
  );
  if (limit <= 0) return failure(500, 'search depth must be greater than 0 and less than max traces');
  const leastUs = microsecondsOf(params.get('minDuration'));
  const tags = tagsOf(params.get('tags'));
  if (leastUs === undefined || tags === undefined) return failure(400, 'unable to parse param');
  const matches = (span: TestSpan) =>
    span.service === service &&
    (!params.get('operation') || span.name === params.get('operation')) &&
    span.startUs >= start &&
    span.startUs <= end &&
    span.durationUs >= leastUs &&
    Object.entries(tags).every(([key, value]) => String(tagOf(span, key)) === value);
  const found = [...traces.values()].filter((trace) => trace.spans.some(matches));
  return data(
    found
      .toSorted((a, b) => b.startUs - a.startUs)
      .slice(0, limit)
      .map((trace) => toJaeger(trace.spans)),
  );
}

/** A duration as Go writes it; undefined when it is none. */
function microsecondsOf(text: string | null): number | undefined {
  if (!text) return 0;
  const [, count, unit = ''] = /^(\d+(?:\.\d+)?)(us|ms|s)$/.exec(text) ?? [];
  return count === undefined ? undefined : Number(count) * ({ us: 1, ms: 1000, s: 1_000_000 }[unit] ?? 1);
}

/** A JSON object of texts, as Jaeger demands. */
function tagsOf(json: string | null): Readonly<Record<string, string>> | undefined {
  if (!json) return {};
  try {
    const value = JSON.parse(json) as Record<string, unknown>;
    return Object.values(value).every((one) => typeof one === 'string') ? (value as Record<string, string>) : undefined;
  } catch {
    return undefined;
  }
}

function tagOf(span: TestSpan, key: string): string | number | boolean | undefined {
  return key === 'error' ? span.failed : span.attributes?.[key];
}

function oneTrace(id: string, traces: Traces): PlainReply {
  if (!/^[0-9a-f]{1,32}$/i.test(id)) return failure(400, `strconv.ParseUint: parsing "${id}": invalid syntax`);
  const trace = traces.get(id.padStart(32, '0'));
  return trace === undefined ? failure(404, 'trace not found') : data([toJaeger(trace.spans)]);
}

function dependencies(params: URLSearchParams, traces: Traces) {
  const [end, lookback] = ['endTs', 'lookback'].map((name) => Number(params.get(name)));
  const counts = new Map<string, number>();
  for (const { spans, startUs } of traces.values()) {
    const startMs = startUs / 1000;
    if (startMs < (end ?? 0) - (lookback ?? 0) || startMs > (end ?? 0)) continue;
    const byId = new Map(spans.map((span) => [span.spanId, span]));
    for (const span of spans) {
      const parent = byId.get(span.parentId ?? '');
      if (!parent) continue;
      const key = JSON.stringify([parent.service, span.service]);
      counts.set(key, (counts.get(key) ?? 0) + 1);
    }
  }
  return [...counts].map(([key, callCount]) => {
    const [parent, child] = JSON.parse(key) as readonly string[];
    return { parent, child, callCount };
  });
}

/** 128-bit ids of which one half is nought are written as 64 bits. */
function idOf(traceId: string): string {
  return traceId.startsWith('0'.repeat(16)) ? traceId.slice(16) : traceId;
}

function toJaeger(trace: readonly TestSpan[]) {
  const services = [...new Set(trace.map(({ service }) => service))];
  return {
    traceID: idOf(trace[0]?.traceId ?? ''),
    spans: trace.map((span) => ({
      traceID: idOf(span.traceId),
      spanID: span.spanId,
      operationName: span.name,
      references:
        span.parentId === undefined
          ? []
          : [{ refType: 'CHILD_OF', traceID: idOf(span.traceId), spanID: span.parentId }],
      startTime: span.startUs,
      duration: span.durationUs,
      tags: [
        { key: 'span.kind', type: 'string', value: span.kind ?? 'server' },
        ...(span.failed ? [{ key: 'error', type: 'bool', value: true }] : []),
        ...Object.entries(span.attributes ?? {}).map(([key, value]) => ({
          key,
          type: typeof value === 'string' ? 'string' : 'int64',
          value,
        })),
      ],
      logs: [],
      processID: `p${services.indexOf(span.service) + 1}`,
      warnings: null,
    })),
    processes: Object.fromEntries(services.map((serviceName, i) => [`p${i + 1}`, { serviceName, tags: [] }])),
    warnings: null,
  };
}
