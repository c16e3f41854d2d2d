import type { Call } from './server.ts';

/** Fields that hold text for people: empty ones are refused by one vendor or another. */
const TEXT_FIELDS = new Set(['text', 'title', 'summary', 'content', 'fallbackText', 'description']);

/** What is wrong with the words of a request, whoever it is for; undefined when nothing is. */
export function flawOfWords({ text, body, path }: Pick<Call, 'text' | 'body' | 'path'>): string | undefined {
  if (/\p{Surrogate}/u.test(text) || /\\ud[89a-f][0-9a-f]{2}/i.test(text))
    return `half a character in a request to ${path}`;
  const empty = emptyField(body);
  return empty === undefined ? undefined : `empty ${empty} in a request to ${path}`;
}

function emptyField(value: unknown): string | undefined {
  if (Array.isArray(value)) return value.map(emptyField).find((found) => found !== undefined);
  if (value === null || typeof value !== 'object') return undefined;
  for (const [name, inner] of Object.entries(value)) {
    if (TEXT_FIELDS.has(name) && typeof inner === 'string' && inner === '') return name;
    const found = emptyField(inner);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** A post as a person sees it, and what in it acts. */
export interface Seen {
  readonly text: string;
  /** Addresses that a click opens. */
  readonly links: readonly string[];
  /** Everything else that would do something: who is notified, what is drawn in, referred to, closed. */
  readonly acts: readonly string[];
}
