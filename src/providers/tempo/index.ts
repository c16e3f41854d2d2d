import pLimit from 'p-limit';
import type { TelemetryProvider, TimeWindow } from '../../domain/provider.ts';
import type { BackendAccess } from '../backend/access.ts';
import { BackendError } from '../backend/backend-error.ts';
import { readOtlp, type OtlpTraces } from '../traces/otlp-spans.ts';
import { createTraceProvider } from '../traces/trace-provider.ts';
import type { FoundTraces, NamesFound, TraceServer } from '../traces/trace-server.ts';
import { BuildInfo, TagValues, TraceAnswerV1, TraceAnswerV2 } from './answers.ts';
import { createAskTempo, secondsOf, TEMPO, type AskTempo } from './api.ts';
import { createSearch, searchRecent, type FoundTrace } from './search.ts';
import { readSpanMetrics } from './span-metrics.ts';
import { traceQl } from './traceql.ts';

export interface TempoOptions extends BackendAccess {
  /** Most traces read for one incident. */
  readonly maxTraces: number;
}

/** Whole traces read at the same time, over all searches. */
const PARALLEL = 6;
/** Around what a search has seen of a trace, ms: blocks outside are not looked at. */
const AROUND_MS = 3_600_000;

/** Grafana Tempo from version 2.2 on, with TraceQL. */
export function createTempoProvider(options: TempoOptions): TelemetryProvider {
  return createTraceProvider(createTempoServer(options), TEMPO, options.maxTraces);
}

function createTempoServer(access: BackendAccess): TraceServer {
  const ask = createAskTempo(access);
  const search = createSearch(ask);
  const readTrace = createReadTrace(ask);
  const limit = pLimit(PARALLEL);
  const find: TraceServer['find'] = async (wanted, signal) => {
    const { found, hasMore, notes, characters } = await search(wanted, signal);
    const read = await Promise.all(found.map((trace) => limit(() => readOrNote(readTrace, trace, signal))));
    const isGone = read.some(({ traces, notes: why }) => traces.length + why.length === 0);
    return {
      traces: read.flatMap(({ traces }) => traces),
      hasMore,
      notes: [...notes, ...new Set(read.flatMap((one) => one.notes)), ...(isGone ? [GONE] : [])],
      characters: read.reduce((sum, one) => sum + one.characters, characters),
    };
  };
  return {
    name: TEMPO.provider,
    searchesAllServices: true,
    async product(signal) {
      const question = {
        schema: BuildInfo,
        path: '/api/status/buildinfo',
        words: 'the build information.',
        mayBeMissing: true,
      };
      const answer = await ask(question, signal);
      return answer.kind === 'data' ? `Tempo ${answer.data.version}` : 'Tempo, version unknown';
    },
    services: (window, signal) =>
      tagValues(ask, 'resource.service.name', window, {}, 'the services with traces.', signal),
    operations(service, window, signal) {
      const only = service === undefined ? {} : { q: traceQl({ service }) };
      return tagValues(ask, 'name', window, only, `the operations of ${service ?? 'all services'}.`, signal);
    },
    find,
    async findRecent(service, signal) {
      const [newest] = await searchRecent(ask, service, signal);
      return newest === undefined ? NOTHING : readTrace(newest, signal);
    },
    trace: (id, window, signal) => readTrace({ id, window }, signal),
    series: (window, signal) => readSpanMetrics(ask, window, signal),
  };
}

/** Values of a tag; of what is recent without a window. */
async function tagValues(
  ask: AskTempo,
  tag: string,
  window: TimeWindow | undefined,
  more: Readonly<Record<string, string>>,
  words: string,
  signal: AbortSignal,
): Promise<NamesFound> {
  const times = window === undefined ? {} : secondsOf(window);
  const question = { schema: TagValues, path: `/api/v2/search/tag/${tag}/values`, words };
  const answer = await ask({ ...question, params: { ...more, ...times } }, signal);
  // A window that is too long for it: names are much the same in what is recent.
  if (answer.kind === 'limited' && window !== undefined) return tagValues(ask, tag, undefined, more, words, signal);
  if (answer.kind !== 'data') return { names: [], notes: [] };
  return { names: (answer.data.tagValues ?? []).map(({ value }) => value).toSorted(), notes: answer.notes };
}

type ReadTrace = (trace: FoundTrace, signal: AbortSignal) => Promise<FoundTraces>;

const GONE = 'some of the traces that a search found were not there any more (HTTP 404)';
const NOTHING: FoundTraces = { traces: [], hasMore: false, notes: [], characters: 0 };

/** One trace whole. The second version of the page says when it is not; servers without it are asked by the first from then on. */
function createReadTrace(ask: AskTempo): ReadTrace {
  let hasSecond: boolean | undefined;
  return async ({ id, window }, signal) => {
    const words = `the trace ${id}.`;
    const params = window && secondsOf({ fromMs: window.fromMs - AROUND_MS, toMs: window.toMs + AROUND_MS });
    const page = { ...(params ? { params } : {}), words, mayBeMissing: true };
    if (hasSecond !== false) {
      const answer = await ask({ ...page, schema: TraceAnswerV2, path: `/api/v2/traces/${id}` }, signal);
      if (answer.kind === 'data') {
        hasSecond = true;
        const { trace, status, message } = answer.data;
        const isPartial = status === 'PARTIAL' || status === 1;
        const partial = isPartial ? [`trace ${id} is partial: ${(message ?? 'no reason given').slice(0, 200)}`] : [];
        return toFound(trace ?? {}, [...answer.notes, ...partial], answer.characters);
      }
      if (hasSecond) return NOTHING;
    }
    const answer = await ask({ ...page, schema: TraceAnswerV1, path: `/api/traces/${id}` }, signal);
    if (answer.kind !== 'data') return NOTHING;
    hasSecond = false;
    return toFound(answer.data, answer.notes, answer.characters);
  };
}

/** One trace among many that cannot be read (too large for the server, say) is a note; a server that is gone, or has no time left, ends it all. */
async function readOrNote(read: ReadTrace, trace: FoundTrace, signal: AbortSignal): Promise<FoundTraces> {
  try {
    return await read(trace, signal);
  } catch (error) {
    if (!(error instanceof BackendError) || !error.answered || error.timedOut) throw error;
    return { ...NOTHING, notes: [`a trace could not be read. ${error.problem} ${error.remedy}`] };
  }
}

function toFound(trace: OtlpTraces, notes: readonly string[], characters: number): FoundTraces {
  const { spans, dropped } = readOtlp(trace);
  return {
    traces: spans.length > 0 ? [spans] : [],
    hasMore: false,
    notes: dropped > 0 ? [...notes, `${dropped} spans without usable ids or times were left out`] : notes,
    characters,
  };
}
