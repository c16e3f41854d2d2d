import { LineCounter, parseDocument, type Document } from 'yaml';

/** Front matter that cannot be read: the message names the line. */
export class FrontMatterError extends Error {
  override readonly name = 'FrontMatterError';
}

export interface FrontMatter {
  /** Whatever the YAML holds; the caller validates it. */
  readonly attributes: unknown;
  readonly body: string;
  /** Line of the file (from 1) on which a top-level key stands, for messages. */
  readonly lineOf: (key: string) => number;
}

/** Splits `---` YAML `---` text. A file without front matter has empty attributes. Throws FrontMatterError on broken YAML. */
export function parseFrontMatter(text: string): FrontMatter {
  const match = /^\uFEFF?---[ \t]*\r?\n([\s\S]*?)\r?\n?---[ \t]*(?:\r?\n|$)/.exec(text);
  if (!match) return { attributes: {}, body: text.trim(), lineOf: () => 1 };
  const yaml = match[1] ?? '';
  const counter = new LineCounter();
  const document = parseDocument(yaml, { lineCounter: counter, prettyErrors: false });
  const error = document.errors[0];
  if (error) {
    const { line, col } = counter.linePos(error.pos[0]);
    throw new FrontMatterError(`line ${line + 1}, column ${col}: this is no YAML: ${error.message}`);
  }
  return {
    attributes: attributesOf(document) ?? {},
    body: text.slice(match[0].length).trim(),
    lineOf: (key) => {
      const index = yaml.split('\n').findIndex((line) => line.trimStart().startsWith(`${key}:`));
      return index < 0 ? 1 : index + 2;
    },
  };
}

/** A reference to a value that is not there is found only here. */
function attributesOf(document: Document): unknown {
  try {
    return document.toJS({ maxAliasCount: 100 });
  } catch (error) {
    throw new FrontMatterError(`this is no YAML: ${error instanceof Error ? error.message : String(error)}`);
  }
}
