import { WILDCARD } from './character-class.ts';

/** A token taken apart: only its core may vary, space and punctuation round it belong to the template. */
export interface Token {
  readonly text: string;
  readonly core: string;
  /** Id of the same token with a wildcard for its core. */
  readonly maskedId: number;
  /** True for a wildcard with or without punctuation round it. */
  readonly isWildcard: boolean;
  readonly isWord: boolean;
}

/** Brackets and separators, the wide ones of Chinese and Japanese too, are tokens of their own; a space belongs to the token behind it. */
const TOKEN = / ?(?:[()[\]{}<>,:;=|"，。：；（）、]|[^ ()[\]{}<>,:;=|"，。：；（）、]+)| /g;
const EDGE = `[^\\p{L}\\p{N}_${WILDCARD}]*`;
/** Most tokens: the general pattern costs several times as much. */
const PLAIN = /^( ?)([A-Za-z0-9]+)()$/;
const PARTS = new RegExp(`^(${EDGE})(.*?)(${EDGE})$`, 'su');

/** The tokens of a skeleton; joined they are the skeleton again. */
export function tokenize(skeleton: string): readonly string[] {
  return skeleton.match(TOKEN) ?? [];
}

/** Tokens of the skeletons by small number, so that comparing and hashing them is arithmetic. */
export class Vocabulary {
  readonly #ids = new Map<string, number>();
  readonly #tokens: Token[] = [];

  id(text: string): number {
    const known = this.#ids.get(text);
    if (known !== undefined) return known;
    const [, lead = '', core = '', trail = ''] = PLAIN.exec(text) ?? PARTS.exec(text) ?? [];
    const isWildcard = core === WILDCARD;
    const isWord = core !== '' && !text.includes(WILDCARD);
    const maskedId = isWord ? this.id(`${lead}${WILDCARD}${trail}`) : this.#tokens.length;
    const id = this.#tokens.length;
    this.#ids.set(text, id);
    this.#tokens.push({ text, core, maskedId: isWord ? maskedId : id, isWildcard, isWord });
    return id;
  }

  token(id: number): Token {
    const token = this.#tokens[id];
    if (!token) throw new Error(`Unknown token ${id}.`);
    return token;
  }
}
