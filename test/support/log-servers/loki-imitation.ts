import {
  json,
  startHttpImitation,
  text,
  type AskedOfServer,
  type HttpImitation,
  type PlainReply,
} from '../http-imitation.ts';
import { fieldsOf, newestFirst, re2, within, type WrittenLine } from './written-lines.ts';

export interface LokiRules {
  /** `max_entries_limit_per_query`, default 5000. */
  readonly maxEntries?: number;
  /** `max_query_length` in hours; absent: unlimited. */
  readonly maxHours?: number;
  /** The only tenant; a request without it is refused. */
  readonly tenant?: string;
  /** `volume_enabled`, default true. */
  readonly hasVolume?: boolean;
  /** Whether level and trace are structured metadata (Loki 3); else lines have none. Default true. */
  readonly hasMetadata?: boolean;
}

type Fields = Readonly<Record<string, string>>;

/** The query API of Loki over lines in memory, as strict as the real one with what it demands (see test/integration/log-servers.test.ts). */
export function startLokiImitation(lines: readonly WrittenLine[], rules: LokiRules = {}): Promise<HttpImitation> {
  const streamOf = ({ service, namespace }: WrittenLine): Fields => ({
    service,
    service_name: service,
    ...(namespace === undefined ? {} : { namespace }),
  });
  const metadataOf = (line: WrittenLine): Fields => {
    if (rules.hasMetadata === false) return {};
    const { service: _, namespace: __, ...own } = fieldsOf(line);
    return { ...own, detected_level: line.level ?? 'unknown' };
  };
  const kept = newestFirst(lines).map((line) => ({ line, stream: streamOf(line), metadata: metadataOf(line) }));

  const inWindow = ({ params }: AskedOfServer) => {
    const [start, end] = [BigInt(params.get('start') ?? ''), BigInt(params.get('end') ?? '')];
    return within(kept, ({ line }) => line.timeNs, start, end);
  };
  const queryRange = (request: AskedOfServer): PlainReply => {
    const { params } = request;
    const limit = Number(params.get('limit') ?? 100);
    const most = rules.maxEntries ?? 5000;
    if (limit > most)
      return text(
        `max entries limit per query exceeded, limit > max_entries_limit_per_query (${limit} > ${most})`,
        400,
      );
    if (params.get('direction') !== 'backward') return text('this test asks backward', 400);
    const matches = parseLogql(params.get('query') ?? '');
    if (typeof matches === 'string') return text(matches, 400);
    const found = inWindow(request)
      .filter(({ line, stream, metadata }) => matches(stream, metadata, line.message))
      .slice(0, limit);
    const streams = new Map<string, { readonly stream: Fields; readonly values: string[][] }>();
    for (const { line, stream, metadata } of found) {
      const labels = { ...stream, ...metadata };
      const key = JSON.stringify(labels);
      const entry = streams.get(key) ?? { stream: labels, values: [] };
      entry.values.push([String(line.timeNs), line.message]);
      streams.set(key, entry);
    }
    return json({ status: 'success', data: { resultType: 'streams', result: [...streams.values()], stats: {} } });
  };
  const valuesOf = (request: AskedOfServer, label: string) => {
    const query = request.params.get('query');
    const matches = query === null ? () => true : parseLogql(query);
    if (typeof matches === 'string') return matches;
    const found = inWindow(request).filter(({ stream, metadata, line }) => matches(stream, metadata, line.message));
    const sizes = new Map<string, number>();
    for (const { stream, line } of found) {
      const value = stream[label];
      if (value !== undefined) sizes.set(value, (sizes.get(value) ?? 0) + line.message.length);
    }
    return sizes;
  };

  const tooLong = ({ params }: AskedOfServer): PlainReply | undefined => {
    const lengthNs = BigInt(params.get('end') ?? 0) - BigInt(params.get('start') ?? 0);
    const hours = Number(lengthNs / 3_600_000_000_000n);
    if (rules.maxHours === undefined || hours <= rules.maxHours) return undefined;
    return text(`the query time range exceeds the limit (query length: ${hours}h0m0s, limit: ${rules.maxHours}h)`, 400);
  };

  return startHttpImitation((request) => {
    const refused = tooLong(request);
    if (refused) return refused;
    if (rules.tenant !== undefined && request.headers['x-scope-orgid'] !== rules.tenant) return text('no org id', 401);
    const label = /^\/loki\/api\/v1\/label\/([^/]+)\/values$/.exec(request.path)?.[1];
    if (label !== undefined) {
      const sizes = valuesOf(request, decodeURIComponent(label));
      return typeof sizes === 'string' ? text(sizes, 400) : json({ status: 'success', data: [...sizes.keys()].sort() });
    }
    switch (request.path) {
      case '/loki/api/v1/query_range':
        return queryRange(request);
      case '/loki/api/v1/labels': {
        const names = [...new Set(inWindow(request).flatMap(({ stream }) => Object.keys(stream)))].sort();
        return json({ status: 'success', ...(names.length > 0 ? { data: names } : {}) });
      }
      case '/loki/api/v1/index/volume': {
        if (rules.hasVolume === false) return text('not found', 404);
        const target = request.params.get('targetLabels') ?? '';
        const sizes = valuesOf(request, target);
        if (typeof sizes === 'string') return text(sizes, 400);
        const result = [...sizes].map(([value, size]) => ({ metric: { [target]: value }, value: [1, String(size)] }));
        return json({ status: 'success', data: { resultType: 'vector', result } });
      }
      case '/loki/api/v1/status/buildinfo':
        return json({ version: '3.7.8', revision: 'imitation' });
      default:
        return text('404 page not found\n', 404);
    }
  });
}

type Matches = (stream: Fields, metadata: Fields, message: string) => boolean;

const STRING = String.raw`"(?:[^"\\\n]|\\.)*"`;
const MATCHER = new RegExp(String.raw`^\s*([a-zA-Z_]\w*)\s*(=~|!~|!=|=)\s*(${STRING})\s*(,|\})`);
const STAGE = new RegExp(
  String.raw`^\s*(?:(\|~|!~|\|=|!=)\s*(${STRING})|\|\s*([a-zA-Z_]\w*)\s*(=~|!~|!=|=)\s*(${STRING}))`,
);

/** What a query of selector, line filters and label filters matches; a text is the error that Loki gives. */
function parseLogql(logql: string): Matches | string {
  let rest = logql.trim();
  if (!rest.startsWith('{')) return `parse error at line 1, col 1: syntax error: unexpected ${rest.slice(0, 10)}`;
  rest = rest.slice(1);
  const conditions: Matches[] = [];
  let isBounded = false;
  for (let ended = false; !ended;) {
    const found = MATCHER.exec(rest);
    if (!found) return `parse error at line 1, col ${logql.length - rest.length}: syntax error`;
    const [whole, name = '', operator = '', literal = '', end] = found;
    const test = comparison(operator, JSON.parse(literal) as string, true);
    isBounded ||= !test('');
    conditions.push((stream) => test(stream[name] ?? ''));
    rest = rest.slice(whole.length);
    ended = end === '}';
  }
  if (!isBounded)
    return 'parse error : queries require at least one regexp or equality matcher that does not have an empty-compatible value.';
  while (rest.trim() !== '') {
    const found = STAGE.exec(rest);
    if (!found) return `parse error at line 1, col ${logql.length - rest.length}: syntax error`;
    const [whole, line, needle = '', label = '', operator = '', value = ''] = found;
    if (line) {
      const test = comparison(line.replace('|=', '=').replace('|~', '=~'), JSON.parse(needle) as string, false);
      conditions.push((_stream, _metadata, message) => test(message));
    } else {
      const test = comparison(operator, JSON.parse(value) as string, true);
      conditions.push((stream, metadata) => test(metadata[label] ?? stream[label] ?? ''));
    }
    rest = rest.slice(whole.length);
  }
  return (stream, metadata, message) => conditions.every((matches) => matches(stream, metadata, message));
}

/** Regular expressions on labels are anchored, those on lines are not. */
function comparison(operator: string, value: string, isLabel: boolean): (text: string) => boolean {
  if (operator === '=') return (other) => (isLabel ? other === value : other.includes(value));
  if (operator === '!=') return (other) => (isLabel ? other !== value : !other.includes(value));
  const plain = re2(value);
  const pattern = isLabel ? new RegExp(`^(?:${plain.source})$`, plain.flags) : plain;
  return operator === '=~' ? (other) => pattern.test(other) : (other) => !pattern.test(other);
}
