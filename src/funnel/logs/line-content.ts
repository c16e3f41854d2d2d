import { WordTable } from './word-table.ts';

/** What a structured line says, as places in its bytes: its message, a request, or only that it has these fields. */
export type LineContent =
  | { readonly kind: 'text'; readonly from: number; readonly to: number }
  | { readonly kind: 'request'; readonly method: Span; readonly path: Span; readonly status: Span }
  | { readonly kind: 'fields'; readonly names: string };

/** Bytes `from` ≤ i < `to`. */
export interface Span {
  readonly from: number;
  readonly to: number;
}

export const NOTHING: Span = { from: 0, to: 0 };

const MESSAGE_KEYS = ['msg', 'message', '@message', 'event_message', 'short_message', 'text', 'log', 'body', '@m'];
const EVENT_KEYS = ['event', 'event_type', 'type', 'action', 'operation', '@mt'];
const METHOD_KEYS = ['method', 'http_method', 'request_method', 'verb', 'http.method'];
const PATH_KEYS = ['path', 'uri', 'url', 'request_uri', 'request_path', 'route', 'http.target', 'endpoint'];
const STATUS_KEYS = ['status', 'status_code', 'http_status', 'code', 'statuscode', 'http.status_code'];

const ROLES = [MESSAGE_KEYS, METHOD_KEYS, PATH_KEYS, STATUS_KEYS, EVENT_KEYS];
const MESSAGE = 0;
const METHOD = 1;
const PATH = 2;
const STATUS = 3;
const EVENT = 4;

const KEYS = new WordTable(ROLES.flat(), true);
/** By index in `KEYS`: what a key is for, and how many keys for the same are better names for it. */
const ROLE_OF = Uint8Array.from(ROLES.flatMap((keys, role) => keys.map(() => role)));
const RANK_OF = Uint8Array.from(ROLES.flatMap((keys) => keys.map((_, rank) => rank)));
const NESTED = 100;

/**
 * Collects the fields that matter from the pairs of one line. The key nearest to the top wins, then the first in its list:
 * the message of the line itself, not of what it reports about.
 */
export class FieldCollector {
  /** By role: place of the value, and its rank, or -1. */
  readonly #from = new Int32Array(ROLES.length);
  readonly #to = new Int32Array(ROLES.length);
  readonly #ranks = new Int32Array(ROLES.length);

  clear(): void {
    for (let role = 0; role < ROLES.length; role++) this.#ranks[role] = -1;
  }

  /** Takes note of a pair: places of key and value; `depth` 0 is the top. */
  add(bytes: Uint8Array, keyFrom: number, keyTo: number, from: number, to: number, depth: number): void {
    if (to <= from) return;
    const key = KEYS.find(bytes, keyFrom, keyTo);
    if (key < 0) return;
    const role = ROLE_OF[key] ?? 0;
    const rank = depth * NESTED + (RANK_OF[key] ?? 0);
    const best = this.#ranks[role] ?? -1;
    if (best >= 0 && best <= rank) return;
    this.#ranks[role] = rank;
    this.#from[role] = from;
    this.#to[role] = to;
  }

  hasMessage(): boolean {
    return (this.#ranks[MESSAGE] ?? -1) >= 0;
  }

  /** Message, else request, else event; undefined when the line has none of them. */
  content(): LineContent | undefined {
    if (this.hasMessage()) return this.#text(MESSAGE);
    const method = this.#span(METHOD);
    const path = this.#span(PATH);
    if (method && path) return { kind: 'request', method, path, status: this.#span(STATUS) ?? NOTHING };
    return (this.#ranks[EVENT] ?? -1) >= 0 ? this.#text(EVENT) : undefined;
  }

  #text(role: number): LineContent {
    return { kind: 'text', from: this.#from[role] ?? 0, to: this.#to[role] ?? 0 };
  }

  #span(role: number): Span | undefined {
    if ((this.#ranks[role] ?? -1) < 0) return undefined;
    return { from: this.#from[role] ?? 0, to: this.#to[role] ?? 0 };
  }
}
