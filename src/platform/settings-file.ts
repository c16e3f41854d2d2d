import { isMap, isSeq, LineCounter, parseDocument, type Document, type Node } from 'yaml';
import type { z } from 'zod';

/** Most problems that are told at once. */
const MOST_PROBLEMS = 10;

/** A settings file that can be used. `at` is `file:line: path: message`, for what only its reader can find wrong. */
export interface SettingsFile<T> {
  readonly data: T;
  readonly at: (path: readonly PropertyKey[], message: string) => string;
}

/** Reads a settings file (YAML, and so JSON), or says what is wrong with it, a line a problem, each with the line of the file. `file` is only named. */
export function readSettingsFile<T>(
  text: string,
  file: string,
  schema: z.ZodType<T>,
): SettingsFile<T> | { readonly problems: string; readonly cause: Error } {
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines });
  const [broken] = document.errors;
  if (broken) {
    const [summary = ''] = broken.message.split('\n', 1);
    return { problems: `${file}:${lines.linePos(broken.pos[0]).line}: ${summary}`, cause: broken };
  }
  const at = (path: readonly PropertyKey[], message: string) =>
    `${file}:${lineOf(document, path, lines)}: ${path.map(String).join('.') || 'the file'}: ${message}`;
  const parsed = schema.safeParse(document.toJS({ maxAliasCount: 100 }));
  if (parsed.success) return { data: parsed.data, at };
  const messages = parsed.error.issues.slice(0, MOST_PROBLEMS).map((issue) => at(issue.path, issue.message));
  return { problems: messages.join('\n'), cause: parsed.error };
}

/** Line of the deepest node on the path that exists: a missing key has no line, but its map has. */
function lineOf(document: Document, path: readonly PropertyKey[], lines: LineCounter): number {
  let offset = 0;
  let node: unknown = document.contents;
  for (const key of [undefined, ...path]) {
    if (key !== undefined) node = isMap(node) || isSeq(node) ? node.get(key, true) : undefined;
    const range = (node as Node | null | undefined)?.range;
    if (!range) break;
    offset = range[0];
  }
  return Math.max(1, lines.linePos(offset).line);
}
