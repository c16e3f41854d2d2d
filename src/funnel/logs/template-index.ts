import { WILDCARD } from './character-class.ts';

/** What a merged position can hold: one token, as the merge takes lines apart. */
const ONE_TOKEN = '[^ ()[\\]{}<>,:;=|"]+';
const SPECIAL = /[\\^$.*+?()[\]{}|/]/g;
const MIN_CONSTANT_WORDS = 2;
const MAX_TEMPLATES = 256;
const ANY = WILDCARD;

interface IndexedTemplate {
  readonly id: number;
  readonly pattern: RegExp;
}

/**
 * Finds the template that a new skeleton belongs to, among templates that came out of a merge. Used once there are too many
 * skeletons to keep all apart until the end: without it, every further value would be a skeleton again.
 */
export class TemplateIndex {
  /** By first word; those whose first word varies under `ANY`. */
  readonly #byFirstWord = new Map<string, IndexedTemplate[]>();

  /** The first templates of the list win; only so many are kept. */
  constructor(templates: readonly { readonly id: number; readonly text: string }[]) {
    for (const { id, text } of templates.filter(({ text }) => isSpecific(text)).slice(0, MAX_TEMPLATES)) {
      const pattern = text.split(WILDCARD).map((part) => part.replaceAll(SPECIAL, '\\$&'));
      const template = { id, pattern: new RegExp(`^${pattern.join(ONE_TOKEN)}$`) };
      const first = firstWord(text);
      const key = first.includes(WILDCARD) ? ANY : first;
      const bucket = this.#byFirstWord.get(key);
      if (bucket) bucket.push(template);
      else this.#byFirstWord.set(key, [template]);
    }
  }

  /** Id of the template that the skeleton fits; undefined when there is none. */
  find(skeleton: string): number | undefined {
    if (this.#byFirstWord.size === 0) return undefined;
    return this.#search(firstWord(skeleton), skeleton) ?? this.#search(ANY, skeleton);
  }

  #search(key: string, skeleton: string): number | undefined {
    return this.#byFirstWord.get(key)?.find(({ pattern }) => pattern.test(skeleton))?.id;
  }
}

/** A template needs a sentence round what varies. */
function isSpecific(text: string): boolean {
  const words = text.split(' ').filter((word) => !word.includes(WILDCARD));
  return text.includes(WILDCARD) && words.length >= MIN_CONSTANT_WORDS;
}

function firstWord(text: string): string {
  const end = text.indexOf(' ');
  return end < 0 ? text : text.slice(0, end);
}
