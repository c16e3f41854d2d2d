import type { Report } from '../domain/report.ts';
import { oneLine } from '../policy/untrusted.ts';

type Evidence = Report['evidence'][number];

/** A finding in a log: what is told of it, the pattern in quotes, its figures, and a line that fits the pattern. */
const LOG_FINDING = /^([^"]*")(.*?)("; .*); sample: (.+)$/s;
const PLACEHOLDER = '<*>';
/** So much of a pattern's first words tells whether a line shows its message. */
const FIRST_WORDS = 24;

/**
 * The statement as people read it beside its time: a line as it was written instead of the pattern it fits, and no time twice. Whoever has to find the
 * very words finds them in the stored report.
 */
export function statementOf({ statement, relative }: Evidence): string {
  const clauses = withLine(oneLine(statement)).split('; ');
  const told = relative === null ? clauses : clauses.map((clause) => withoutTime(clause, relative));
  return told.filter((clause) => clause !== '').join('; ');
}

function withLine(statement: string): string {
  const [, head = '', pattern = '', figures = '', line = ''] = LOG_FINDING.exec(statement) ?? [];
  if (!pattern.includes(PLACEHOLDER)) return statement;
  const [words = ''] = pattern.split(PLACEHOLDER);
  return line.includes(words.trim().slice(0, FIRST_WORDS)) ? `${head}${line}${figures}` : statement;
}

/** `since 20 s before the alert, still so`, where the 20 s are told: `still so`. */
function withoutTime(clause: string, relative: string): string {
  const begin = [`since ${relative}`, `first ${relative}`].find((words) => clause.startsWith(words));
  if (begin === undefined) return clause;
  const rest = clause.slice(begin.length);
  return rest === '' || rest.startsWith(', ') ? rest.slice(2) : clause;
}

/** On one line; empty when the statement begins with it, as those of recorded metrics do. */
export function queryOf({ query, statement }: Evidence): string {
  const shown = oneLine(query ?? '');
  return statement.startsWith(shown.replace('/', ' ')) ? '' : shown;
}
