import type { LogRecord } from '../../domain/telemetry.ts';
import { eventStarts, leadingLine } from './event-folding.ts';
import { sampleOf } from './event-sample.ts';
import { isErrorRecord, recordLevel, type LogLevel } from './log-severity.ts';
import { TemplateMiner } from './template-miner.ts';

/** One recurring log message: what stays the same, one sample, and how serious it is. */
export interface LogTemplate {
  /** Index in `TemplatedLogs.templates`; the same in both lists of records. */
  readonly number: number;
  /** The constant words, `<*>` for what varies. */
  readonly text: string;
  /** First record of the template, stack trace folded (SPEC C6): one well-formed line of at most 240 characters. */
  readonly sample: string;
  /** True for every record of the template: error and other records of the same wording are two templates. */
  readonly isError: boolean;
  readonly level: LogLevel;
}

/** Template number of a record that only continues the event before it (a stack frame, a cause): it is no event of its own. */
export const FOLDED = -1;

/** `current[i]` and `reference[i]` are the template number of the i-th record of each list, or `FOLDED` (-1). */
export interface TemplatedLogs {
  readonly templates: readonly LogTemplate[];
  readonly current: Int32Array;
  readonly reference: Int32Array;
}

const SERVER_ERROR = 'status=5xx';

/** Finds the templates of both lists with one miner, so that the same message carries the same number in both. */
export function templateLogs(current: readonly LogRecord[], reference: readonly LogRecord[]): TemplatedLogs {
  const miner = new TemplateMiner();
  const mined = [current, reference].map((records) => mine(records, miner)) as [MinedRecords, MinedRecords];
  miner.finish();
  const book = new TemplateBook(miner);
  const [currentNumbers, referenceNumbers] = mined.map((list) => book.numberAll(list)) as [Int32Array, Int32Array];
  return { templates: book.templates, current: currentNumbers, reference: referenceNumbers };
}

interface MinedRecords {
  readonly records: readonly LogRecord[];
  /** Records that continue an event, by the one that begins it. */
  readonly continuations: ReadonlyMap<number, readonly number[]>;
  /** Skeleton of each record that begins an event. */
  readonly skeletons: Int32Array;
}

function mine(records: readonly LogRecord[], miner: TemplateMiner): MinedRecords {
  const starts = eventStarts(records);
  const skeletons = Int32Array.from(records, (record, index) =>
    starts[index] === index ? miner.add(leadingLine(record.message)) : FOLDED,
  );
  return { records, continuations: continuationsOf(starts), skeletons };
}

function continuationsOf(starts: Int32Array): ReadonlyMap<number, readonly number[]> {
  const continuations = new Map<number, number[]>();
  starts.forEach((start, index) => {
    if (start === index) return;
    const known = continuations.get(start);
    if (known) known.push(index);
    else continuations.set(start, [index]);
  });
  return continuations;
}

/** Gives out template numbers in order of first appearance. */
class TemplateBook {
  readonly templates: LogTemplate[] = [];
  readonly #miner: TemplateMiner;
  readonly #numbers = new Map<number, number>();
  readonly #texts = new Map<number, string>();

  constructor(miner: TemplateMiner) {
    this.#miner = miner;
  }

  numberAll(mined: MinedRecords): Int32Array {
    return mined.skeletons.map((skeleton, index) => (skeleton === FOLDED ? FOLDED : this.#number(mined, index)));
  }

  #number(mined: MinedRecords, index: number): number {
    const record = mined.records[index];
    if (!record) throw new Error(`No record ${index}.`);
    const group = this.#miner.group(mined.skeletons[index] ?? 0);
    const text = this.#text(group);
    const level = recordLevel(record.level, record.message);
    const isError = isErrorRecord(level, record.message) || (level === '' && text.endsWith(SERVER_ERROR));
    const key = group * 2 + (isError ? 1 : 0);
    const known = this.#numbers.get(key);
    if (known !== undefined) return known;
    const number = this.templates.length;
    this.#numbers.set(key, number);
    this.templates.push({ number, text, sample: sampleOf(eventAt(mined, index)), isError, level });
    return number;
  }

  #text(group: number): string {
    const known = this.#texts.get(group);
    if (known !== undefined) return known;
    const text = this.#miner.template(group);
    this.#texts.set(group, text);
    return text;
  }
}

function eventAt({ records, continuations }: MinedRecords, start: number): string {
  return [start, ...(continuations.get(start) ?? [])].map((index) => records[index]?.message ?? '').join('\n');
}
