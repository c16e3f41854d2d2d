import type { z } from 'zod';
import { Conclusion } from '../domain/report.ts';
import type { Problem } from '../domain/verification.ts';
import { oneLine } from '../policy/untrusted.ts';

export type Parsed<T> =
  | { readonly kind: 'valid'; readonly value: T }
  | { readonly kind: 'invalid'; readonly problems: readonly Problem[] }
  /** There is no JSON object in the text at all. */
  | { readonly kind: 'none' };

export function parseReport(text: string): Parsed<Conclusion> {
  return parseObject(text, Conclusion);
}

/** Reads the one object of `schema` out of what the model said: bare, in a code fence, or after a sentence. Two objects are ambiguous. */
export function parseObject<T>(text: string, schema: z.ZodType<T>): Parsed<T> {
  const start = text.indexOf('{');
  if (start < 0) return { kind: 'none' };
  const object = firstObject(text, start);
  if (!object) return invalid('', 'the JSON is cut off or not well-formed');
  if (text.slice(object.end).includes('{')) return invalid('', 'write exactly one JSON object');
  if (object.duplicateKey) return invalid('', 'a key occurs twice in one object');
  let value: unknown;
  try {
    value = JSON.parse(text.slice(start, object.end));
  } catch {
    return invalid('', 'the JSON is not well-formed');
  }
  const parsed = schema.safeParse(value);
  if (!parsed.success) return { kind: 'invalid', problems: parsed.error.issues.map(toProblem) };
  const blank = pathsOfBlankText(parsed.data, '');
  if (blank.length > 0)
    return { kind: 'invalid', problems: blank.map((path) => ({ path, rule: 'must not be blank' })) };
  return { kind: 'valid', value: parsed.data };
}

function invalid(path: string, rule: string): Parsed<never> {
  return { kind: 'invalid', problems: [{ path, rule }] };
}

function toProblem(issue: z.core.$ZodIssue): Problem {
  const path = issue.path.join('.');
  // The message of this one quotes the keys that the model made up.
  if (issue.code === 'unrecognized_keys') return { path, rule: 'has keys that are not in the schema' };
  return { path, rule: issue.message };
}

/** Invisible characters satisfy a minimal length, and nothing is left of them in the report. */
function pathsOfBlankText(value: unknown, path: string): readonly string[] {
  if (typeof value === 'string') return oneLine(value) === '' ? [path] : [];
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, item]) => pathsOfBlankText(item, path ? `${path}.${key}` : key));
}

interface Scanned {
  /** Index after the closing brace. */
  readonly end: number;
  readonly duplicateKey: boolean;
}

/** A string that does not end runs to the end of the text, so that nothing is scanned twice. */
const TOKEN = /"(?:[^"\\]|\\.?)*(?:"|$)|[{}[\],:]/gs;

/** Finds the end of the object that starts at `start`. JSON.parse silently lets the last of two equal keys win, so keys are watched. */
function firstObject(text: string, start: number): Scanned | undefined {
  const keysOfOpen: (Set<string> | undefined)[] = [];
  let duplicateKey = false;
  let pending: string | undefined;
  TOKEN.lastIndex = start;
  for (let match = TOKEN.exec(text); match; match = TOKEN.exec(text)) {
    const token = match[0];
    if (token === '{') keysOfOpen.push(new Set());
    else if (token === '[') keysOfOpen.push(undefined);
    else if (token === '}' || token === ']') {
      keysOfOpen.pop();
      if (keysOfOpen.length === 0) return { end: TOKEN.lastIndex, duplicateKey };
    } else if (token === ':' && pending !== undefined) {
      const keys = keysOfOpen.at(-1);
      if (keys?.has(pending)) duplicateKey = true;
      keys?.add(pending);
    }
    pending = token.startsWith('"') ? token : undefined;
  }
  return undefined;
}
