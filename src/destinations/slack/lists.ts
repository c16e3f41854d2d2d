import { sidesInWords } from '../../domain/alternative-words.ts';
import type { DeliveryContent } from '../../domain/delivery.ts';
import { partsOfEvidence } from '../../domain/evidence-parts.ts';
import type { Report } from '../../domain/report.ts';
import { oneLine } from '../../policy/untrusted.ts';
import { code, data, isCodeCut, isCut, link } from './mrkdwn.ts';
import { clock, typeInWords } from './parts.ts';

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
  /** Of what is left: `+ 7 more evidence`. */
  readonly noun: string;
  /** What the thread adds to the items that are shown, where that matters. */
  readonly extra: string | undefined;
  readonly items: readonly Item[];
  readonly rootMax: number;
}

/** Characters of a statement in the first message, where a line has to be enough to decide whether to read on, and in the thread. */
const SHORT = 120;
const SHORTER = 90;
const LONG = 600;
const QUERY_SHORT = 60;
const QUERY_LONG = 500;
/** Longer than any command of a report, even when each of its characters is escaped. */
const MAX_LINE = 2900;
const INDENT = '     ';

/** The lists in the order in which a reader needs them: what to do comes before what is not known. */
export function listsOf({ report }: DeliveryContent): readonly List[] {
  const { own, against, others } = partsOfEvidence(report);
  const changes = (report.revision?.changes ?? []).map(({ statement }) => textItem('• ', statement));
  const toItem = (item: Evidence) => evidenceItem(item, report);
  const reasons = report.confidence_reasons.slice(1).map((reason) => textItem('• ', reason));
  const unsure = report.status === 'inconclusive' ? 1 : 0;
  const lists: readonly (readonly [
    title: string,
    noun: string,
    items: readonly Item[],
    rootMax: number,
    extra?: string,
  ])[] = [
    ['Since the first look', 'changes', changes, 2],
    ['Evidence', 'evidence', own.map(toItem), against.length > 0 ? 3 : 4],
    ['What speaks against it', 'evidence against it', against.map(toItem), 2],
    ['Action plan — not executed', 'actions', report.action_plan.map(actionItem), 5, 'reasons and how to undo it'],
    // Who knows the cause wants to know what it is not in a line; who does not, wants the candidates.
    ['Ruled out', 'candidates', report.alternatives.map(alternativeItem), 2 + unsure],
    ['Gaps', 'gaps', report.gaps.filter((gap) => oneLine(gap) !== '').map((gap) => textItem('• ', gap)), 2],
    ['How it unfolded', 'steps', report.causal_chain.map(chainItem), 0],
    ['Why so sure, and no surer', 'reasons', report.status === 'healthy' ? [] : reasons, 0],
    ['Also looked at', 'evidence', others.map(toItem), 0],
  ];
  return lists
    .map(([title, noun, items, rootMax, extra]) => ({ title, noun, items, rootMax, extra }))
    .filter(({ items }) => items.length > 0);
}

/** First message: `• *M1* metric, 09:58:00 (2 min before): statement · query`. Thread: the whole statement, and the query in words beside the way to it. */
function evidenceItem({ id, kind, statement, at, relative, query, link: address }: Evidence, report: Report): Item {
  const day = report.incident.startsAt.slice(0, 10);
  const time = at && (at.startsWith(day) ? clock(at).slice(0, 12) : clock(at));
  const way = link(address, query === null ? '' : 'query');
  const head = (when: string) => `• *${data(id, 10)}* ${kind}${when && `, ${data(when, 100)}`}: `;
  const tail = (...parts: readonly (string | undefined)[]) => parts.map((part) => (part ? ` · ${part}` : '')).join('');
  const short = way ?? code(query ?? '', QUERY_SHORT);
  const before = relative?.replace(' the alert', '') ?? '';
  const isQueryCut = query !== null && isCodeCut(query, QUERY_LONG);
  return {
    short: `${head([time?.slice(0, 8), before && `(${before})`].filter(Boolean).join(' '))}${data(firstClauses(statement, SHORTER), SHORT)}${tail(short)}`,
    long: `${head([relative, time].filter(Boolean).join(', '))}${data(statement, LONG)}${tail(way, code(query ?? '', QUERY_LONG))}`,
    full: [...(isCut(statement, LONG) ? [statement] : []), ...(isQueryCut ? [query] : [])],
  };
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

function chainItem(step: Report['causal_chain'][number], index: number): Item {
  const cited = step.evidence.length > 0 ? ` [${data(step.evidence.join(', '), 100)}]` : '';
  return textItem(`${index + 1}. ${code(step.service, 100)} `, step.statement, cited);
}

function alternativeItem(alternative: Report['alternatives'][number]): Item {
  const head = `• ${code(alternative.service, 100)} ${typeInWords(alternative.type)} (${alternative.confidence.toFixed(2)}): `;
  const sides = sidesInWords(alternative);
  const { long, full } = textItem(head, alternative.why_not, sides && ` [${data(sides, 100)}]`);
  return { short: `${head}${data(firstClauses(alternative.why_not, SHORTER), SHORTER)}`, long, full };
}

/** First message: step, risk and command. A command is never shown in part: half a command is another command. */
function actionItem(action: Report['action_plan'][number], index: number): Item {
  const approval = action.needs_approval ? `*${action.risk}*, needs approval` : `*${action.risk}*`;
  const command = action.command ? `\n${INDENT}${code(action.command, MAX_LINE)}` : '';
  const rollback = action.rollback ? `\n${INDENT}undo: ${code(action.rollback, MAX_LINE)}` : '';
  const told = `${action.step} — ${action.why}`;
  return {
    short: `${index + 1}. ${data(action.step, SHORT)} (${approval})${command}`,
    long: `${index + 1}. ${data(told, LONG)} (${approval})${command}${rollback}`,
    full: isCut(told, LONG) ? [told] : [],
  };
}

function textItem(head: string, text: string, tail = ''): Item {
  return {
    short: `${head}${data(text, SHORT)}${tail}`,
    long: `${head}${data(text, LONG)}${tail}`,
    full: isCut(text, LONG) ? [text] : [],
  };
}
