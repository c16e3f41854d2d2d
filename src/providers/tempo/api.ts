import type { z } from 'zod';
import type { TimeWindow } from '../../domain/provider.ts';
import type { HttpAnswer } from '../../platform/http-request.ts';
import { clip, oneLine } from '../../policy/untrusted.ts';
import type { BackendAccess } from '../backend/access.ts';
import { createBackend, parseJson, type BackendName } from '../backend/ask-backend.ts';
import { limitsIn, type SearchLimits } from './limits.ts';

export const TEMPO = {
  provider: 'tempo',
  prefix: 'TEMPO',
  api: 'the HTTP API of Tempo',
  urlHint: 'it ends before /api/search',
  items: 'traces',
} as const satisfies BackendName;

export type TempoAnswer<T> =
  | { readonly kind: 'data'; readonly data: T; readonly notes: readonly string[]; readonly characters: number }
  /** HTTP 404, where it may be. */
  | { readonly kind: 'none' }
  /** More was asked for than it allows. */
  | { readonly kind: 'limited'; readonly limits: SearchLimits };

export interface TempoQuestion<T> {
  readonly schema: z.ZodType<T>;
  readonly path: string;
  readonly params?: Readonly<Record<string, string | number>>;
  /** A sentence, for messages. */
  readonly words: string;
  /** HTTP 404 is an answer here: there is no such trace, or no such page in this version. */
  readonly mayBeMissing?: boolean;
}

/** Throws `BackendError`. */
export type AskTempo = <T>(question: TempoQuestion<T>, signal: AbortSignal) => Promise<TempoAnswer<T>>;

export function createAskTempo(access: BackendAccess): AskTempo {
  const backend = createBackend(TEMPO, access);
  /** Tempo gives its reasons as plain text. */
  const refusal = ({ status, body }: HttpAnswer, words: string) => {
    const reason = clip(oneLine(body), 400) || 'no reason given';
    const remedy = status === 429 ? 'It limits requests: lower TEMPO_MAX_TRACES.' : 'Ask for less, or look at its log.';
    return backend.error({ problem: `Tempo: ${reason} (HTTP ${status}).`, remedy, answered: true }, words);
  };
  return async ({ schema, path, params = {}, words, mayBeMissing }, signal) => {
    const pairs = Object.entries(params).map(([name, value]): [string, string] => [name, String(value)]);
    const query = new URLSearchParams(pairs).toString();
    const answer = await backend.send({ path: `${path}${query && `?${query}`}` }, words, signal);
    backend.refuse(answer, words);
    const { status, body } = answer;
    const isPage = /^\s*</.test(body);
    if (status === 404 && mayBeMissing && !isPage) return { kind: 'none' };
    if (status === 404 || isPage) throw backend.foreign(answer, words);
    if (status >= 300) {
      const limits = status === 400 ? limitsIn(body) : undefined;
      if (limits) return { kind: 'limited', limits };
      throw refusal(answer, words);
    }
    const data = schema.safeParse(parseJson(body));
    if (!data.success) throw backend.foreign(answer, words);
    const notes = status === 206 ? ['the answer is partial: some blocks could not be read'] : [];
    return { kind: 'data', data: data.data, notes, characters: body.length };
  };
}

/** Whole seconds, as Tempo counts, outwards. */
export function secondsOf({ fromMs, toMs }: TimeWindow): { readonly start: number; readonly end: number } {
  const start = Math.max(1, Math.floor(fromMs / 1000));
  // Nought means "not given", and a start has to lie before its end.
  return { start, end: Math.max(start + 1, Math.ceil(toMs / 1000)) };
}
