/** What a structured line says: its message, a request, or only the names of its fields. */
export type LineContent =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'request'; readonly method: string; readonly path: string; readonly status: string }
  | { readonly kind: 'fields'; readonly names: string };

type Fields = ReadonlyMap<string, string>;

const MESSAGE_KEYS = ['msg', 'message', '@message', 'event_message', 'short_message', 'text', 'log', 'body', '@m'];
const EVENT_KEYS = ['event', 'event_type', 'type', 'action', 'operation', '@mt'];
const METHOD_KEYS = ['method', 'http_method', 'request_method', 'verb', 'http.method'];
const PATH_KEYS = ['path', 'uri', 'url', 'request_uri', 'request_path', 'route', 'http.target', 'endpoint'];
const STATUS_KEYS = ['status', 'status_code', 'http_status', 'code', 'statuscode', 'http.status_code'];

const MAX_JSON_LENGTH = 32_768;
const MAX_DEPTH = 3;

/** Content of a JSON line; undefined when the text is no JSON object. */
export function readJsonLine(text: string): LineContent | undefined {
  if (text.length > MAX_JSON_LENGTH || !text.startsWith('{') || !text.endsWith('}')) return undefined;
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return undefined;
  }
  const fields = new Map<string, string>();
  // Breadth first: the message key nearest to the top is the line's own.
  let level: unknown[] = [value];
  for (let depth = 0; depth < MAX_DEPTH && level.length > 0; depth++) {
    const next: unknown[] = [];
    for (const node of level) {
      for (const [key, child] of Object.entries(node as Record<string, unknown>)) {
        if (typeof child === 'object' && child !== null) {
          if (!Array.isArray(child)) next.push(child);
        } else if (!fields.has(key.toLowerCase())) fields.set(key.toLowerCase(), String(child));
      }
    }
    level = next;
  }
  return contentOf(fields);
}

const PAIR = /([A-Za-z_@][\w.@-]*)=(?:"((?:[^"\\]|\\.)*)"|(\S*))\s*/y;

/** Content of a logfmt line: a message or at least two `key=value` pairs and nothing else; undefined otherwise. */
export function readLogfmtLine(text: string, from: number): LineContent | undefined {
  const fields = new Map<string, string>();
  let at = from;
  while (at < text.length) {
    PAIR.lastIndex = at;
    const pair = PAIR.exec(text);
    if (!pair?.[1]) return undefined;
    const key = pair[1].toLowerCase();
    if (!fields.has(key)) fields.set(key, pair[2] ?? pair[3] ?? '');
    at = PAIR.lastIndex;
  }
  return fields.size > 1 || first(fields, MESSAGE_KEYS) ? contentOf(fields, true) : undefined;
}

/** `"Pod started" pod="a/b" …`: the quoted text in front is the message, as structured loggers for Kubernetes write it. */
export function readQuotedMessage(text: string, from: number): LineContent | undefined {
  QUOTED_THEN_PAIRS.lastIndex = from;
  const match = QUOTED_THEN_PAIRS.exec(text);
  return match?.[1] ? { kind: 'text', text: match[1] } : undefined;
}
const QUOTED_THEN_PAIRS = /"((?:[^"\\]|\\.)+)"(?:\s*$|(?=\s+[\w.]+=))/y;

/** `text {"key": …}`: an object behind the message is its context, which differs from line to line. */
export function readTextBeforeJson(text: string, from: number): LineContent | undefined {
  if (!text.endsWith('}')) return undefined;
  const brace = text.indexOf('{"', from);
  const isContext = brace > from && /\s/.test(text[brace - 1] ?? '');
  const message = isContext ? text.slice(from, brace).trim() : '';
  return /\p{L}/u.test(message) && !message.endsWith(':') && !message.endsWith('=')
    ? { kind: 'text', text: message }
    : undefined;
}

function contentOf(fields: Fields, onlyKnown = false): LineContent | undefined {
  const message = first(fields, MESSAGE_KEYS);
  if (message) return { kind: 'text', text: message };
  const method = first(fields, METHOD_KEYS);
  const path = first(fields, PATH_KEYS);
  if (method && path) return { kind: 'request', method, path, status: first(fields, STATUS_KEYS) ?? '' };
  const event = first(fields, EVENT_KEYS);
  if (event) return { kind: 'text', text: event };
  return onlyKnown ? undefined : { kind: 'fields', names: [...fields.keys()].toSorted().join(' ') };
}

function first(fields: Fields, keys: readonly string[]): string | undefined {
  for (const key of keys) {
    const value = fields.get(key);
    if (value) return value;
  }
  return undefined;
}

const ACCESS =
  /"(GET|POST|PUT|DELETE|PATCH|HEAD|OPTIONS|CONNECT|TRACE|PROPFIND) (\S+)(?: [A-Z]+\/[\d.]+)?" (?:[\d/]+\/[\d/]+ )?([1-5]\d\d)(?!\S)/;

/** HAProxy writes the status behind its five timers and the request last. */
const HAPROXY =
  / -?\d+(?:\/[+-]?\d+){3,4} ([1-5]\d\d) .{0,200}"(GET|POST|PUT|DELETE|PATCH|HEAD|OPTIONS|CONNECT|TRACE|PROPFIND) (\S+)/;

/** The request of an access log line (common, combined and ingress formats); undefined for prose that quotes a request. */
export function readAccessLine(text: string, from: number): LineContent | undefined {
  if (!text.includes(' "', from)) return undefined;
  const line = from > 0 ? text.slice(from) : text;
  const proxied = HAPROXY.exec(line);
  if (proxied) return { kind: 'request', status: proxied[1] ?? '', method: proxied[2] ?? '', path: proxied[3] ?? '' };
  const match = ACCESS.exec(line);
  return match ? { kind: 'request', method: match[1] ?? '', path: match[2] ?? '', status: match[3] ?? '' } : undefined;
}
