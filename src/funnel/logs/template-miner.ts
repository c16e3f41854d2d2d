import { WILDCARD } from './character-class.ts';
import { IntList } from './int-list.ts';
import { LineCache } from './line-cache.ts';
import { LineReader } from './line-skeleton.ts';
import { mergeSkeletons } from './merge-skeletons.ts';
import { SkeletonTable } from './skeleton-table.ts';
import { TemplateIndex } from './template-index.ts';

export interface MinerOptions {
  /** Skeletons kept apart at any moment. */
  readonly maxLive?: number;
}

const MAX_LIVE = 8192;
/** Group of the lines whose skeletons were given up when there were too many. */
const OTHER = 0;
const OTHER_TEXT = '(other)';
/** A route, its segments still apart. */
const REQUEST = /^[A-Z]+ \//;

/** Words that protect a rare skeleton from being given up for its small number. */
const ERROR_WORDS = /error|fail|exception|fatal|panic|critical|refused|timed? ?out|denied/i;
/** More than any number of lines. */
const PROTECTION = 2 ** 40;

/** Newest skeletons that are merged on trial, and the share that must be left at most for a merge of all to be worth its time. */
const SAMPLE = 512;
const WORTH_MERGING = 0.95;
/** After merges in vain, so many times room is made without. */
const MAX_ROUNDS_WITHOUT = 15;

/**
 * Groups log lines by what stays the same in them, in one pass and bounded memory. A line becomes a skeleton (its text
 * with everything variable by form masked); equal skeletons are one group; `finish` then joins skeletons that differ
 * only in words which, seen over the whole stream, are values. Up to `maxLive` skeletons the groups do not depend on the
 * order of lines. Beyond that the rarest are counted in one group "other", those that tell of errors last.
 */
export class TemplateMiner {
  readonly #reader = new LineReader();
  readonly #cache = new LineCache();
  readonly #maxLive: number;
  readonly #table: SkeletonTable;
  /** Text of every skeleton that stands for a group. */
  readonly #texts = new Map<number, string>([[OTHER, OTHER_TEXT]]);
  /** By id: the id it was joined to or its own, and the lines so far. */
  readonly #joinedTo = new IntList();
  readonly #counts = new IntList();
  #live: number[] = [];
  /** Live skeletons that tell of errors. */
  readonly #errors = new Set<number>();
  /** Texts that came out of a merge: what they have masked is known to vary. */
  #established: ReadonlySet<string> = new Set();
  /** The same, once room had to be made. */
  #index = new TemplateIndex([]);
  #hasOverflowed = false;
  #roundsWithout = 0;
  #roundsToSkip = 0;

  constructor(options: MinerOptions = {}) {
    this.#maxLive = options.maxLive ?? MAX_LIVE;
    this.#table = new SkeletonTable(2 * this.#maxLive);
    this.#newId(OTHER);
  }

  /** Returns the skeleton id of the line. After `finish`, `group` gives the group of that id. */
  add(line: string): number {
    const { bytes, words } = this.#reader.line;
    const length = this.#reader.line.encode(line);
    const known = this.#cache.find(bytes, words, length);
    const id = known >= 0 ? known : this.#read(line, length);
    const group = this.group(id);
    this.#counts.set(group, this.#counts.get(group) + 1);
    return id;
  }

  #read(line: string, length: number): number {
    const reader = this.#reader;
    reader.readEncoded(line, length);
    if (this.#live.length >= this.#maxLive) this.#makeRoom();
    if (this.#table.isFull()) this.#table.keepOnly((id) => this.#texts.has(id));
    const newId = this.#joinedTo.length;
    const id = this.#table.findOrAdd(reader.skeleton, newId);
    if (id === newId) this.#addSkeleton(reader.skeleton.toString());
    if (reader.isRepeatable()) this.#cache.remember(id, reader.line.bytes, reader.skeleton.digits);
    return id;
  }

  #addSkeleton(text: string): void {
    const template = this.#index.find(text);
    const id = this.#newId(template ?? this.#joinedTo.length);
    if (template !== undefined) return;
    this.#texts.set(id, text);
    if (ERROR_WORDS.test(text)) this.#errors.add(id);
    this.#live.push(id);
  }

  #newId(joinedTo: number): number {
    this.#joinedTo.push(joinedTo);
    this.#counts.push(0);
    return this.#joinedTo.length - 1;
  }

  /** Joins the skeletons that are one template. May be called more than once; lines added later need another call. */
  finish(): void {
    // Where most lines are noise, a merge of all that is left would take longer than reading them did.
    const few = Math.floor(this.#maxLive / 4);
    const isNoise = this.#hasOverflowed && this.#live.length > few && !this.#isWorthMerging();
    if (isNoise) this.#giveUpRarest(few);
    this.#merge();
  }

  #merge(): void {
    const texts = this.#live.map((id) => this.#texts.get(id) ?? '');
    const merged = mergeSkeletons(texts, this.#established);
    this.#established = new Set(merged.filter((text, i) => text !== texts[i] || this.#established.has(text)));
    const representative = new Map<string, number>();
    this.#live.forEach((id, index) => {
      const template = merged[index] ?? '';
      const target = representative.get(template);
      if (target === undefined) {
        representative.set(template, id);
        this.#texts.set(id, template);
      } else this.#join(id, target);
    });
    this.#live = [...representative.values()];
  }

  #join(id: number, target: number): void {
    this.#joinedTo.set(id, target);
    this.#counts.set(target, this.#counts.get(target) + this.#counts.get(id));
    this.#texts.delete(id);
    this.#errors.delete(id);
  }

  /** The group of a skeleton id. Stable after `finish`. */
  group(id: number): number {
    let at = id;
    for (let next = this.#joinedTo.get(at); next !== at; next = this.#joinedTo.get(at)) at = next;
    return at;
  }

  /** The constant words of a group, `<*>` for what varies. */
  template(group: number): string {
    const text = (this.#texts.get(group) ?? '').replaceAll(WILDCARD, '<*>');
    return REQUEST.test(text) ? text.replaceAll(/(?<=\/\S*) \//g, '/') : text;
  }

  /** Joins what is one template, where that helps, then keeps the larger half. */
  #makeRoom(): void {
    this.#hasOverflowed = true;
    if (this.#roundsToSkip > 0) this.#roundsToSkip--;
    else {
      const isWorthIt = this.#isWorthMerging();
      if (isWorthIt) this.#merge();
      this.#roundsWithout = isWorthIt ? 0 : Math.min(MAX_ROUNDS_WITHOUT, 2 * this.#roundsWithout + 1);
      this.#roundsToSkip = this.#roundsWithout;
    }
    this.#giveUpRarest(Math.floor(this.#maxLive / 2));
    const templates = this.#live.map((id) => ({ id, text: this.#texts.get(id) ?? '' }));
    this.#index = new TemplateIndex(templates.filter(({ text }) => this.#established.has(text)));
  }

  /** Lines of nothing but random words fill the table too, and merging thousands of them finds nothing. */
  #isWorthMerging(): boolean {
    const sample = this.#live.slice(-SAMPLE).map((id) => this.#texts.get(id) ?? '');
    return new Set(mergeSkeletons(sample, this.#established)).size <= WORTH_MERGING * sample.length;
  }

  /** Keeps so many skeletons; the others, with the fewest lines, are counted as "other", errors last. */
  #giveUpRarest(keep: number): void {
    if (this.#live.length <= keep) return;
    const ranks = Float64Array.from(this.#live, (id) => this.#rank(id));
    const least = ranks.toSorted()[ranks.length - keep] ?? 0;
    let ties = keep - ranks.filter((rank) => rank > least).length;
    const kept: number[] = [];
    this.#live.forEach((id, index) => {
      const rank = ranks[index] ?? 0;
      if (rank > least || (rank === least && ties-- > 0)) kept.push(id);
      else this.#join(id, OTHER);
    });
    this.#live = kept;
    this.#table.keepOnly((id) => this.group(id) !== OTHER);
    this.#cache.clear();
  }

  #rank(id: number): number {
    return this.#counts.get(id) + (this.#errors.has(id) ? PROTECTION : 0);
  }
}
