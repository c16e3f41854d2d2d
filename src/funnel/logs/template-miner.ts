import { LineCache } from './line-cache.ts';
import { LineReader } from './line-skeleton.ts';
import { mergeVariablePositions } from './merge-positions.ts';
import { WILDCARD } from './character-class.ts';
import { SkeletonTable } from './skeleton-table.ts';

export interface MinerOptions {
  /** Skeletons kept apart at any moment. */
  readonly maxLive?: number;
}

const MAX_LIVE = 8192;
/** Group of the lines whose skeletons were given up when there were too many. */
const OTHER = 0;
/** A route, its segments still apart. */
const REQUEST = /^[A-Z]+ \//;
const OTHER_TEXT = '(other)';

/** Words that protect a rare skeleton from being given up for its small number. */
const ERROR_WORDS = /error|fail|exception|fatal|panic|critical|refused|timed? ?out|denied/i;

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
  /** By id: text while the skeleton stands for a group, the id it was joined to, lines so far. */
  readonly #texts: string[] = [OTHER_TEXT];
  readonly #joinedTo: number[] = [OTHER];
  readonly #counts: number[] = [0];
  #live: number[] = [];
  /** Texts that came out of a merge: what they have masked is known to vary. */
  #established: ReadonlySet<string> = new Set();

  constructor(options: MinerOptions = {}) {
    this.#maxLive = options.maxLive ?? MAX_LIVE;
    this.#table = new SkeletonTable(this.#maxLive);
  }

  /** Returns the skeleton id of the line. After `finish`, `group` gives the group of that id. */
  add(line: string): number {
    const { bytes, words } = this.#reader.line;
    const length = this.#reader.line.encode(line);
    const known = this.#cache.find(bytes, words, length);
    const id = known >= 0 ? known : this.#read(line, length);
    this.#counts[id] = (this.#counts[id] ?? 0) + 1;
    return id;
  }

  #read(line: string, length: number): number {
    const reader = this.#reader;
    reader.readEncoded(line, length);
    const newId = this.#texts.length;
    if (this.#live.length >= this.#maxLive) this.#makeRoom();
    const id = this.#table.findOrAdd(reader.skeleton, newId);
    if (id === newId) {
      this.#texts.push(reader.skeleton.toString());
      this.#joinedTo.push(newId);
      this.#counts.push(0);
      this.#live.push(newId);
    }
    if (reader.isRepeatable()) this.#cache.remember(id, reader.line.bytes, reader.skeleton.digits);
    return id;
  }

  /** Joins the skeletons that are one template. May be called more than once; lines added later need another call. */
  finish(): void {
    const texts = this.#live.map((id) => this.#texts[id] ?? '');
    const merged = mergeVariablePositions(texts, this.#established);
    this.#established = new Set(merged.filter((text, i) => text !== texts[i] || this.#established.has(text)));
    const representative = new Map<string, number>();
    this.#live.forEach((id, index) => {
      const template = merged[index] ?? '';
      const target = representative.get(template);
      if (target === undefined) {
        representative.set(template, id);
        this.#texts[id] = template;
        return;
      }
      this.#joinedTo[id] = target;
      this.#texts[id] = '';
      this.#counts[target] = (this.#counts[target] ?? 0) + (this.#counts[id] ?? 0);
    });
    this.#live = [...representative.values()];
  }

  /** The group of a skeleton id. Stable after `finish`. */
  group(id: number): number {
    let at = id;
    while (this.#joinedTo[at] !== undefined && this.#joinedTo[at] !== at) at = this.#joinedTo[at] ?? at;
    return at;
  }

  /** The constant words of a group, `<*>` for what varies. */
  template(group: number): string {
    const text = (this.#texts[group] ?? '').replaceAll(WILDCARD, '<*>');
    return REQUEST.test(text) ? text.replaceAll(/(?<=\/\S*) \//g, '/') : text;
  }

  /** Joins what is one template, then keeps the larger half; the table starts afresh with what is left. */
  #makeRoom(): void {
    this.finish();
    const keep = Math.floor(this.#maxLive / 2);
    if (this.#live.length > keep) {
      const rank = (id: number) => (this.#counts[id] ?? 0) + (ERROR_WORDS.test(this.#texts[id] ?? '') ? 1e6 : 0);
      const byRank = this.#live.toSorted((a, b) => rank(b) - rank(a) || a - b);
      for (const id of byRank.slice(keep)) {
        this.#joinedTo[id] = OTHER;
        this.#texts[id] = '';
      }
      this.#live = byRank.slice(0, keep);
    }
    this.#table.clear();
    this.#cache.clear();
  }
}
