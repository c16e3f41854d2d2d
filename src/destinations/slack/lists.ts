import type { DeliveryContent } from '../../domain/delivery.ts';
import { partsOfEvidence } from '../../domain/evidence-parts.ts';
import type { Report } from '../../domain/report.ts';
import { oneLine } from '../../policy/untrusted.ts';
import { entry, plain, type Entry } from '../outline.ts';
import { queryOf, statementOf } from '../evidence-words.ts';
import { typeInWords } from '../report-head.ts';
import {
  actionEntry,
  alternativeEntry,
  chainEntry,
  gapsOf,
  riskOf,
  stepOf,
  timeOf,
  TITLES,
} from '../report-outline.ts';
import { writeLine } from '../write-outline.ts';
import { code, data, isCodeCut, isCut, link, spansWithin } from './mrkdwn.ts';

type Evidence = Report['evidence'][number];

/** One entry of a list: as the first message shows it, and as the thread does when that is more. `full`: raw texts of which even that is a part. */
export interface Item {
  readonly short: string;
  readonly long: string;
  readonly full: readonly string[];
}

/** A list under a title, best first. At most `rootMax` items are shown in the first message, the rest follows in the thread. */
export interface List {
  readonly title: string;
  /** What the thread adds to the items that are shown, where that matters. */
  readonly extra: string | undefined;
  readonly items: readonly Item[];
  readonly rootMax: number;
}

/** Characters of a statement in the first message, where a line has to be enough to decide whether to read on, and in the thread. */
const SHORT = 120;
const SHORTER = 90;
const LONG = 600;
/** The confidence of a suspect that hardly anybody will look at. */
const FAR_BEHIND = 0.05;
const QUERY_SHORT = 60;
const QUERY_LONG = 500;
/** Longer than any command of a report, even when each of its characters is escaped. */
const MAX_LINE = 2900;
const INDENT = '     ';

/** The lists in the order in which a reader needs them: what to do comes before what is not known. */
export function listsOf({ report }: DeliveryContent): readonly List[] {
  const { own, against, others } = partsOfEvidence(report);
  const changes = (report.revision?.changes ?? []).map(({ statement }) => textItem(statement));
  const toItem = (item: Evidence) => evidenceItem(item, report);
  const reasons = report.status === 'healthy' ? [] : report.confidence_reasons.slice(1).map(textItem);
  // Who knows the cause wants to know what else it could be in a line or two; who does not, wants the candidates.
  const isFarBehind = (report.alternatives[0]?.confidence ?? 0) < FAR_BEHIND;
  const suspects = report.status === 'inconclusive' ? 3 : isFarBehind ? 1 : 2;
  const lists: readonly (readonly [title: string, items: readonly Item[], rootMax: number, extra?: string])[] = [
    [TITLES.changes, changes, 2],
    [TITLES.evidence, own.map(toItem), against.length > 0 ? 3 : 4],
    [TITLES.against, against.map(toItem), 2],
    [TITLES.actions, report.action_plan.map(actionItem), 5, 'reasons and how to undo it'],
    [TITLES.alternatives, report.alternatives.map(alternativeItem), suspects],
    [TITLES.gaps, gapsOf(report).map(textItem), 3],
    [TITLES.chain, report.causal_chain.map((step, index) => item(`${index + 1}. `, chainEntry(step))), 0],
    ['Why so sure, and no surer', reasons, 0],
    [TITLES.others, others.map(toItem), 0],
  ];
  return lists
    .map(([title, items, rootMax, extra]) => ({ title, items, rootMax, extra }))
    .filter(({ items }) => items.length > 0);
}

/** First message: `• *M1* metric, 09:58:00 (2 min before): statement · query`. Thread: the whole statement, and the query in words beside the way to it. */
function evidenceItem(evidence: Evidence, report: Report): Item {
  const { id, kind, relative, query, link: address } = evidence;
  const statement = statementOf(evidence);
  const time = timeOf(evidence, report);
  const way = link(address, query === null ? '' : 'query');
  const head = (when: string) => `• *${data(id, 10)}* ${kind}${when && `, ${data(when, 100)}`}: `;
  const tail = (...parts: readonly (string | undefined)[]) => parts.map((part) => (part ? ` · ${part}` : '')).join('');
  const asked = queryOf(evidence);
  const short = way ?? code(asked, QUERY_SHORT);
  const before = relative?.replace(/(?<!^at) the alert$/, '') ?? '';
  const isQueryCut = isCodeCut(asked, QUERY_LONG);
  return {
    short: `${head([time.slice(0, 8), before && `(${before})`].filter(Boolean).join(' '))}${data(gist(evidence), SHORT)}${tail(short)}`,
    long: `${head([relative, time].filter(Boolean).join(', '))}${data(statement, LONG)}${tail(way, code(asked, QUERY_LONG))}`,
    full: [...(isCut(statement, LONG) ? [statement] : []), ...(isQueryCut ? [asked] : [])],
  };
}

/** Of a measure what became of it; when it peaked is told in the thread. */
function gist(evidence: Evidence): string {
  const statement = statementOf(evidence);
  const isMeasure = evidence.kind === 'metric' || evidence.kind === 'trace';
  return firstClauses(statement, isMeasure ? 0 : SHORTER);
}

/** As many of the clauses between semicolons as have room, the first in any case: what a finding is, before its details. */
function firstClauses(statement: string, max: number): string {
  const [first = '', ...others] = oneLine(statement).split('; ');
  let told = first;
  for (const clause of others) {
    if (told.length + 2 + clause.length > max) break;
    told = `${told}; ${clause}`;
  }
  return told;
}

/** First message: the name, and why not in a clause. */
function alternativeItem(alternative: Report['alternatives'][number]): Item {
  const { service, type, confidence, why_not: why } = alternative;
  const head = `• ${code(service, 100)} ${typeInWords(type)} (${confidence.toFixed(2)}): `;
  return item('• ', alternativeEntry(alternative), `${head}${data(firstClauses(why, SHORTER), SHORT)}`);
}

/** First message: step, risk and command. A command is never shown in part: half a command is another command. */
function actionItem(action: Report['action_plan'][number], index: number): Item {
  const command = action.command ? `\n${INDENT}${code(action.command, MAX_LINE)}` : '';
  const number = `${index + 1}. `;
  return item(number, actionEntry(action), `${number}${data(stepOf(action), SHORT)} (${riskOf(action)})${command}`);
}

function textItem(text: string): Item {
  return item('• ', entry([plain(text)]), `• ${data(text, SHORT)}`);
}

/** An entry of the outline: `long` tells all of it, what belongs below it on lines of its own. */
function item(head: string, { line, below }: Entry, short?: string): Item {
  const lines = [
    writeLine(line, spansWithin(LONG)),
    ...below.map((parts) => INDENT + writeLine(parts, spansWithin(MAX_LINE))),
  ];
  const long = `${head}${lines.join('\n')}`;
  const cut = line.filter(({ kind, text }) => kind !== 'link' && isCut(text, LONG - 2));
  return { short: short ?? long, long, full: cut.map(({ text }) => text) };
}
