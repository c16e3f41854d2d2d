import { clip, oneLine } from '../../policy/untrusted.ts';
import { BackendError } from '../backend/backend-error.ts';
import {
  windowInWords,
  type LineFilter,
  type LogFieldNames,
  type LogLine,
  type LogSource,
  type LogWindow,
} from '../logs/log-source.ts';
import { toRecord } from '../logs/to-record.ts';
import { shortfalls, type Hits } from './answers.ts';
import { ELASTICSEARCH, type ElasticsearchApi } from './api.ts';
import { readFieldUses, valueAt, type FieldUse } from './fields.ts';
import { timeRange, toQuery, type KnownFields } from './query-dsl.ts';

export interface ElasticsearchFieldNames extends LogFieldNames {
  readonly time: string;
  readonly message: readonly string[];
}

/** Half of what an index gives at once by default; a lower limit is learned from its refusal. */
const PAGE_LINES = 5000;
/** Where words only stand for a substring, most of what comes may be something else. */
const LEAST_RAW_LINES = 1000;
const MOST_VALUES = 500;

/**
 * The lines in Elasticsearch 7.10+ or OpenSearch. Pages are told by time and document, without a point in time or a scroll: lines are only ever added, and
 * nothing has to be kept open on the server.
 */
export function createElasticsearchSource(api: ElasticsearchApi, names: ElasticsearchFieldNames): LogSource {
  let mostLines = PAGE_LINES;
  let mayUseWildcards = true;
  let uses: ReadonlyMap<string, FieldUse> | undefined;

  const findUses = async (window: LogWindow, signal: AbortSignal) => {
    const wanted = [...new Set([...names.service, ...names.namespace, ...names.level, ...names.message])];
    const asked = `which of the fields there are ${windowInWords(window)}.`;
    const fields = wanted.flatMap((name) => [name, `${name}.keyword`]);
    const caps = await api.fieldCaps(fields, timeRange(window, names.time), asked, signal);
    const found = readFieldUses(wanted, caps);
    uses = new Map([...(uses ?? []), ...found]);
    return found;
  };
  const knownFields = async (window: LogWindow, signal: AbortSignal): Promise<KnownFields> => {
    const there = uses ?? (await findUses(window, signal));
    const of = (all: readonly string[]) => all.filter((name) => there.has(name));
    return { time: names.time, message: of(names.message), level: of(names.level), uses: there, mayUseWildcards };
  };

  const search = async (filter: LineFilter, limit: number, known: KnownFields, signal: AbortSignal) => {
    const query = toQuery(filter, known);
    const _source = { includes: included(names) };
    const body = { size: limit, track_total_hits: false, _source, sort: newestFirst(names.time), query };
    return { data: await api.hits(body, `the last ${limit} ${inWords(filter)}.`, signal), limit };
  };

  /** Asks again in the way that the cluster allows, when it refuses one; what was learned meanwhile by another question counts too. */
  const searchAsAllowed = async (filter: LineFilter, wanted: number, signal: AbortSignal) => {
    const raw = filter.contains === undefined ? wanted : Math.max(wanted, LEAST_RAW_LINES);
    for (;;) {
      const limit = Math.min(mostLines, raw);
      const known = await knownFields(filter, signal);
      try {
        return await search(filter, limit, known, signal);
      } catch (error) {
        if (!(error instanceof BackendError)) throw error;
        const allowed = windowLimit(error.problem) ?? limit;
        const isExpensive = known.mayUseWildcards && error.problem.includes('search.allow_expensive_queries');
        if (!isExpensive && allowed >= limit) throw error;
        mayUseWildcards &&= !isExpensive;
        mostLines = Math.min(mostLines, allowed);
      }
    }
  };

  return {
    name: ELASTICSEARCH,
    sizeUnit: 'lines',
    tickNs: 1_000_000n,
    pageLines: PAGE_LINES,
    whenEmpty: 'check ELASTICSEARCH_INDEX, ELASTICSEARCH_TIME_FIELD and what is collected',
    everything: () => [[]],
    fieldsIn: async (window, signal) => new Set((await findUses(window, signal)).keys()),
    async countBy(field, filter, signal) {
      const known = await knownFields(filter, signal);
      const exact = known.uses.get(field)?.exact;
      // Text without a keyword cannot be counted by.
      if (exact === undefined) return [];
      const query = toQuery(filter, known);
      const aggs = { values: { terms: { field: exact, size: MOST_VALUES } } };
      const asked = `the values of ${exact} of ${inWords(filter)}.`;
      const { aggregations } = await api.terms({ size: 0, track_total_hits: false, query, aggs }, asked, signal);
      return (aggregations?.values.buckets ?? []).map(({ key, doc_count: size }) => ({ value: String(key), size }));
    },
    async readPage(filter, wanted, signal) {
      const { data, limit } = await searchAsAllowed(filter, wanted, signal);
      const lines = linesOf(data, names);
      const oldest = lines.length >= limit ? lines.at(-1) : undefined;
      const needle = filter.contains?.toLowerCase();
      const matching =
        needle === undefined ? lines : lines.filter(({ record }) => record.message.toLowerCase().includes(needle));
      return { lines: matching, ...(oldest ? { reachedNs: oldest.timeNs } : {}), notes: shortfalls(data) };
    },
    async describe(signal) {
      const { version } = await api.greeting(signal);
      return `${version.distribution === 'opensearch' ? 'OpenSearch' : 'Elasticsearch'} ${version.number}`;
    },
  };
}

/** The query as it would fill a page as JSON. */
function inWords(filter: LineFilter): string {
  const { fields, contains, telling } = filter;
  const conditions = fields.map((match) =>
    'set' in match
      ? `${match.set ? 'with' : 'without'} ${match.field}`
      : `${match.field} = ${match.values.join(' | ')}`,
  );
  const told = telling === undefined ? [] : [telling === 'errors' ? 'that tell of errors' : 'that tell of no errors'];
  const all = [
    ...conditions,
    ...(contains === undefined ? [] : [`with the text ${JSON.stringify(contains)}`]),
    ...told,
  ];
  return `lines ${clip(oneLine([...all, windowInWords(filter)].join(', ')), 500)}`;
}

function included({ time, message, service, namespace, level, trace }: ElasticsearchFieldNames): readonly string[] {
  return [time, ...message, ...service, ...namespace, ...level, ...trace];
}

/** As milliseconds, also for `date_nanos`: nanoseconds do not fit into a number of JSON. Of one time the last written comes first. */
function newestFirst(time: string): readonly Readonly<Record<string, unknown>>[] {
  return [{ [time]: { order: 'desc', numeric_type: 'date', unmapped_type: 'date' } }, { _doc: { order: 'desc' } }];
}

function linesOf({ hits: { hits } }: Hits, names: ElasticsearchFieldNames): LogLine[] {
  return hits.flatMap(({ _index: index, _id: id, _source: source, sort }) => {
    const ms = Number(sort?.[0]);
    if (!Number.isSafeInteger(ms)) return [];
    const message = names.message.map((field) => valueAt(source, field)).find((text) => text !== undefined);
    const timeNs = BigInt(ms) * 1_000_000n;
    const record = toRecord(timeNs, message ?? JSON.stringify(source), names, (field) => valueAt(source, field));
    return [{ timeNs, key: `${index}/${id}`, record }];
  });
}

/** `Result window is too large, from + size must be less than or equal to: [1000] but was [5000]`: the number allowed. */
function windowLimit(problem: string): number | undefined {
  const allowed = Number(/less than or equal to: \[(\d+)\]/.exec(problem)?.[1]);
  return allowed > 0 ? allowed : undefined;
}
