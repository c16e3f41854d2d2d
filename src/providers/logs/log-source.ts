import type { LogRecord } from '../../domain/telemetry.ts';
import type { BackendName } from '../backend/ask-backend.ts';

/** Epoch nanoseconds, the end not included: so stretches that follow each other share no line. */
export interface LogWindow {
  readonly fromNs: bigint;
  readonly untilNs: bigint;
}

/** A condition on one field: it has exactly one of these values, or it is set at all, or it is not. Values are untrusted text. */
export type FieldMatch =
  { readonly field: string; readonly values: readonly string[] } | { readonly field: string; readonly set: boolean };

/** Which lines are meant: those that meet all of it. */
export interface LineFilter extends LogWindow {
  readonly fields: readonly FieldMatch[];
  /** Case-insensitive substring of the message; untrusted text. */
  readonly contains?: string;
  /** Only what tells of errors, or only the others. Every line is one of the two. */
  readonly telling?: 'errors' | 'others';
}

export interface LogLine {
  readonly timeNs: bigint;
  /** Tells the line from others of its time; lines that are the same in everything may share it. */
  readonly key: string;
  /** Where among the lines of its time it stands, for servers that give these in any order. */
  readonly rank?: string;
  readonly record: LogRecord;
}

export interface LinePage {
  /** Newest first; those of one time in the order in which they were written, backwards. */
  readonly lines: readonly LogLine[];
  /** How far back was looked; there may be more at this time and before. Absent: nothing is left. */
  readonly reachedNs?: bigint;
  /** What the server said beside it: a part that failed. */
  readonly notes: readonly string[];
}

export interface CountedValue {
  readonly value: string;
  /** How much there is of it, in the source's unit; absent where the server does not count. */
  readonly size?: number;
}

/** A server that keeps log lines, as far as gathering needs to know it. Everything throws `BackendError`. */
export interface LogSource {
  readonly name: BackendName;
  readonly sizeUnit: 'lines' | 'bytes';
  /** Distance of the times that the server can tell apart. */
  readonly tickNs: bigint;
  /** Most lines asked for at once. */
  readonly pageLines: number;
  /** What to look at when there is nothing, as a clause: `check the tenant in LOKI_HEADERS`. */
  readonly whenEmpty: string;
  /** Conditions that together mean every line once, for servers that want at least one; `serviceFields` are those that lines have. */
  everything(serviceFields: readonly string[]): readonly (readonly FieldMatch[])[];
  /** Names of the fields that lines in this window have, as far as conditions can be put on them. */
  fieldsIn(window: LogWindow, signal: AbortSignal): Promise<ReadonlySet<string>>;
  /** The values that a field has among the lines, and how much there is of each. The time is all that is looked at beside `fields`. */
  countBy(
    field: string,
    filter: Pick<LineFilter, 'fields' | keyof LogWindow>,
    signal: AbortSignal,
  ): Promise<readonly CountedValue[]>;
  /** The newest lines. */
  readPage(filter: LineFilter, limit: number, signal: AbortSignal): Promise<LinePage>;
  /** Product and version; undefined where it cannot be told. */
  describe(signal: AbortSignal): Promise<string | undefined>;
}

/** What the fields are called that say where a line comes from, in order of preference. */
export interface LogFieldNames {
  readonly service: readonly string[];
  readonly namespace: readonly string[];
  readonly level: readonly string[];
  readonly trace: readonly string[];
}

const NS_PER_MS = 1_000_000n;
/** Year 2100: what lies beyond does not fit into the servers' 64 bits, and no line is from then. */
const LATEST_MS = 4_102_444_800_000;

/** The window from the first to the last millisecond, both included. */
export function logWindow(fromMs: number, toMs: number): LogWindow {
  return { fromNs: toNs(Math.ceil(fromMs)), untilNs: toNs(Math.floor(toMs) + 1) };
}

export function toNs(ms: number): bigint {
  return BigInt(Math.max(0, Math.min(ms, LATEST_MS))) * NS_PER_MS;
}

/** Whole milliseconds: a line belongs to the one in which it was written. */
export function toMs(ns: bigint): number {
  return Number(ns / NS_PER_MS);
}

/** For the messages: `from … to …` as ISO 8601. */
export function windowInWords({ fromNs, untilNs }: LogWindow): string {
  return `from ${new Date(toMs(fromNs)).toISOString()} to ${new Date(toMs(untilNs)).toISOString()}`;
}
