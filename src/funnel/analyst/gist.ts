import type { Evidence } from '../../domain/evidence.ts';
import { messageStart } from '../logs/line-header.ts';
import { namedSymptoms } from '../rank/symptom.ts';
import { changeInWords } from './change-words.ts';
import { spoken } from './spoken.ts';

const MAX_GIST = 220;
const MAX_QUOTE = 150;

/** `calls from checkout to payments, p95: 0.53 s → 2.48 s (+367 %)`, the first clause of a metric's or a trace's statement. */
const CHANGE = /^(.+): (\S.*?) → (.+?)(?: \((.+)\))?$/;
const LINES = /; ([\d,]+) lines? where (none is|[\d.,]+ are) usual/;
const SAMPLE = /; sample: (.+)$/;
const TEMPLATE = /^[^"]*"(.+?)"; /;

/** One fact as a clause of a sentence, with the figures of its statement and no more: the rest stands in the evidence. */
export function gistOf({ kind, service, statement }: Evidence): string {
  if (kind === 'log') return spoken(logGist(service, statement), MAX_GIST);
  if (kind === 'change' && service !== undefined) return changeInWords(statement, service);
  const [first = statement] = kind === 'metric' || kind === 'trace' ? statement.split('; ') : [statement];
  return spoken(asSentence(first), MAX_GIST);
}

function asSentence(clause: string): string {
  const [, name, usual, now, deviation = ''] = CHANGE.exec(clause) ?? [];
  if (name === undefined) return clause;
  const subject = `${name}${name.includes(', ') ? ',' : ''}`;
  if (usual === now) return `${subject} stayed at ${now}`;
  return `${subject} went from ${usual} to ${now}${/^[+−×]/.test(deviation) ? ` (${deviation})` : ''}`;
}

function logGist(service: string | undefined, statement: string): string {
  const text = withoutHeader(SAMPLE.exec(statement)?.[1] ?? TEMPLATE.exec(statement)?.[1]);
  const [, count, usual] = LINES.exec(statement) ?? [];
  if (text === undefined) return statement;
  // Without a fault-free time nobody knows what is usual.
  if (count === undefined) return `${service ?? 'a service'} logs "${spoken(text, MAX_QUOTE)}"`;
  const lines = `${count} ${count === '1' ? 'line' : 'lines'}, ${usual === 'none is' ? 'none' : usual?.replace(' are', '')} usual`;
  return `${service ?? 'a service'} logs "${spoken(text, MAX_QUOTE)}" (${lines})`;
}

/** When and where a line was written stands in the evidence. */
function withoutHeader(line: string | undefined): string | undefined {
  const message = line?.slice(messageStart(line, line.length));
  return message === '' ? line : message;
}

/** What an edge measures is told in words: its time, or its failures. */
const CALLS = /^(?:failing )?calls from \S/;

/** True for a metric that measures what alerts complain of, latency or failures, and for every fact of another kind. */
export function isSymptom({ kind, statement }: Evidence): boolean {
  return kind !== 'metric' || CALLS.test(statement) || namedSymptoms(statement.split('; ')[0] ?? '').size === 1;
}

/** False for a metric that only peaked: without a change point it may be everyday noise. */
export function isClear({ kind, statement }: Evidence): boolean {
  return kind !== 'metric' || !statement.includes('; no clear change point');
}
