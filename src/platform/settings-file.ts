import { readFileSync, statSync } from 'node:fs';
import {
  isMap,
  isScalar,
  isSeq,
  LineCounter,
  parseDocument,
  visit,
  type Document,
  type Node,
  type YAMLError,
} from 'yaml';
import { z } from 'zod';
import { parseInWords, type Mistake } from '../policy/explain-issues.ts';

const LARGEST_FILE = 262_144;
/** Most mistakes that are told at once; the rest is counted. */
const MOST_MISTAKES = 100;
/** What the parser calls a mistake, and what can be read all the same. */
const HARMLESS = 'DUPLICATE_KEY';

export interface SettingsFileForm<T> {
  readonly schema: z.ZodType<T>;
  /** A small file that would do: shown to whoever has an empty one. */
  readonly example: string;
  /** What else is wrong, in a file that may not fit the schema. */
  readonly inspect?: (raw: unknown) => readonly Mistake[];
}

/** A settings file that can be used. `at` is `file:line: path: message`, for what only its reader can find wrong. */
export interface SettingsFile<T> {
  readonly data: T;
  readonly at: (path: readonly PropertyKey[], message: string) => string;
}

/** What stands in a settings file for a secret. In capitals, for messages name it, and whoever writes the secret itself there must not find that in a log. */
export const secretVariable = z
  .string()
  .regex(/^[A-Z][A-Z0-9_]*$/, 'must be the name of an environment variable, in capitals: the secret stands there');

/**
 * Reads a settings file (YAML, and so JSON), or says everything that is wrong with it, a line a mistake, each with the line of the file and in its order. Only a text that is no
 * YAML ends at its first mistake. `file` is only named.
 */
export function readSettingsFile<T>(
  text: string,
  file: string,
  { schema, example, inspect }: SettingsFileForm<T>,
): SettingsFile<T> | { readonly problems: string; readonly cause?: Error } {
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false });
  const unreadable = document.errors.find(({ code }) => code !== HARMLESS);
  if (unreadable) return { problems: explainSyntax(unreadable, text, file, lines), cause: unreadable };
  const whole = toData(document, lines);
  if ('problem' in whole) return { problems: `${file}${whole.problem}`, cause: whole.cause };
  const raw = whole.data;
  if (raw === null || raw === undefined)
    return { problems: `${file}: the file is empty; write for example ${example}` };
  const place = (path: readonly PropertyKey[]) => lineOf(document, path, lines);
  const at = (path: readonly PropertyKey[], message: string) =>
    `${file}:${place(path)}: ${nameOf(document, path)}: ${message}`;
  const twice = document.errors.map(({ pos }) => {
    const { line } = lines.linePos(pos[0]);
    return { line, text: `${file}:${line}: this key is there twice: remove one, or put both together` };
  });
  const parsed = parseInWords(schema, raw);
  const mistakes = [...('mistakes' in parsed ? parsed.mistakes : []), ...(inspect?.(raw) ?? [])];
  const all = [...twice, ...mistakes.map(({ path, message }) => ({ line: place(path), text: at(path, message) }))];
  if ('data' in parsed && all.length === 0) return { data: parsed.data, at };
  return { problems: inOrder(all).join('\n'), ...('cause' in parsed ? { cause: parsed.cause } : {}) };
}

/** Text of a file that a setting or a person names. Throws an `Error` whose message says why not, in words and without the path. */
export function readNamedFile(file: string): string {
  try {
    if (statSync(file).size > LARGEST_FILE) throw new Error(`is larger than ${LARGEST_FILE} bytes`);
    return readFileSync(file, 'utf8');
  } catch (error) {
    throw new Error(whyUnreadable(error), { cause: error });
  }
}

/** The reason of a file system's error as the rest of a sentence that begins with the path, which Node's own message has in it. */
export function whyUnreadable(error: unknown): string {
  const { code, message } = error as NodeJS.ErrnoException;
  return (code !== undefined && REASONS[code]) || (code === undefined ? message : `cannot be read (${code})`);
}

const REASONS: Readonly<Record<string, string>> = {
  ENOENT: 'is not there',
  ENOTDIR: 'is not there: a part of its path is a file',
  EISDIR: 'is a folder, not a file',
  EACCES: 'may not be read by this user',
  EPERM: 'may not be read by this user',
};

function inOrder(all: readonly { readonly line: number; readonly text: string }[]): readonly string[] {
  const sorted = [...new Set(all.toSorted((a, b) => a.line - b.line).map(({ text }) => text))];
  const more = sorted.length - MOST_MISTAKES;
  return more > 0 ? [...sorted.slice(0, MOST_MISTAKES), `and ${more} more mistakes`] : sorted;
}

const STARRED = 'text that begins with * stands in quotes';

/** The parser guesses at what went wrong, so what stands on the line goes before its words. */
function explainSyntax({ code, pos, message }: YAMLError, text: string, file: string, lines: LineCounter): string {
  const { line, col } = lines.linePos(pos[0]);
  // The parser's words are for whoever calls it.
  if (code === 'MULTIPLE_DOCS') return `${file}:${line}:${col}: a second document begins here: remove this ---`;
  const said = text.split('\n')[line - 1] ?? '';
  const hint = /[=!][=~]?\s*"/.test(said)
    ? `; a matcher with , [ ] { } # or : in it stands in single quotes, as in 'team=~"pay[0-9]+"'`
    : /[:-]\s+\*/.test(said)
      ? `; ${STARRED}`
      : '';
  return `${file}:${line}:${col}: this is no YAML: ${message}${hint}. What else may be wrong is told when this is mended`;
}

function toData(
  document: Document,
  lines: LineCounter,
): { readonly data: unknown } | { readonly problem: string; readonly cause: Error } {
  try {
    return { data: document.toJS({ maxAliasCount: 100 }) as unknown };
  } catch (error) {
    const alias = unresolvedAlias(document);
    if (alias === undefined) {
      const cause = error instanceof Error ? error : new Error(String(error));
      return { problem: `: this is no YAML: ${cause.message}`, cause };
    }
    // The parser quotes the alias, which may be a password that begins with a star.
    const words = `Unresolved alias: ${STARRED}`;
    return { problem: `:${lines.linePos(alias).line}: this is no YAML: ${words}`, cause: new Error(words) };
  }
}

/** Where the first one begins that leads nowhere. */
function unresolvedAlias(document: Document): number | undefined {
  let found: number | undefined;
  visit(document, {
    Alias: (_key, alias) => {
      if (alias.resolve(document)) return undefined;
      found = alias.range?.[0];
      return visit.BREAK;
    },
  });
  return found;
}

/** Line of the deepest key or element on the path that exists: a missing key has no line, but its map has. */
function lineOf(document: Document, path: readonly PropertyKey[], lines: LineCounter): number {
  let offset = document.contents?.range?.[0] ?? 0;
  let node: unknown = document.contents;
  for (const key of path) {
    const place = isMap(node)
      ? node.items.find((pair) => isScalar(pair.key) && String(pair.key.value) === key)?.key
      : undefined;
    node = isMap(node) || isSeq(node) ? node.get(key, true) : undefined;
    const range = ((place ?? node) as Node | null | undefined)?.range;
    if (!range) break;
    offset = range[0];
  }
  return Math.max(1, lines.linePos(offset).line);
}

/** The path in the words of the file: an element goes by its name, else by its number, counted from 1. */
function nameOf(document: Document, path: readonly PropertyKey[]): string {
  let node: unknown = document.contents;
  const words = path.flatMap((key) => {
    const isElement = isSeq(node);
    // A list of one, written without brackets.
    if (typeof key === 'number' && !isElement) return [];
    node = isMap(node) || isSeq(node) ? node.get(key, true) : undefined;
    if (!isElement) return [String(key)];
    const name: unknown = isMap(node) ? (node.get('name') ?? node.get('type')) : undefined;
    return typeof name === 'string' && /^[\w.-]{1,60}$/.test(name) ? name : `#${Number(key) + 1}`;
  });
  return words.join('.') || 'the file';
}
