import type { z } from 'zod';
import { didYouMean } from './nearest.ts';

/** One thing that is wrong with what somebody wrote: where, and in words what to write instead. */
export interface Mistake {
  readonly path: readonly PropertyKey[];
  readonly message: string;
}

type RawIssue = z.core.$ZodRawIssue;
type Issue = z.core.$ZodIssue;

/** What the value is, or everything that is wrong with it. No message quotes a value: it may be a secret that stands in the wrong place. */
export function parseInWords<T>(
  schema: z.ZodType<T>,
  value: unknown,
): { readonly data: T } | { readonly mistakes: readonly Mistake[]; readonly cause: Error } {
  const parsed = schema.safeParse(value, { error: inWords });
  if (parsed.success) return { data: parsed.data };
  return { mistakes: parsed.error.issues.flatMap(mistakesOf), cause: parsed.error };
}

/** Words for each kind of issue; what a schema says itself goes before them. */
function inWords(issue: RawIssue): string {
  switch (issue.code) {
    case 'invalid_type':
      return wrongType(issue.expected, issue.input);
    case 'invalid_value':
      return `must be ${oneOf(issue.values.map(String), issue.input)}`;
    case 'invalid_union':
      return wrongAlternative(issue as Alternatives);
    case 'unrecognized_keys':
      return issue.keys.map((key) => unknownKey(key, keysOf(issue.inst))).join('\n');
    case 'too_small':
      return sizeOf(issue.origin, issue.minimum, 'least');
    case 'too_big':
      return sizeOf(issue.origin, issue.maximum, 'most');
    case 'invalid_format':
      return `must be ${FORMATS[issue.format] ?? 'of another form'}`;
    case 'not_multiple_of':
      return `must be a multiple of ${issue.divisor}`;
    case 'invalid_key':
    case 'invalid_element':
    case 'custom':
      return 'cannot be used';
  }
}

/** One issue of zod may hold several mistakes: keys that nobody knows, the parts of an alternative. */
function mistakesOf(issue: Issue): readonly Mistake[] {
  const { path, message } = issue;
  const below = (inner: Issue): readonly Mistake[] => mistakesOf({ ...inner, path: [...path, ...inner.path] });
  if (issue.code === 'unrecognized_keys') {
    const messages = message.split('\n');
    return issue.keys.map((key, index) => ({ path: [...path, key], message: messages[index] ?? message }));
  }
  if (issue.code === 'invalid_key' || issue.code === 'invalid_element') return issue.issues.flatMap(below);
  if (issue.code === 'invalid_union') {
    const meant = issue.errors.filter((alternative) => !alternative.some(isOfAnotherKind));
    if (meant.length === 1) return (meant[0] ?? []).flatMap(below);
  }
  return [{ path, message }];
}

/** The alternative was not meant: not even the kind of value is right. */
function isOfAnotherKind({ code, path }: Issue): boolean {
  return path.length === 0 && (code === 'invalid_type' || code === 'invalid_value');
}

const TYPES: Readonly<Record<string, string>> = {
  string: 'text',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  array: 'a list',
  object: 'a map of keys and values',
  record: 'a map of names and values',
};

const UNITS: Readonly<Record<string, string>> = { string: 'characters', array: 'entries', record: 'entries' };
const FORMATS: Readonly<Record<string, string>> = { email: 'an e-mail address', url: 'a URL', date: 'a date' };

function wrongType(expected: string, input: unknown): string {
  const wanted = TYPES[expected] ?? `of the type ${expected}`;
  if (input === undefined) return `is missing: it must be ${wanted}`;
  if (input === null) return `has no value: it must be ${wanted}`;
  const isPlain = typeof input === 'number' || typeof input === 'boolean';
  return `must be ${wanted}${expected === 'string' && isPlain ? ': put it in quotes' : `, not ${typeOf(input)}`}`;
}

function typeOf(input: unknown): string {
  return TYPES[Array.isArray(input) ? 'array' : typeof input] ?? 'that';
}

interface Alternatives {
  /** The key that decides between them. */
  readonly discriminator?: string;
  readonly options?: readonly unknown[];
  readonly input: unknown;
}

function wrongAlternative({ discriminator, options = [], input }: Alternatives): string {
  if (discriminator === undefined) return 'has the wrong form';
  const given = (input as Readonly<Record<string, unknown>>)[discriminator];
  const words = oneOf(options.map(String), given);
  return given === undefined ? `is missing: it must be ${words}` : `must be ${words}`;
}

/** `a, b or c`, and which of them was meant. */
function oneOf(words: readonly string[], input: unknown): string {
  const all = [words.slice(0, -1).join(', '), ...words.slice(-1)].filter(Boolean).join(' or ');
  return `${all}${didYouMean(typeof input === 'string' ? input : '', words)}`;
}

function unknownKey(key: string, known: readonly string[]): string {
  return `no such key is known here${didYouMean(key, known) || (known.length > 0 ? `; known are ${known.join(', ')}` : '')}`;
}

function keysOf(schema: RawIssue['inst']): readonly string[] {
  const { shape } = (schema?._zod.def ?? {}) as { readonly shape?: object };
  return Object.keys(shape ?? {});
}

function sizeOf(origin: string, limit: number | bigint, bound: 'least' | 'most'): string {
  const unit = UNITS[origin];
  if (unit === undefined) return `must be at ${bound} ${limit}`;
  return bound === 'least' && Number(limit) === 1 ? 'must not be empty' : `must have at ${bound} ${limit} ${unit}`;
}
