import pLimit from 'p-limit';
import type { SpanQuery, SpanResult, TimeWindow } from '../../domain/provider.ts';
import { lastWithin, spanMatcher } from '../span-query.ts';
import { resolveNames } from './resolve-names.ts';
import { cut } from './slices.ts';
import { canonicalTraceId, isTraceId } from './trace-ids.ts';
import { countable, type FoundTraces, type Trace, type TraceSearch, type TraceServer } from './trace-server.ts';
import { distinct } from './whole-traces.ts';

/** When there are more traces than are read, they are taken from so many stretches of the window. */
const STRETCHES = 6;
const PARALLEL = 4;
/** Most spans handed over for one question. */
const MOST_SPANS = 20_000;
/** Servers look at when spans begin: a call that began before the window may hang into it. */
const LEAD_MS = 60_000;

interface Found {
  readonly traces: readonly Trace[];
  readonly notes: readonly (string | undefined)[];
}

/** The traces that a query means, whole. Throws `ProviderError`. `mostTraces` are read. */
export async function findTraces(
  server: TraceServer,
  mostTraces: number,
  asked: SpanQuery,
  signal: AbortSignal,
): Promise<SpanResult> {
  const id = asked.traceId === undefined ? undefined : canonicalTraceId(asked.traceId.trim());
  const query = { ...asked, ...countable(asked), ...(id === undefined ? {} : { traceId: id }) };
  const found =
    id === undefined ? await searchAll(server, mostTraces, query, signal) : await oneTrace(server, id, query, signal);
  const isMatch = spanMatcher(query);
  const traces = distinct(found.traces.filter((trace) => trace.some(isMatch)));
  const { spans, cuts } = lastWithin(traces, Math.max(1, Math.min(query.limit, MOST_SPANS)));
  const page = server.pageOfTrace === undefined ? undefined : `a trace's page: ${server.pageOfTrace}`;
  const notes = [...cuts, ...found.notes, spans.length > 0 ? page : 'no trace matches in this window'];
  const note = [...new Set(notes.filter((one) => one !== undefined))].join('; ');
  return { items: spans, ...(note ? { note } : {}) };
}

async function oneTrace(server: TraceServer, id: string, window: TimeWindow, signal: AbortSignal): Promise<Found> {
  if (!isTraceId(id))
    return { traces: [], notes: [`a trace id has up to 32 hexadecimal digits, unlike ${id.slice(0, 80)}`] };
  const { traces, notes } = await server.trace(id, window, signal);
  return { traces, notes: [...notes, traces.length === 0 ? `the server has no trace ${id}` : undefined] };
}

async function searchAll(
  server: TraceServer,
  mostTraces: number,
  query: SpanQuery,
  signal: AbortSignal,
): Promise<Found> {
  const window = { fromMs: Math.max(0, query.fromMs - LEAD_MS), toMs: query.toMs };
  const services = await servicesOf(server, query, window, signal);
  const targets: Target[] = [];
  const notes = [...services.notes];
  for (const service of services.names) {
    const base = service === undefined ? {} : { service };
    if (query.operation === undefined) targets.push(base);
    else {
      const operations = await server.operations(service, window, signal);
      const { names, note } = resolveNames('operation', query.operation, operations.names);
      notes.push(...operations.notes, note);
      targets.push(...names.map((operation) => ({ ...base, operation })));
    }
  }
  const only = {
    ...(query.minDurationMs === undefined ? {} : { minDurationMs: query.minDurationMs }),
    ...(query.errorsOnly === true ? { failedOnly: true } : {}),
  };
  const each = Math.max(1, Math.floor(mostTraces / Math.max(1, targets.length)));
  const limit = pLimit(PARALLEL);
  const found = await Promise.all(
    targets.map((target) => readTarget(server, { ...target, ...only, ...window, limit: each }, limit, signal)),
  );
  return { traces: found.flatMap(({ traces }) => traces), notes: [...notes, ...found.flatMap((one) => one.notes)] };
}

type Target = Pick<TraceSearch, 'service' | 'operation'>;

async function servicesOf(server: TraceServer, query: SpanQuery, window: TimeWindow, signal: AbortSignal) {
  if (query.service === undefined && server.searchesAllServices) return { names: [undefined], notes: [] };
  const known = await server.services(window, signal);
  const { names, note } = resolveNames('service', query.service ?? '*', known.names);
  return { names, notes: [...known.notes, note] };
}

/** All traces while they fit; else an even part of the window's, since a server gives the newest, and what was usual is told from the oldest. */
async function readTarget(
  server: TraceServer,
  search: TraceSearch,
  limit: ReturnType<typeof pLimit>,
  signal: AbortSignal,
): Promise<Found> {
  const find = (one: TraceSearch): Promise<FoundTraces> => limit(() => server.find(one, signal));
  const whole = await find(search);
  if (!whole.hasMore) return whole;
  const each = Math.max(1, Math.floor(search.limit / STRETCHES));
  const parts = await Promise.all(
    cut(search, STRETCHES).map((stretch) => find({ ...search, ...stretch, limit: each })),
  );
  const whose = [search.service, search.operation].filter((name) => name !== undefined).join(' ');
  const left = parts.some(({ hasMore }) => hasMore)
    ? `of the traces ${whose ? `of ${whose} ` : ''}at most ${each} of each sixth of the window were read`
    : undefined;
  return { traces: parts.flatMap(({ traces }) => traces), notes: [...parts.flatMap(({ notes }) => notes), left] };
}
