import type { LogRecord, Span } from '../domain/telemetry.ts';
import { isErrorRecord, recordLevel } from '../funnel/logs/log-severity.ts';

/** What is sampled, and how. */
export interface SampleRules<T> {
  readonly most: number;
  readonly mostCharacters: number;
  /** Near items of one group are kept or left together; undefined: by its place alone. */
  groupOf(item: T): string | undefined;
  /** Telling items are left only when they alone are too many. */
  isTelling(item: T): boolean;
  charactersOf(item: T): number;
}

/** One of two kinds of items: every `stride`-th is kept, a power of two. */
interface Share {
  stride: number;
  seen: number;
  kept: number;
  characters: number;
}

/** Items of one group that lie further apart are drawn anew: a group that never ends (an empty trace id) must not be kept or lost as a whole. */
const BLOCK = 10_000;
const LARGEST_STRIDE = 2 ** 30;

const emptyShare = (): Share => ({ stride: 1, seen: 0, kept: 0, characters: 0 });

/**
 * Bounds a stream of unknown length: all items while they fit, else every second, fourth, … of them, spread evenly over the whole stream.
 * Cutting off its end would lose the incident, which comes last. Deterministic. Memory stays within the bounds while items are added.
 */
export class EvenSample<T> {
  readonly #rules: SampleRules<T>;
  readonly #telling = emptyShare();
  readonly #other = emptyShare();
  #items: T[] = [];
  /** By place of `#items`: what the stride is counted on, negative for telling items. */
  #marks: number[] = [];

  constructor(rules: SampleRules<T>) {
    this.#rules = rules;
  }

  add(item: T): void {
    const isTelling = this.#rules.isTelling(item);
    const share = isTelling ? this.#telling : this.#other;
    const group = this.#rules.groupOf(item);
    share.seen += 1;
    const key = group === undefined ? share.seen : hash(group, Math.floor(share.seen / BLOCK));
    if (key % share.stride !== 0) return;
    this.#items.push(item);
    this.#marks.push(isTelling ? -1 - key : key);
    share.kept += 1;
    share.characters += this.#rules.charactersOf(item);
    while (this.#isFull()) this.#thin();
  }

  /** What was kept, in the order of the stream. */
  get items(): readonly T[] {
    return this.#items;
  }

  /** What was left, in words with counts; undefined when nothing was. */
  describe(unit: string, telling: string): string | undefined {
    const [told, other] = [this.#telling, this.#other];
    const seen = told.seen + other.seen;
    if (told.stride === 1 && other.stride === 1) return undefined;
    const parts = [
      ...(told.seen > 0 ? [`${everyNth(told.stride)} of the ${told.seen} ${telling}`] : []),
      `${everyNth(other.stride)} of the ${told.seen > 0 ? 'others' : unit}`,
    ];
    return `kept ${this.#items.length} of ${seen} ${unit}: ${parts.join(', ')}`;
  }

  #isFull(): boolean {
    const characters = this.#telling.characters + this.#other.characters;
    const isOver = this.#items.length > this.#rules.most || characters > this.#rules.mostCharacters;
    return isOver && Math.max(this.#telling.stride, this.#other.stride) < LARGEST_STRIDE;
  }

  /** Halves the others, until they are no more than the telling ones; then these. */
  #thin(): void {
    const fromTelling = this.#other.kept === 0 || weight(this.#telling) > weight(this.#other);
    const share = fromTelling ? this.#telling : this.#other;
    share.stride *= 2;
    share.kept = 0;
    share.characters = 0;
    const items: T[] = [];
    const marks: number[] = [];
    this.#items.forEach((item, place) => {
      const mark = this.#marks[place] ?? 0;
      if (mark < 0 === fromTelling) {
        if ((mark < 0 ? -1 - mark : mark) % share.stride !== 0) return;
        share.kept += 1;
        share.characters += this.#rules.charactersOf(item);
      }
      items.push(item);
      marks.push(mark);
    });
    this.#items = items;
    this.#marks = marks;
  }
}

const weight = ({ characters, kept }: Share) => characters + kept;

function everyNth(stride: number): string {
  return stride === 1 ? 'all' : `one in ${stride}`;
}

/** FNV-1a, 32 bits (draft-eastlake-fnv), begun with the block. */
function hash(text: string, block: number): number {
  let value = Math.imul(0x811c9dc5 ^ block, 0x01000193);
  for (let i = 0; i < text.length; i += 1) value = Math.imul(value ^ text.charCodeAt(i), 0x01000193);
  return value >>> 0;
}

/** Characters of log messages kept, whatever the number of lines. */
const MOST_LOG_CHARACTERS = 300_000_000;

/** All lines that tell of an error or a warning, and an even part of the others; of a trace all other lines or none. */
export function sampleLogs(most: number): EvenSample<LogRecord> {
  return new EvenSample<LogRecord>({
    most,
    mostCharacters: MOST_LOG_CHARACTERS,
    groupOf: ({ traceId }) => traceId,
    isTelling: ({ level, message }) => {
      const own = recordLevel(level, message);
      return own === 'warn' || isErrorRecord(own, message);
    },
    charactersOf: ({ message }) => message.length,
  });
}

/** An even part of the traces, each of them whole. */
export function sampleSpans(most: number): EvenSample<Span> {
  return new EvenSample<Span>({
    most,
    mostCharacters: Number.POSITIVE_INFINITY,
    groupOf: ({ traceId }) => traceId || undefined,
    isTelling: () => false,
    charactersOf: () => 0,
  });
}
