import { clip } from '../untrusted.ts';

const CONTRADICTED = ' (not validated: its evidence shows something else)';

/** A sentence that its evidence contradicts, marked for whoever reads it alone; at most `longest` characters. */
export function markContradicted(statement: string, longest: number): string {
  if (statement.endsWith(CONTRADICTED)) return statement;
  return `${clip(statement, longest - CONTRADICTED.length)}${CONTRADICTED}`;
}
