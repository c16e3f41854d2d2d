import {
  json,
  startHttpImitation,
  type AskedOfServer,
  type HttpImitation,
  type PlainReply,
} from '../http-imitation.ts';
import { compileQuery, illegal, type Doc } from './elasticsearch-queries.ts';
import { fieldsOf, newestFirst, within, type WrittenLine } from './written-lines.ts';

export interface ElasticsearchRules {
  /** Default `elasticsearch`. */
  readonly distribution?: 'elasticsearch' | 'opensearch';
  /** `index.max_result_window`, default 10,000. */
  readonly maxResultWindow?: number;
  /** `search.allow_expensive_queries`, default true. */
  readonly allowsExpensive?: boolean;
  /** What `Authorization` has to be. */
  readonly authorization?: string;
  /** Names in documents; default are those of the Elastic Common Schema. */
  readonly layout?: 'ecs' | 'fluent-bit';
}

const LAYOUTS = {
  ecs: {
    service: 'service.name',
    namespace: 'kubernetes.namespace',
    level: 'log.level',
    trace_id: 'trace.id',
    message: 'message',
  },
  'fluent-bit': {
    service: 'kubernetes.container_name',
    namespace: 'kubernetes.namespace_name',
    level: 'level',
    trace_id: 'trace_id',
    message: 'log',
  },
} as const;

interface Stored {
  readonly id: string;
  readonly doc: Doc;
  readonly source: Readonly<Record<string, unknown>>;
}

/**
 * The search API of Elasticsearch over lines in memory, as its reference documents it, and as strict with bodies: a key that it does not know is refused.
 * ECS maps names as `keyword` and the message as text; what fluent-bit writes is mapped by default, text with a `.keyword` beside it.
 */
export function startElasticsearchImitation(
  lines: readonly WrittenLine[],
  rules: ElasticsearchRules = {},
): Promise<HttpImitation> {
  const { layout: layoutName = 'ecs', maxResultWindow = 10_000, allowsExpensive = true } = rules;
  const layout = LAYOUTS[layoutName];
  const stored = newestFirst(lines).map((line, place) => store(line, `d${lines.length - place}`, layout));
  const isText = (field: string) => field === layout.message || layoutName === 'fluent-bit';

  const stampOf = ({ doc }: Stored) => BigInt(doc['@timestamp'] ?? 0);
  /** The range of time stands in front, as the providers write it; it is judged with the others again. */
  const inWindow = (query: unknown) => {
    const { bool } = query as {
      readonly bool: {
        readonly filter: readonly { readonly range?: Readonly<Record<string, { gte: number; lt: number }>> }[];
      };
    };
    const range = bool.filter[0]?.range?.['@timestamp'] ?? illegal('this test asks for a range of time');
    return within(stored, stampOf, BigInt(range.gte), BigInt(range.lt));
  };

  const search = ({ body }: AskedOfServer): PlainReply => {
    const {
      query,
      size = 10,
      sort,
      aggs,
      _source,
      track_total_hits: total,
      timeout: _,
      ...unknown
    } = JSON.parse(body) as Body;
    const [stranger] = Object.keys(unknown);
    if (stranger) return failure(400, `unknown key [${stranger}] for a VALUE`, 'parsing_exception');
    if (size > maxResultWindow)
      return failure(
        400,
        `Result window is too large, from + size must be less than or equal to: [${maxResultWindow}] but was [${size}]. See the scroll api for a more efficient way to request large data sets.`,
      );
    if (total !== false) return failure(400, 'this test asks for no totals');
    const matches = compileQuery(query, { isText, allowsExpensive });
    const found = inWindow(query).filter(({ doc }) => matches(doc));
    const shards = { total: 5, successful: 5, skipped: 0, failed: 0 };
    const common = { took: 1, timed_out: false, _shards: shards };
    if (aggs)
      return json({ ...common, hits: { hits: [] }, aggregations: { values: { buckets: count(found, aggs.values) } } });
    if (JSON.stringify(sort) !== SORT)
      return failure(400, `No mapping found for [${JSON.stringify(sort)}] in order to sort on`);
    const hits = found.slice(0, size).map(({ id, doc, source }) => ({
      _index: 'logs-app-default',
      _id: id,
      _score: null,
      _source: only(source, _source?.includes ?? []),
      sort: [Number(doc['@timestamp']), Number(id.slice(1))],
    }));
    return json({ ...common, hits: { max_score: null, hits } });
  };
  const count = (found: readonly Stored[], { terms }: NonNullable<Body['aggs']>['values']) => {
    const field = terms.field.replace(/\.keyword$/, '');
    if (isText(field) && field === terms.field) illegal(`Fielddata is disabled on [${field}]`);
    const sizes = new Map<string, number>();
    for (const { doc } of found) if (doc[field] !== undefined) sizes.set(doc[field], (sizes.get(doc[field]) ?? 0) + 1);
    const buckets = [...sizes].map(([key, doc_count]) => ({ key, doc_count }));
    return buckets.sort((a, b) => b.doc_count - a.doc_count).slice(0, terms.size);
  };
  const fieldCaps = ({ params, body }: AskedOfServer): PlainReply => {
    const url = new Set((params.get('fields') ?? '').split(','));
    const { index_filter: filter } = JSON.parse(body) as { readonly index_filter: unknown };
    const matches = compileQuery(filter, { isText, allowsExpensive });
    const there = new Set(
      inWindow({ bool: { filter: [filter] } })
        .filter(({ doc }) => matches(doc))
        .flatMap(({ doc }) => Object.keys(doc)),
    );
    const fields: Record<string, unknown> = {};
    for (const name of there) {
      const type = isText(name) ? 'text' : 'keyword';
      const cap = (of: string, aggregatable: boolean) => ({ [of]: { type: of, searchable: true, aggregatable } });
      if (url.has(name)) fields[name] = cap(type, type === 'keyword');
      if (type === 'text' && url.has(`${name}.keyword`)) fields[`${name}.keyword`] = cap('keyword', true);
    }
    return json({ indices: ['logs-app-default'], fields });
  };

  return startHttpImitation((request) => {
    if (rules.authorization !== undefined && request.headers.authorization !== rules.authorization)
      return failure(401, 'missing authentication credentials for REST request', 'security_exception');
    const page = /^\/[^/]+\/(_search|_field_caps)$/.exec(request.path)?.[1];
    try {
      if (request.path === '/') return json(greeting(rules.distribution ?? 'elasticsearch'));
      if (page === undefined)
        return failure(400, `no handler found for uri [${request.path}] and method [${request.method}]`);
      return page === '_search' ? search(request) : fieldCaps(request);
    } catch (error) {
      return failure(400, error instanceof Error ? error.message : String(error), 'parsing_exception');
    }
  });
}

interface Body {
  readonly query: unknown;
  readonly size?: number;
  readonly sort?: unknown;
  readonly aggs?: { readonly values: { readonly terms: { readonly field: string; readonly size: number } } };
  readonly _source?: { readonly includes: readonly string[] };
  readonly track_total_hits?: boolean;
  readonly timeout?: string;
}

/** The only order that the providers ask for. */
const SORT = JSON.stringify([
  { '@timestamp': { order: 'desc', numeric_type: 'date', unmapped_type: 'date' } },
  { _doc: { order: 'desc' } },
]);

function store(line: WrittenLine, id: string, layout: (typeof LAYOUTS)[keyof typeof LAYOUTS]): Stored {
  const doc: Record<string, string> = {
    '@timestamp': String(line.timeNs / 1_000_000n),
    [layout.message]: line.message,
  };
  for (const [name, value] of Object.entries(fieldsOf(line))) doc[layout[name as keyof typeof layout]] = value;
  const source: Record<string, unknown> = {};
  for (const [path, value] of Object.entries(doc)) nest(source, path.split('.'), value);
  // Documents carry the time as it was written.
  source['@timestamp'] = new Date(Number(line.timeNs / 1_000_000n)).toISOString();
  return { id, doc, source };
}

function nest(into: Record<string, unknown>, [first = '', ...others]: readonly string[], value: string): void {
  if (others.length === 0) into[first] = value;
  else nest((into[first] ??= {}) as Record<string, unknown>, others, value);
}

/** Source filtering: fields that are not asked for do not come. */
function only(
  source: Readonly<Record<string, unknown>>,
  includes: readonly string[],
): Readonly<Record<string, unknown>> {
  const filtered: Record<string, unknown> = {};
  for (const path of includes) {
    const value = path
      .split('.')
      .reduce<unknown>((at, key) => (at as Record<string, unknown> | undefined)?.[key], source);
    if (typeof value === 'string') nest(filtered, path.split('.'), value);
  }
  return filtered;
}

function failure(status: number, reason: string, type = 'illegal_argument_exception'): PlainReply {
  return json({ error: { root_cause: [{ type, reason }], type, reason }, status }, status);
}

function greeting(distribution: 'elasticsearch' | 'opensearch') {
  if (distribution === 'opensearch')
    return {
      name: 'n',
      version: { distribution, number: '2.19.6' },
      tagline: 'The OpenSearch Project: https://opensearch.org/',
    };
  return { name: 'n', version: { number: '8.17.3', build_flavor: 'default' }, tagline: 'You Know, for Search' };
}
