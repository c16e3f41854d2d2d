import { json, text, type AskedOfServer, type PlainReply } from '../http-imitation.ts';
import { resourceSpansOf, type TestSpan } from './test-spans.ts';
import { parseTraceQl, TraceQlError } from './traceql.ts';
import { startTraceImitation, type LoadedTrace, type TraceImitation } from './trace-test-server.ts';

export interface TempoImitationOptions {
  /** Without `/api/v2/traces`, and with `batches` instead of `resourceSpans`, as before version 2.7. */
  readonly isOld?: boolean;
  /** TraceQL metrics; without, as by default, the server says that the processor is missing. */
  readonly hasMetrics?: boolean;
  /** `max_search_duration`, seconds. */
  readonly maxSearchSeconds?: number;
  /** `max_result_limit`. */
  readonly maxLimit?: number;
  /** Several tenants: a request without one is refused, and all data is this one's. */
  readonly tenant?: string;
  /** Traces of more spans are cut there, and said to be partial. */
  readonly maxSpansOfTrace?: number;
}

type Traces = readonly LoadedTrace[];

const DEFAULT_LIMIT = 20;
const MAX_SPSS = 100;

/** The HTTP API of Tempo's query frontend (grafana.com/docs/tempo/latest/api_docs). */
export function startTempoImitation(options: TempoImitationOptions = {}): Promise<TraceImitation> {
  return startTraceImitation((asked, traces) => answer(asked, [...traces.values()], options));
}

function answer(asked: AskedOfServer, all: Traces, options: TempoImitationOptions): PlainReply {
  const { method, path, params, headers } = asked;
  const tenant = headers['x-scope-orgid'];
  if (options.tenant !== undefined && tenant === undefined) return text('no org id', 401);
  const traces = options.tenant === undefined || tenant === options.tenant ? all : [];
  if (method !== 'GET') return text('Method Not Allowed', 405);
  try {
    if (path === '/api/echo') return text('echo', 200);
    if (path === '/api/status/buildinfo')
      return json({ version: options.isOld ? 'v2.4.0' : 'v2.9.0', revision: 'abc' });
    if (path === '/api/search') return search(params, traces, options);
    if (path === '/api/metrics/query_range') return metrics(params, traces, options);
    const tag = /^\/api\/v2\/search\/tag\/([\w.]+)\/values$/.exec(path)?.[1];
    if (tag !== undefined) return tagValues(tag, params, traces);
    const [, version, id] = /^\/api\/(v2\/)?traces\/([^/]+)$/.exec(path) ?? [];
    if (id !== undefined && !(version && options.isOld))
      return oneTrace(id, version !== undefined, params, traces, options);
  } catch (error) {
    if (error instanceof TraceQlError) return text(`invalid TraceQL query: ${error.message}`, 400);
    throw error;
  }
  return text('404 page not found\n', 404);
}

type Range = { readonly startUs: number; readonly endUs: number } | { readonly refusal: string };

function rangeOf(params: URLSearchParams): Range {
  const [start = 0, end = 0] = ['start', 'end'].map((name) => {
    const given = params.get(name);
    return given === null ? 0 : /^\d{1,10}$/.test(given) ? Number(given) : Number.NaN;
  });
  if (Number.isNaN(start) || Number.isNaN(end)) return { refusal: 'invalid start: strconv.ParseInt: invalid syntax' };
  if (start === 0 && end === 0) return { startUs: 0, endUs: Number.POSITIVE_INFINITY };
  if (end <= start) return { refusal: `http parameter start must be before end. received start=${start} end=${end}` };
  return { startUs: start * 1e6, endUs: end * 1e6 };
}

function overlaps(trace: LoadedTrace, range: { readonly startUs: number; readonly endUs: number }): boolean {
  return trace.startUs <= range.endUs && trace.endUs >= range.startUs;
}

function search(params: URLSearchParams, all: Traces, options: TempoImitationOptions): PlainReply {
  const range = rangeOf(params);
  if ('refusal' in range) return text(range.refusal, 400);
  const seconds = (range.endUs - range.startUs) / 1e6;
  const { maxSearchSeconds = Infinity, maxLimit = Infinity } = options;
  if (Number.isFinite(seconds) && seconds > maxSearchSeconds) {
    const received = `received start=${params.get('start')} end=${params.get('end')}`;
    return text(`range specified by start and end exceeds ${goDuration(maxSearchSeconds)}. ${received}`, 400);
  }
  const limit = Number(params.get('limit') ?? DEFAULT_LIMIT);
  if (limit > maxLimit) return text(`limit ${limit} exceeds max limit ${maxLimit}`, 400);
  const spss = Number(params.get('spss') ?? 3);
  if (spss > MAX_SPSS) return text(`spans per span set exceeds ${MAX_SPSS}. received ${spss}`, 400);
  const query = params.get('q');
  if (!query) return text('tags search is not imitated', 400);
  const matches = parseTraceQl(query);
  const found = all.filter((trace) => overlaps(trace, range) && trace.spans.some(matches));
  const newest = found.toSorted((a, b) => b.startUs - a.startUs).slice(0, limit);
  return json({
    ...(newest.length > 0 ? { traces: newest.map((trace) => listed(trace, matches, spss)) } : {}),
    metrics: {},
  });
}

function goDuration(seconds: number): string {
  const [hours, minutes] = [Math.floor(seconds / 3600), Math.floor((seconds % 3600) / 60)];
  return `${hours > 0 ? `${hours}h` : ''}${hours + minutes > 0 ? `${minutes}m` : ''}${seconds % 60}s`;
}

/** Noughts at the beginning of an id are left away, and so is a duration of less than a millisecond. */
function listed({ id, spans, startUs, endUs }: LoadedTrace, matches: (span: TestSpan) => boolean, spss: number) {
  const durationMs = Math.floor((endUs - startUs) / 1000);
  const matched = spans.filter(matches);
  return {
    traceID: id.replace(/^0+/, ''),
    rootServiceName: spans[0]?.service,
    rootTraceName: spans[0]?.name,
    startTimeUnixNano: `${startUs}000`,
    ...(durationMs > 0 ? { durationMs } : {}),
    spanSets: [{ spans: matched.slice(0, spss).map(({ spanId }) => ({ spanID: spanId })), matched: matched.length }],
  };
}

/** `{ … } | rate() by (resource.service.name)` alone is counted; of quantiles the slowest span stands for all. */
function metrics(params: URLSearchParams, traces: Traces, { hasMetrics, isOld }: TempoImitationOptions): PlainReply {
  if (isOld) return text('404 page not found\n', 404);
  if (!hasMetrics)
    return text('error querying generators in Querier.queryRangeRecent: localblocks processor not found', 500);
  const range = rangeOf(params);
  const step = Number(/^(\d+)s$/.exec(params.get('step') ?? '')?.[1]);
  const [, filter, call] =
    /^(\{.*\}) \| (rate|quantile_over_time)\((?:duration, \.95)?\) by \(resource\.service\.name\)$/.exec(
      params.get('q') ?? '',
    ) ?? [];
  if ('refusal' in range || !(step > 0) || filter === undefined) return text('invalid TraceQL metrics query', 400);
  const matching = traces.flatMap(({ spans }) => spans).filter(parseTraceQl(filter));
  const services = [...new Set(matching.map(({ service }) => service))];
  const steps = Math.floor((range.endUs - range.startUs) / (step * 1e6));
  const series = services.map((service) => ({
    labels: [{ key: 'resource.service.name', value: { stringValue: service } }],
    promLabels: `{"resource.service.name"="${service}"}`,
    samples: Array.from({ length: steps }, (_, i) => {
      const fromUs = range.startUs + i * step * 1e6;
      const own = matching.filter(
        (span) => span.service === service && span.startUs >= fromUs && span.startUs < fromUs + step * 1e6,
      );
      const value = call === 'rate' ? own.length / step : Math.max(0, ...own.map(({ durationUs }) => durationUs / 1e6));
      // As protobuf's JSON has it: 64-bit numbers as text, nought left out.
      return { timestampMs: String(fromUs / 1000), ...(value === 0 ? {} : { value }) };
    }),
  }));
  return json({ series, metrics: {} });
}

function tagValues(tag: string, params: URLSearchParams, traces: Traces): PlainReply {
  const range = rangeOf(params);
  if ('refusal' in range) return text(range.refusal, 400);
  const query = params.get('q');
  const matches = query ? parseTraceQl(query) : () => true;
  const valueOf: Readonly<Record<string, (span: TestSpan) => string>> = {
    'resource.service.name': ({ service }) => service,
    name: ({ name }) => name,
  };
  const read = valueOf[tag];
  if (!read) return text(`tag name is not valid intrinsic or scoped attribute: ${tag}`, 400);
  const inRange = traces.filter((trace) => overlaps(trace, range));
  const values = new Set(
    inRange
      .flatMap(({ spans }) => spans)
      .filter(matches)
      .map(read),
  );
  return json({
    ...(values.size > 0 ? { tagValues: [...values].map((value) => ({ type: 'string', value })) } : {}),
    metrics: {},
  });
}

function oneTrace(
  id: string,
  isSecond: boolean,
  params: URLSearchParams,
  traces: Traces,
  { maxSpansOfTrace = Infinity }: TempoImitationOptions,
): PlainReply {
  if (!/^[0-9a-f]{1,32}$/i.test(id)) return text('trace IDs can only contain hex characters', 400);
  const range = rangeOf(params);
  if ('refusal' in range) return text(range.refusal, 400);
  const trace = traces.find((one) => one.id === id.padStart(32, '0'));
  if (!trace || !overlaps(trace, range)) return text('trace not found', 404);
  const base64 = (hex: string) => Buffer.from(hex, 'hex').toString('base64');
  const kept = trace.spans.slice(0, maxSpansOfTrace);
  if (!isSecond) return json({ batches: resourceSpansOf(kept, base64) });
  const message = `Trace exceeds maximum size of 5000000 bytes, a partial trace is returned`;
  return json({
    trace: { resourceSpans: resourceSpansOf(kept, base64) },
    metrics: {},
    ...(kept.length < trace.spans.length ? { status: 'PARTIAL', message } : {}),
  });
}
