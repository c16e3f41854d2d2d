import { LineCounter, parseDocument, type Document } from 'yaml';

/** Front matter that cannot be read: the message names the line. */
export class FrontMatterError extends Error {
  override readonly name = 'FrontMatterError';
}

export interface FrontMatter {
  /** Whatever the YAML holds; the caller validates it. */
  readonly attributes: unknown;
  readonly body: string;
}

/** The parts of a text that begins with `---`, YAML, `---`. The YAML begins on the second line. Undefined for any other text. */
export function splitFrontMatter(text: string): { readonly yaml: string; readonly body: string } | undefined {
  const match = /^\uFEFF?---[ \t]*\r?\n([\s\S]*?)\r?\n?---[ \t]*(?:\r?\n|$)/.exec(text);
  return match ? { yaml: match[1] ?? '', body: text.slice(match[0].length).trim() } : undefined;
}

/** Splits `---` YAML `---` text. A file without front matter has empty attributes. Throws FrontMatterError on broken YAML. */
export function parseFrontMatter(text: string): FrontMatter {
  const parts = splitFrontMatter(text);
  if (!parts) return { attributes: {}, body: text.trim() };
  const counter = new LineCounter();
  const document = parseDocument(parts.yaml, { lineCounter: counter, prettyErrors: false });
  const error = document.errors[0];
  if (error) {
    const { line, col } = counter.linePos(error.pos[0]);
    throw new FrontMatterError(`line ${line + 1}, column ${col}: this is no YAML: ${error.message}`);
  }
  return { attributes: attributesOf(document) ?? {}, body: parts.body };
}

/** A reference to a value that is not there is found only here. */
function attributesOf(document: Document): unknown {
  try {
    return document.toJS({ maxAliasCount: 100 });
  } catch (error) {
    throw new FrontMatterError(`this is no YAML: ${error instanceof Error ? error.message : String(error)}`);
  }
}
