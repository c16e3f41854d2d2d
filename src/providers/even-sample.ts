/** What is sampled, and how. */
export interface SampleRules<T> {
  readonly most: number;
  readonly mostCharacters: number;
  /** Names of the kinds of items, for the account of what was kept. Kinds of one name are told together. */
  readonly kinds: readonly string[];
  /** Place of the item's kind among `kinds`. Asked once an item, in the order of the stream. */
  kindOf(item: T): number;
  /** Near items of one group are kept or left together; undefined: by its place alone. */
  groupOf(item: T): string | undefined;
  charactersOf(item: T): number;
}

/** The items of one kind: every `stride`-th is kept, a power of two. */
interface Share {
  stride: number;
  seen: number;
  kept: number;
  characters: number;
}

/** Items of one group that lie further apart are drawn anew: a group that never ends (an empty trace id) must not be kept or lost as a whole. */
const BLOCK = 10_000;
const LARGEST_STRIDE = 2 ** 30;

/**
 * Bounds a stream of unknown length: all items while they fit; else of the kind that takes most room every second, fourth, … item, spread evenly
 * over the whole stream. Cutting off its end would lose the incident, which comes last. With n kinds, one that fills less than 1/n of the bounds is
 * kept whole, however many others come. Deterministic. Memory stays within the bounds while items are added.
 */
export class EvenSample<T> {
  readonly #rules: SampleRules<T>;
  readonly #shares: readonly Share[];
  #items: T[] = [];
  /** By place of `#items`: what the stride is counted on, and the kind. */
  #keys: number[] = [];
  #kinds: number[] = [];

  constructor(rules: SampleRules<T>) {
    this.#rules = rules;
    this.#shares = rules.kinds.map(() => ({ stride: 1, seen: 0, kept: 0, characters: 0 }));
  }

  add(item: T): void {
    const kind = this.#rules.kindOf(item);
    const share = this.#shareOf(kind);
    const group = this.#rules.groupOf(item);
    share.seen += 1;
    const key = group === undefined ? share.seen : hash(group, Math.floor(share.seen / BLOCK));
    if (key % share.stride !== 0) return;
    this.#items.push(item);
    this.#keys.push(key);
    this.#kinds.push(kind);
    share.kept += 1;
    share.characters += this.#rules.charactersOf(item);
    for (let over = this.#heaviestIfFull(); over !== undefined; over = this.#heaviestIfFull()) this.#halve(over);
  }

  /** What was kept, in the order of the stream. */
  get items(): readonly T[] {
    return this.#items;
  }

  /** What was left, in words with counts; undefined when nothing was. */
  describe(unit: string): string | undefined {
    if (this.#shares.every(({ stride }) => stride === 1)) return undefined;
    const { kinds } = this.#rules;
    const total = (name: string | undefined, count: 'kept' | 'seen') =>
      this.#shares.reduce(
        (sum, share, kind) => sum + (name === undefined || kinds[kind] === name ? share[count] : 0),
        0,
      );
    const parts = [...new Set(kinds)]
      .filter((name) => total(name, 'seen') > 0)
      .map((name) => `${total(name, 'kept')} of ${total(name, 'seen')} ${name}`);
    const whole = `kept ${this.#items.length} of ${total(undefined, 'seen')} ${unit}, evenly spread`;
    return parts.length > 1 ? `${whole}: ${parts.join(', ')}` : whole;
  }

  #shareOf(kind: number): Share {
    const share = this.#shares[kind];
    if (!share) throw new RangeError(`kind ${kind} of ${this.#shares.length}`);
    return share;
  }

  /** The kind that takes most of what there is too much of, of equal ones the last; undefined while all fit. */
  #heaviestIfFull(): number | undefined {
    const { most, mostCharacters } = this.#rules;
    const characters = this.#shares.reduce((sum, share) => sum + share.characters, 0);
    const measure = this.#items.length > most ? 'kept' : characters > mostCharacters ? 'characters' : undefined;
    if (measure === undefined) return undefined;
    let heaviest: number | undefined;
    for (const [kind, share] of this.#shares.entries()) {
      if (share.kept === 0 || share.stride >= LARGEST_STRIDE) continue;
      if (heaviest === undefined || share[measure] >= this.#shareOf(heaviest)[measure]) heaviest = kind;
    }
    return heaviest;
  }

  #halve(kind: number): void {
    const share = this.#shareOf(kind);
    share.stride *= 2;
    share.kept = 0;
    share.characters = 0;
    const [items, keys, kinds] = [this.#items, this.#keys, this.#kinds];
    this.#items = [];
    this.#keys = [];
    this.#kinds = [];
    for (const [place, item] of items.entries()) {
      const [key, own] = [keys[place] ?? 0, kinds[place] ?? 0];
      if (own === kind) {
        if (key % share.stride !== 0) continue;
        share.kept += 1;
        share.characters += this.#rules.charactersOf(item);
      }
      this.#items.push(item);
      this.#keys.push(key);
      this.#kinds.push(own);
    }
  }
}

/** FNV-1a, 32 bits (draft-eastlake-fnv), begun with the block. */
function hash(text: string, block: number): number {
  let value = Math.imul(0x811c9dc5 ^ block, 0x01000193);
  for (let i = 0; i < text.length; i += 1) value = Math.imul(value ^ text.charCodeAt(i), 0x01000193);
  return value >>> 0;
}
