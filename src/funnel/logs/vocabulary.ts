import { WILDCARD } from './skeleton.ts';

/** A token taken apart: only its core may vary, its punctuation belongs to the template. */
export interface Token {
  readonly text: string;
  readonly core: string;
  /** Id of the same token with a wildcard for its core. */
  readonly maskedId: number;
  /** True for `<*>` with or without punctuation round it. */
  readonly isWildcard: boolean;
  /** False for `key=<*>` and mixtures of text and wildcard: they are constant. */
  readonly canVary: boolean;
  readonly isWord: boolean;
}

const PARTS = /^([^\p{L}\p{N}\u0001]*)(.*?)([^\p{L}\p{N}\u0001]*)$/su;

/** Tokens of the skeletons by small number, so that comparing and hashing them is arithmetic. */
export class Vocabulary {
  readonly #ids = new Map<string, number>();
  readonly #tokens: Token[] = [];

  id(text: string): number {
    const known = this.#ids.get(text);
    if (known !== undefined) return known;
    const [, lead = '', core = '', trail = ''] = PARTS.exec(text) ?? [];
    const masked = `${lead}${WILDCARD}${trail}`;
    const isWildcard = core === WILDCARD;
    const maskedId = isWildcard ? this.#tokens.length : this.id(masked);
    const id = this.#tokens.length;
    this.#ids.set(text, id);
    const canVary = core !== '' && !text.includes(WILDCARD) && !text.includes('=');
    this.#tokens.push({ text, core, maskedId, isWildcard, canVary, isWord: core !== '' && !isWildcard });
    return id;
  }

  token(id: number): Token {
    const token = this.#tokens[id];
    if (!token) throw new Error(`Unknown token ${id}.`);
    return token;
  }
}
