import type { TimeWindow } from '../../domain/provider.ts';
import { canonicalTraceId, isTraceId } from '../traces/trace-ids.ts';
import { windowWords, type TraceSearch } from '../traces/trace-server.ts';
import { SearchAnswer } from './answers.ts';
import { secondsOf, type AskTempo } from './api.ts';
import { split, type SearchLimits } from './limits.ts';
import { traceQl } from './traceql.ts';

/** A trace that a search found, and where in time it lies, as far as it was seen. */
export interface FoundTrace {
  readonly id: string;
  readonly window: TimeWindow | undefined;
}

export interface SearchResult {
  readonly found: readonly FoundTrace[];
  readonly hasMore: boolean;
  readonly notes: readonly string[];
  readonly characters: number;
}

const NOTHING: SearchResult = { found: [], hasMore: false, notes: [], characters: 0 };

/** Which traces match. What Tempo allows is learned from its first refusal, and asked for from then on in parts. */
export function createSearch(ask: AskTempo): (search: TraceSearch, signal: AbortSignal) => Promise<SearchResult> {
  let known: SearchLimits = {};

  const searchPart = async (search: TraceSearch, signal: AbortSignal): Promise<SearchResult | 'limited'> => {
    const q = traceQl(search);
    const limit = Math.min(search.limit, known.traces ?? search.limit);
    // Of the spans that match one is enough: whole traces are read by their ids.
    const params = { q, ...secondsOf(search), limit, spss: 1 };
    const words = `${q} ${windowWords(search)}, at most ${limit}.`;
    const answer = await ask({ schema: SearchAnswer, path: '/api/search', params, words }, signal);
    if (answer.kind === 'limited') {
      known = { ...known, ...answer.limits };
      return 'limited';
    }
    if (answer.kind !== 'data') return NOTHING;
    const listed = answer.data.traces ?? [];
    const found = listed.flatMap(toFound).slice(0, limit);
    return { found, hasMore: listed.length >= limit, notes: answer.notes, characters: answer.characters };
  };

  /** Twice limited, by time and by number, it asks a third time. */
  const searchAll = async (search: TraceSearch, signal: AbortSignal, attempts = 3): Promise<SearchResult> => {
    const { parts, left } = split(search, known);
    const results: SearchResult[] = [];
    for (const part of parts) {
      const room = search.limit - results.reduce((sum, { found }) => sum + found.length, 0);
      if (room <= 0) break;
      const result = await searchPart({ ...search, ...part, limit: room }, signal);
      if (result !== 'limited') results.push(result);
      else if (attempts > 1) return searchAll(search, signal, attempts - 1);
    }
    return {
      found: results.flatMap(({ found }) => found),
      hasMore: left || results.length < parts.length || results.some(({ hasMore }) => hasMore),
      notes: [
        ...results.flatMap(({ notes }) => notes),
        ...(left ? ['the window is longer than Tempo lets be searched: its newest part was'] : []),
      ],
      characters: results.reduce((sum, { characters }) => sum + characters, 0),
    };
  };
  return (search, signal) => searchAll(search, signal);
}

/** The newest trace of a service among what is recent: without times Tempo looks no further. */
export async function searchRecent(
  ask: AskTempo,
  service: string,
  signal: AbortSignal,
): Promise<readonly FoundTrace[]> {
  const params = { q: traceQl({ service }), limit: 1, spss: 1 };
  const words = `the newest trace of ${service}.`;
  const answer = await ask({ schema: SearchAnswer, path: '/api/search', params, words }, signal);
  return answer.kind === 'data' ? (answer.data.traces ?? []).flatMap(toFound) : [];
}

type Listed = NonNullable<SearchAnswer['traces']>[number];

/** Tempo leaves away noughts at the beginning of an id. What is none goes into no path. */
function toFound({ traceID, startTimeUnixNano, durationMs = 0 }: Listed): readonly FoundTrace[] {
  if (!isTraceId(traceID)) return [];
  const fromMs = Number(startTimeUnixNano?.slice(0, -6));
  const window = fromMs > 0 ? { fromMs, toMs: fromMs + durationMs } : undefined;
  return [{ id: canonicalTraceId(traceID), window }];
}
