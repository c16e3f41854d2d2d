import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { FAMILIES, linesOf, type FamilyName } from './log-families.ts';

/** Log lines with the true template of each, by number of the line. */
export interface LogSet {
  readonly name: string;
  /** The lines as they were written. */
  readonly raw: readonly string[];
  /** Their messages alone. */
  readonly content: readonly string[];
  /** One label a line; several sets where people judged differently. */
  readonly labels: readonly { readonly by: LabelledBy; readonly ofLines: readonly string[] }[];
}

/** `own` for invented families, whose templates are known. */
export type LabelledBy = 'own' | 'original' | 'corrected';
export const LABELLED_BY: readonly LabelledBy[] = ['own', 'original', 'corrected'];

const LINES_OF_FAMILY = 2000;
const SEED = 7;

/** The invented families of this project. */
export function ownSets(): LogSet[] {
  return (Object.keys(FAMILIES) as FamilyName[]).map((name) => {
    const lines = linesOf(name, LINES_OF_FAMILY, SEED);
    return {
      name,
      raw: lines.map(({ line }) => line),
      content: lines.map(({ content }) => content),
      labels: [{ by: 'own', ofLines: lines.map(({ label }) => label) }],
    };
  });
}

/**
 * The labelled files (`*.tsv`) of a directory, by name; none when it does not exist. Columns, in any order: raw, content,
 * event_id, corrected_id. Throws when one is missing.
 */
export function readSets(directory: string): LogSet[] {
  if (!existsSync(directory)) return [];
  return readdirSync(directory)
    .filter((file) => file.endsWith('.tsv'))
    .toSorted()
    .map((file) => readSet(directory, file));
}

function readSet(directory: string, file: string): LogSet {
  const [header = '', ...rows] = readFileSync(join(directory, file), 'utf8')
    .split('\n')
    .filter((line) => line !== '');
  const names = header.replace(/\r$/, '').split('\t');
  const cells = rows.map((row) => row.split('\t'));
  const column = (name: string) => {
    const index = names.indexOf(name);
    if (index < 0) throw new Error(`${file} has no column "${name}"; it has ${names.join(', ')}.`);
    return cells.map((row) => row[index] ?? '');
  };
  return {
    name: file.replace(/\.tsv$/, ''),
    raw: column('raw'),
    content: column('content'),
    labels: [
      { by: 'original', ofLines: column('event_id') },
      { by: 'corrected', ofLines: column('corrected_id') },
    ],
  };
}
