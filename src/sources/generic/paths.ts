import { z } from 'zod';

/** `each`: every element of a list. A number is an index of a list, or a key that is written so. */
type Step = string | number | { readonly each: true };

/** Where to look in a webhook. `text` is what the operator wrote, for messages. */
export interface Path {
  readonly text: string;
  /** `item`: the alert, where the body holds several; else the body. */
  readonly root: 'item' | 'body' | 'headers' | 'labels';
  readonly steps: readonly Step[];
}

/** What paths look into. */
export interface Scope {
  readonly item: unknown;
  readonly body: unknown;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, unknown>>;
  /** Those collected by `labels_from`. */
  readonly labels: Readonly<Record<string, string>>;
  /** Shared by all alerts of a webhook; without it there is no limit. */
  readonly effort?: Effort;
}

/** How many more values are looked at. What stands once in a body may be asked for by each of its alerts, so their product has to be bounded. */
export interface Effort {
  left: number;
}

const MAX_LENGTH = 300;
/** More than a notification may hold is not looked at: lists in lists multiply. */
const MAX_VALUES = 20_000;
const EACH = { each: true } as const;
const ROOTS = [
  { prefix: '$header.', root: 'headers' },
  { prefix: '$labels.', root: 'labels' },
  { prefix: '$.', root: 'body' },
] as const;
/** A name, then any number of `[]` and `[7]`. */
const SEGMENT = /^([^[\]]*)((?:\[\d{0,6}\])*)$/;

/** Reads `a.b[0].c`, `a.list[].c` (every element), `/a/b~1c/0` (JSON pointer, RFC 6901); undefined when it is none of them. */
export function parsePath(text: string): Path | undefined {
  if (text.length === 0 || text.length > MAX_LENGTH) return undefined;
  if (text.startsWith('/')) return { text, root: 'item', steps: text.slice(1).split('/').map(unescapePointer) };
  const { prefix, root } = ROOTS.find((candidate) => text.startsWith(candidate.prefix)) ?? { prefix: '', root: 'item' };
  const rest = text.slice(prefix.length);
  // Names of labels and headers hold dots, and nothing is below them.
  if (root === 'headers') return rest ? { text, root, steps: [rest.toLowerCase()] } : undefined;
  if (root === 'labels') return rest ? { text, root, steps: [rest] } : undefined;
  const steps = rest.split('.').map(parseSegment);
  return steps.every((step) => step !== undefined) ? { text, root, steps: steps.flat() } : undefined;
}

/** A path as a settings file holds it. */
export const PathText = z.string().transform((text, context): Path => {
  const path = parsePath(text);
  if (path) return path;
  context.addIssue({ code: 'custom', message: 'must be a path such as a.b[0].c, list[].name or /a/b/0' });
  return z.NEVER;
});

/** Every value the path leads to; none when it leads nowhere. Only own properties are seen. */
export function valuesAt({ root, steps }: Path, scope: Scope): readonly unknown[] {
  let values: readonly unknown[] = [scope[root]];
  for (const step of steps) {
    values = values.flatMap((value) => follow(value, step)).slice(0, MAX_VALUES);
    spend(scope, values.length);
  }
  return values;
}

export function spend({ effort }: Scope, values: number): void {
  if (effort) effort.left -= values;
}

function follow(value: unknown, step: Step): readonly unknown[] {
  if (typeof value !== 'object' || value === null) return [];
  if (typeof step === 'object') return Array.isArray(value) ? (value as readonly unknown[]) : [];
  return Object.hasOwn(value, step) ? [(value as Readonly<Record<string | number, unknown>>)[step]] : [];
}

function parseSegment(segment: string): readonly Step[] | undefined {
  const match = SEGMENT.exec(segment);
  const [, name = '', brackets = ''] = match ?? [];
  if (!match || segment === '') return undefined;
  const inBrackets = [...brackets.matchAll(/\[(\d*)\]/g)].map(([, index]) => (index ? Number(index) : EACH));
  return name === '' ? inBrackets : [name, ...inBrackets];
}

function unescapePointer(token: string): string {
  return token.replaceAll('~1', '/').replaceAll('~0', '~');
}
