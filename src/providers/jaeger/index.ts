import type { z } from 'zod';
import type { TelemetryProvider, TimeWindow } from '../../domain/provider.ts';
import { withoutCredentials, type BackendAccess } from '../backend/access.ts';
import { createTraceProvider } from '../traces/trace-provider.ts';
import {
  countable,
  windowWords,
  type FoundTraces,
  type TraceSearch,
  type TraceServer,
} from '../traces/trace-server.ts';
import { Calls, Names, Operations, Traces } from './answers.ts';
import { createAskJaeger, JAEGER, type AskJaeger, type JaegerAnswer } from './api.ts';
import { toTrace } from './to-trace.ts';

export interface JaegerOptions extends BackendAccess {
  /** Most traces read for one incident. */
  readonly maxTraces: number;
}

/** Jaeger's query service, version 1 or 2, or what answers like it, under `url`. */
export function createJaegerProvider(options: JaegerOptions): TelemetryProvider {
  return createTraceProvider(createJaegerServer(options), JAEGER, options.maxTraces);
}

function createJaegerServer(access: BackendAccess): TraceServer {
  const ask = createAskJaeger(access);
  return {
    name: JAEGER.provider,
    searchesAllServices: false,
    pageOfTrace: `${withoutCredentials(access.url)}/trace/<trace id>`,
    product: () => Promise.resolve('Jaeger'),
    async services(_window, signal) {
      const { data, notes } = await ask(Names, '/api/services', {}, 'the services with traces.', signal);
      return { names: (data ?? []).toSorted(), notes };
    },
    async operations(service = '', _window, signal) {
      const question = `the operations of ${service}.`;
      const { data, notes } = await ask(Operations, '/api/operations', { service }, question, signal);
      return { names: [...new Set((data ?? []).map(({ name }) => name))], notes };
    },
    find: createFind(ask),
    async findRecent(service, signal) {
      // Without times it looks back from its own now.
      const answer = await ask(Traces, '/api/traces', { service, limit: 1 }, `the newest trace of ${service}.`, signal);
      return toFound(answer, Number.POSITIVE_INFINITY);
    },
    async trace(id, _window, signal) {
      const answer = await ask(Traces, `/api/traces/${id}`, {}, `the trace ${id}.`, signal);
      return toFound(answer, Number.POSITIVE_INFINITY);
    },
    async calls(window, signal) {
      const { fromMs, toMs } = wholeMs(window);
      const params = { endTs: toMs, lookback: toMs - fromMs };
      const { data } = await ask(Calls, '/api/dependencies', params, `who calls whom ${windowWords(window)}.`, signal);
      // A service that calls within itself is counted, too.
      const calls = (data ?? []).filter(({ parent, child }) => parent !== child);
      return calls.map(({ parent, child }) => ({ from: parent, to: child }));
    },
  };
}

/** So many traces are looked through for failed ones where the tag finds none. */
const LOOKED_THROUGH = 50;

/**
 * Failed traces are asked for by the tag `error`. Some storages do not know it (Jaeger 2 in memory): until it has found one, an answer without any is
 * checked against traces that were asked for without the tag.
 */
function createFind(ask: AskJaeger): TraceServer['find'] {
  let isTagKnown = false;
  const search = async (one: TraceSearch, tagged: boolean, signal: AbortSignal) => {
    const words = `traces of ${one.service ?? ''}${tagged ? ' with errors' : ''} ${windowWords(one)}, ${JSON.stringify(paramsOf(one, tagged))}.`;
    return toFound(await ask(Traces, '/api/traces', paramsOf(one, tagged), words, signal), one.limit);
  };
  return async (one, signal) => {
    if (!one.failedOnly) return search(one, false, signal);
    const found = onlyFailed(await search(one, true, signal), one);
    isTagKnown ||= found.traces.length > 0;
    if (isTagKnown) return found;
    const untagged = await search({ ...one, limit: Math.max(one.limit, LOOKED_THROUGH) }, false, signal);
    const failed = onlyFailed(untagged, one);
    return { ...failed, traces: failed.traces.slice(0, one.limit), characters: found.characters + failed.characters };
  };
}

function onlyFailed(found: FoundTraces, { service }: TraceSearch): FoundTraces {
  const hasFailed = (trace: FoundTraces['traces'][number]) =>
    trace.some((span) => span.error && span.service === service);
  return { ...found, traces: found.traces.filter(hasFailed) };
}

function paramsOf({ service = '', operation, fromMs, toMs, minDurationMs, limit }: TraceSearch, tagged: boolean) {
  return {
    service,
    ...(operation === undefined ? {} : { operation }),
    // Microseconds.
    start: Math.floor(fromMs * 1000),
    end: Math.ceil(toMs * 1000),
    limit,
    ...(minDurationMs === undefined || minDurationMs === 0
      ? {}
      : { minDuration: `${Math.floor(minDurationMs * 1000)}us` }),
    ...(tagged ? { tags: '{"error":"true"}' } : {}),
  };
}

function wholeMs(window: TimeWindow): TimeWindow {
  const { fromMs, toMs } = countable(window);
  return { fromMs: Math.floor(fromMs), toMs: Math.ceil(toMs) };
}

/** `limit` is what was asked for. */
function toFound({ data, notes, characters }: JaegerAnswer<z.infer<typeof Traces>>, limit: number): FoundTraces {
  const read = (data ?? []).map(toTrace);
  const dropped = read.reduce((sum, trace) => sum + trace.dropped, 0);
  const warnings = (data ?? []).flatMap((trace) => trace.warnings ?? []);
  return {
    traces: read.map(({ spans }) => spans).filter((spans) => spans.length > 0),
    hasMore: read.length >= limit,
    notes: [
      ...notes,
      ...(dropped > 0 ? [`${dropped} spans without usable id, time or service were left out`] : []),
      ...(warnings.length > 0
        ? [`Jaeger warns about ${warnings.length} traces, of the first: ${(warnings[0] ?? '').slice(0, 200)}`]
        : []),
    ],
    characters,
  };
}
