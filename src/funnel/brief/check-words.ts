import { estimateTokens } from '../tokens.ts';
import type { Line, Section } from './section.ts';

const ALERT = /\b(before|after|at|of|near|by|since|from) the alert\b|\bthe alert(?= names)/g;

/** Nothing alerted where a check was due: what the layers say of the alert is said of the check. Ids, order and priorities stay. */
export function inWordsOfCheck(section: Section): Section {
  return { ...section, none: reword(section.none), lines: section.lines.map(rewordLine) };
}

function rewordLine(line: Line): Line {
  const text = reword(line.text);
  return text === line.text ? line : { ...line, text, tokens: estimateTokens(`${text}\n`) };
}

function reword(text: string): string {
  return text.replace(ALERT, (_all, preposition?: string) =>
    preposition === undefined ? 'the check' : `${preposition} the check`,
  );
}
