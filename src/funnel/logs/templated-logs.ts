import type { LogRecord } from '../../domain/telemetry.ts';
import { isErrorRecord, levelOf, type LogLevel } from './log-severity.ts';
import { TemplateMiner } from './template-miner.ts';

/** One recurring log message: what stays the same, one sample, and how serious it is. */
export interface LogTemplate {
  /** Index in `TemplatedLogs.templates`; the same in both lists of records. */
  readonly number: number;
  /** The constant words, `<*>` for what varies. */
  readonly text: string;
  /** First record of the template, stack trace folded (SPEC C6), at most 240 characters, well-formed. */
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

/** Finds the templates of both lists with one miner, so that the same message carries the same number in both. */
export function templateLogs(current: readonly LogRecord[], reference: readonly LogRecord[]): TemplatedLogs {
  const miner = new TemplateMiner();
  const ids = [current, reference].map((records) => records.map((record) => miner.add(record.message)));
  miner.finish();
  const numbers = new Map<string, number>();
  const templates: LogTemplate[] = [];
  const number = (record: LogRecord, id: number): number => {
    const level = levelOf(record.level);
    const isError = isErrorRecord(level, record.message);
    const key = `${isError} ${miner.group(id)}`;
    const known = numbers.get(key);
    if (known !== undefined) return known;
    const next = templates.length;
    numbers.set(key, next);
    const text = miner.template(miner.group(id));
    templates.push({ number: next, text, sample: record.message.slice(0, 240).toWellFormed(), isError, level });
    return next;
  };
  const numbered = (records: readonly LogRecord[], list: readonly number[] | undefined) =>
    Int32Array.from(records, (record, i) => number(record, list?.[i] ?? 0));
  return { current: numbered(current, ids[0]), templates, reference: numbered(reference, ids[1]) };
}
