const LOWER_CASE = 32;

const MAX_LENGTH = 31;

/**
 * A fixed list of words that is looked up in bytes, without making a string. Most words of a line are refused by their first
 * letter and their length alone.
 */
export class WordTable {
  /** Sorted by key, so that the words of one key stand together. */
  readonly #words: readonly { readonly spelling: Uint8Array; readonly key: number; readonly index: number }[];
  /** By key: index of the first word in `#words`; -1 for none. */
  readonly #starts = new Int16Array(128 * (MAX_LENGTH + 1)).fill(-1);
  readonly #fold: number;

  /** With `ignoreCase`, words are found in any spelling of their letters. */
  constructor(words: readonly string[], ignoreCase = false) {
    this.#fold = ignoreCase ? LOWER_CASE : 0;
    const encoder = new TextEncoder();
    this.#words = words
      .map((word, index) => {
        const spelling = encoder.encode(word).map((byte) => byte | this.#fold);
        return { spelling, key: keyOf(spelling[0] ?? 0, spelling.length), index };
      })
      .toSorted((a, b) => a.key - b.key);
    this.#words.forEach(({ key }, at) => {
      if (this.#starts[key] === -1) this.#starts[key] = at;
    });
  }

  /** Index, in the list given to the constructor, of the word that the bytes spell; -1 when it is not there. */
  find(bytes: Uint8Array, from: number, to: number): number {
    const length = to - from;
    if (length <= 0 || length > MAX_LENGTH) return -1;
    const key = keyOf((bytes[from] ?? 0) | this.#fold, length);
    let at = this.#starts[key] ?? -1;
    if (at < 0) return -1;
    for (let word = this.#words[at]; word?.key === key; word = this.#words[++at]) {
      if (this.#spells(word.spelling, bytes, from)) return word.index;
    }
    return -1;
  }

  has(bytes: Uint8Array, from: number, to: number): boolean {
    return this.find(bytes, from, to) >= 0;
  }

  #spells(spelling: Uint8Array, bytes: Uint8Array, from: number): boolean {
    for (let i = 0; i < spelling.length; i++) {
      if (((bytes[from + i] ?? 0) | this.#fold) !== spelling[i]) return false;
    }
    return true;
  }
}

function keyOf(first: number, length: number): number {
  return (first & 127) * (MAX_LENGTH + 1) + length;
}
