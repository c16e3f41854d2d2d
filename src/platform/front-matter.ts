import { LineCounter, parseDocument } from 'yaml';

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
  const document = parseDocument(yaml, { lineCounter: counter });
  const error = document.errors[0];
  if (error) {
    const line = counter.linePos(error.pos[0]).line + 1;
    throw new FrontMatterError(`line ${line}: ${error.message.split('\n')[0] ?? 'not YAML'}`);
  }
  return {
    attributes: (document.toJS() as unknown) ?? {},
    body: text.slice(match[0].length).trim(),
    lineOf: (key) => {
      const index = yaml.split('\n').findIndex((line) => line.trimStart().startsWith(`${key}:`));
      return index < 0 ? 1 : index + 2;
    },
  };
}
