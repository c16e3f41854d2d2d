import type { z } from 'zod';
import type { HttpAnswer } from '../../platform/http-request.ts';
import type { BackendAccess } from '../backend/access.ts';
import { createBackend, type BackendName } from '../backend/ask-backend.ts';
import { askPatiently, readAnswer } from '../logs/ask-patiently.ts';
import { Greeting, Hits, reasonOf, Terms } from './answers.ts';
import { FieldCaps } from './fields.ts';
import type { Query } from './query-dsl.ts';

/** How this server is named in messages. */
export const ELASTICSEARCH = {
  provider: 'elasticsearch',
  prefix: 'ELASTICSEARCH',
  api: 'Elasticsearch or OpenSearch',
  urlHint: 'it ends before the name of an index',
  items: 'lines',
  credentials: ['API_KEY', 'BEARER_TOKEN', 'BASIC_AUTH'],
} as const satisfies BackendName;

export interface ElasticsearchApi {
  fieldCaps(fields: readonly string[], filter: Query, asked: string, signal: AbortSignal): Promise<FieldCaps>;
  hits(body: Query, asked: string, signal: AbortSignal): Promise<Hits>;
  terms(body: Query, asked: string, signal: AbortSignal): Promise<z.infer<typeof Terms>>;
  greeting(signal: AbortSignal): Promise<z.infer<typeof Greeting>>;
}

/** Indices of which some are missing or closed are no error: patterns name what may be there. */
const LENIENT = 'ignore_unavailable=true&allow_no_indices=true&expand_wildcards=open';

/** Client of the search API over the indices that `index` names. Every method throws `BackendError` with what was asked and what to do. */
export function createElasticsearchApi(access: BackendAccess, index: string): ElasticsearchApi {
  const backend = createBackend(ELASTICSEARCH, access);
  const indices = index.split(',').map(encodeURIComponent).join(',');
  const headers = { 'content-type': 'application/json' };

  const read = <T>(schema: z.ZodType<T>, answer: HttpAnswer, asked: string): T =>
    readAnswer(backend, schema, answer, asked, reasonOf);
  const post = (page: string, body: Query, asked: string, signal: AbortSignal) => {
    const request = { path: `/${indices}/${page}`, method: 'POST', headers, body: JSON.stringify(body) } as const;
    return askPatiently(backend, request, asked, signal);
  };
  const search = (body: Query, asked: string, signal: AbortSignal) =>
    post(`_search?${LENIENT}`, { ...body, timeout: `${access.timeoutMs}ms` }, asked, signal);

  return {
    async fieldCaps(fields, filter, asked, signal) {
      const names = new URLSearchParams({ fields: fields.join(',') }).toString();
      const answer = await post(`_field_caps?${names}&${LENIENT}`, { index_filter: filter }, asked, signal);
      return read(FieldCaps, answer, asked);
    },
    hits: async (body, asked, signal) => read(Hits, await search(body, asked, signal), asked),
    terms: async (body, asked, signal) => read(Terms, await search(body, asked, signal), asked),
    async greeting(signal) {
      const asked = 'the version.';
      return read(Greeting, await askPatiently(backend, { path: '/' }, asked, signal), asked);
    },
  };
}
