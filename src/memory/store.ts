/** Who writes a fact. */
export type Writer = 'agent' | 'person';

/** What the audit keeps of a fact: that there was one, never what it said. */
export interface AuditEntry {
  /** ISO 8601, UTC. */
  readonly ts: string;
  readonly event: 'memory-add';
  readonly type: 'attribute' | 'dependency';
  readonly by: Writer;
  /** Of the fact without its date, hexadecimal. */
  readonly sha256: string;
}

export type Appended = 'kept' | 'known' | 'full';

/** Where facts are kept: dated lines in the order of their writing. */
export interface MemoryStore {
  /** The text as it is now; the same string object while nothing has changed is welcome. Empty when there is none. */
  read(): Promise<string>;
  /** Adds `- <date> <fact>` and its audit entry, or says that a line with this fact is there, or that there is no room. */
  append(fact: string, date: string, audit: AuditEntry): Promise<Appended>;
  /** For people: where it is. */
  readonly place: string;
}

/** A memory of more bytes wants a person to clean it: nobody reads it, and each investigation redacts it. */
export const MAX_MEMORY_BYTES = 1_048_576;

const DATED = /^- \d{4}-\d{2}-\d{2} /;

export function lineOf(fact: string, date: string): string {
  return `- ${date} ${fact}`;
}

/** The facts of a text, oldest first, without their dates. Lines that people wrote otherwise are facts as they stand. */
export function factsOf(text: string): readonly string[] {
  return text
    .split('\n')
    .map((line) => line.trim().replace(DATED, ''))
    .filter(Boolean);
}
