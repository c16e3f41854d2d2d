import { parseDocument } from 'yaml';
import { splitFrontMatter } from '../platform/front-matter.ts';
import { clip, oneLine } from '../policy/untrusted.ts';

/** Lower case, digits, hyphens: no dot, slash, blank or NUL, so no name is a path. */
const NAME = /^[a-z0-9][a-z0-9-]{0,63}$/;
/** What is read of a file for the catalogue. */
export const CATALOGUE_CHARACTERS = 4096;
const MAX_DESCRIPTION_CHARACTERS = 1000;
const NO_DESCRIPTION = 'No description; load it to see what it holds.';

export function isSkillName(name: string): boolean {
  return NAME.test(name);
}

export interface SkillHead {
  /** As the front matter gives it; undefined when it gives none of legal shape. */
  readonly name: string | undefined;
  readonly description: string;
}

/** Name and description out of the beginning of a file. Anything that is not as expected is left out, never an error (SPEC B4). */
export function readHead(beginning: string): SkillHead {
  const attributes = attributesOf(beginning);
  const name = attributes['name'];
  const description = attributes['description'];
  return {
    name: typeof name === 'string' && isSkillName(name) ? name : undefined,
    description:
      typeof description === 'string' && description.trim()
        ? clip(oneLine(description), MAX_DESCRIPTION_CHARACTERS)
        : NO_DESCRIPTION,
  };
}

/** What follows the front matter; the whole text where there is none or it cannot be read. */
export function bodyOf(text: string): string {
  return parse(text)?.body ?? text.trim();
}

function attributesOf(text: string): Readonly<Record<string, unknown>> {
  const attributes = parse(text)?.attributes;
  return attributes instanceof Object ? (attributes as Record<string, unknown>) : {};
}

/** Undefined for whatever YAML cannot be: broken, or more aliases than the parser follows; `skill-mistakes.ts` says what is wrong. */
function parse(text: string): { readonly attributes: unknown; readonly body: string } | undefined {
  const parts = splitFrontMatter(text);
  if (!parts) return { attributes: {}, body: text.trim() };
  const document = parseDocument(parts.yaml, { prettyErrors: false });
  if (document.errors.length > 0) return undefined;
  try {
    return { attributes: document.toJS({ maxAliasCount: 100 }), body: parts.body };
  } catch {
    return undefined;
  }
}
