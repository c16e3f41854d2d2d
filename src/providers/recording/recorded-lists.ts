import { createCsvReader } from './csv.ts';
import { isRecord, type JsonRecord } from '../json-record.ts';
import type { RecordingFolder } from './recorded-files.ts';

/** A line longer than this is not a record of anything. */
const MAX_LINE_CHARACTERS = 10_000_000;
const EMPTY_LINE = /^\s*[[\]]?\s*$/;

/** Counts of one file, and the gaps that follow from them. */
class Tally {
  rows = 0;
  bad = 0;
  readonly #maxRows: number;
  constructor(maxRows: number) {
    this.#maxRows = maxRows;
  }

  /** Whether the next row is to be read; rows over the cap are only counted. */
  admit(): boolean {
    this.rows += 1;
    return this.rows <= this.#maxRows;
  }

  report(folder: RecordingFolder, file: string, unit: string, hint: string): void {
    if (this.rows > this.#maxRows) {
      folder.addGap(
        `${file}: read ${this.#maxRows} of ${this.rows} ${unit}; the rest was left out. Record a shorter time.`,
      );
    }
    if (this.bad > 0)
      folder.addGap(`${file}: ${this.bad} of ${this.rows} ${unit} could not be used (${hint}) and were left out.`);
  }
}

/**
 * Reads a file of one JSON object a line (or one JSON array) and calls `take` for each; false from it counts the line as unusable.
 * Returns false when there is no such file.
 */
export async function readJsonLines(
  folder: RecordingFolder,
  name: string,
  maxRows: number,
  take: (record: JsonRecord) => boolean,
): Promise<boolean> {
  const tally = new Tally(maxRows);
  let rest = '';
  const takeValue = (value: unknown) => {
    if (!tally.admit()) return;
    if (!isRecord(value) || !take(value)) tally.bad += 1;
  };
  const takeLine = (line: string) => {
    if (EMPTY_LINE.test(line)) return;
    const value = parseLine(line);
    if (Array.isArray(value)) value.forEach(takeValue);
    else takeValue(value);
  };
  const file = await folder.read(name, (piece) => {
    const buffer = rest + piece;
    let start = 0;
    for (let end = buffer.indexOf('\n'); end >= 0; end = buffer.indexOf('\n', start)) {
      takeLine(buffer.slice(start, end));
      start = end + 1;
    }
    rest = buffer.slice(start);
    if (rest.length <= MAX_LINE_CHARACTERS) return true;
    folder.addGap(
      `${name}: line ${tally.rows + 1} is longer than ${MAX_LINE_CHARACTERS} characters; reading stopped there.`,
    );
    rest = '';
    return false;
  });
  if (file === undefined) return false;
  takeLine(rest);
  tally.report(folder, file, 'lines', 'no JSON object with the expected fields');
  return true;
}

function parseLine(line: string): unknown {
  try {
    // A line of a JSON array written one element a line ends with a comma.
    return JSON.parse(line.endsWith(',') ? line.slice(0, -1) : line) as unknown;
  } catch {
    return undefined;
  }
}

/**
 * Reads a CSV file by its header line and calls `take` with the wanted columns in the order asked for (empty text for a column the
 * file lacks); false from it counts the row as unusable. Returns false when there is no such file.
 */
export async function readTable(
  folder: RecordingFolder,
  name: string,
  columns: { readonly required: readonly string[]; readonly optional?: readonly string[] },
  maxRows: number,
  take: (fields: readonly string[]) => boolean,
): Promise<boolean> {
  const tally = new Tally(maxRows);
  const wanted = [...columns.required, ...(columns.optional ?? [])];
  let pick: ((fields: string[]) => readonly string[]) | undefined;
  let missing: readonly string[] = [];
  const reader = createCsvReader((fields) => {
    if (!pick) {
      missing = columns.required.filter((column) => !fields.includes(column));
      pick = columnPicker(fields, wanted);
      return;
    }
    if (missing.length > 0 || !tally.admit()) return;
    if (!take(pick(fields))) tally.bad += 1;
  });
  const file = await folder.read(name, (piece) => {
    reader.push(piece);
    return missing.length === 0;
  });
  if (file === undefined) return false;
  reader.end();
  if (missing.length > 0) {
    folder.addGap(
      `${file}: the first line lacks ${missing.join(', ')}; the file was left out. It must read ${columns.required.join(',')}.`,
    );
  } else if (!pick) {
    folder.addGap(`${file}: empty, not even a header line.`);
  }
  tally.report(folder, file, 'rows', 'a number or a name is missing');
  return true;
}

function columnPicker(header: readonly string[], wanted: readonly string[]): (fields: string[]) => readonly string[] {
  const indices = wanted.map((column) => header.indexOf(column));
  // The layout's own column order needs no copying, and that is every file that Rootnote wrote.
  if (indices.every((index, position) => index === position)) return (fields) => fields;
  return (fields) => indices.map((index) => fields[index] ?? '');
}
