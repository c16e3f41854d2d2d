import { sidesInWords } from '../domain/alternative-words.ts';
import type { DeliveryContent } from '../domain/delivery.ts';
import { partsOfEvidence } from '../domain/evidence-parts.ts';
import type { Report } from '../domain/report.ts';
import { oneLine } from '../policy/untrusted.ts';
import {
  clock,
  code,
  entry,
  line,
  link,
  plain,
  SEPARATOR,
  strong,
  type Entry,
  type Line,
  type Outline,
  type Section,
  type Span,
} from './outline.ts';
import { bounded } from './bounded.ts';
import { queryOf, statementOf } from './evidence-words.ts';
import { factsOf, footerOf, headlineOf, storyOf, typeInWords, verdictOf, whyOf } from './report-head.ts';
import { webLink } from './web-link.ts';

/** Of the lists of a report, the same everywhere. */
export const TITLES = {
  changes: 'Since the first look',
  against: 'What speaks against it',
  evidence: 'Evidence',
  actions: 'Action plan — not executed',
  gaps: 'Gaps',
  chain: 'How it unfolded',
  alternatives: 'Other suspects',
  others: 'Also looked at',
} as const;

/** `toldAt`: `generatedAt` of the report that its readers have, if it is known. An update that brings no other one is told in short. */
export function outlineOf(whole: DeliveryContent, toldAt?: string): Outline {
  const content = bounded(whole);
  const { report } = content;
  const isShort = content.kind === 'resolved' || (content.kind === 'update' && report.generatedAt === toldAt);
  return {
    headline: headlineOf(content),
    lead: [...(content.kind === 'update' ? [line(strong(`Update: ${content.news}`))] : []), ...leadOf(report, isShort)],
    facts: isShort ? [] : factsOf(content),
    sections: isShort ? [] : sectionsOf(report),
    footer: footerOf(content),
  };
}

/** `isShort`: who has read the report, or reads that it is over, wants to know what it was, not why we were so sure. */
function leadOf(report: Report, isShort: boolean): readonly Line[] {
  const why = isShort ? undefined : whyOf(report);
  const { description = '', history = '' } = isShort ? {} : report.incident;
  const alertSays = oneLine(description);
  return [
    ...(history === '' ? [] : [line(plain(oneLine(history)))]),
    ...(alertSays === '' ? [] : [line(plain(`The alert says: ${alertSays}`))]),
    verdictOf(report),
    line(plain(storyOf(report))),
    ...(why ? [line(plain(`${why.title}: ${why.text}`))] : []),
  ].filter((parts) => parts.length > 0);
}

function sectionsOf(report: Report): readonly Section[] {
  const { own, against, others } = partsOfEvidence(report);
  const toEntry = (item: Report['evidence'][number]) => evidenceEntry(item, report);
  const changes = (report.revision?.changes ?? []).map(({ statement }) => entry([plain(statement)]));
  const gaps = gapsOf(report).map((gap) => entry([plain(gap)]));
  return [
    section(TITLES.changes, 'needed', changes),
    section(TITLES.against, 'needed', against.map(toEntry)),
    section(TITLES.evidence, 'needed', own.map(toEntry)),
    { ...section(TITLES.actions, 'needed', report.action_plan.map(actionEntry)), isNumbered: true },
    section(TITLES.gaps, 'needed', gaps),
    { ...section(TITLES.chain, 'useful', report.causal_chain.map(chainEntry)), isNumbered: true },
    section(TITLES.alternatives, 'useful', report.alternatives.map(alternativeEntry)),
    section(TITLES.others, 'useful', others.map(toEntry)),
  ].filter(({ entries }) => entries.length > 0);
}

function section(title: string, weight: Section['weight'], entries: readonly Entry[]): Section {
  return { title, weight, isNumbered: false, entries: entries.filter((item) => item.line.length > 0) };
}

/** Why no agent wrote the report comes first: short posts show the first few. */
export function gapsOf({ gaps }: Report): readonly string[] {
  const told = gaps.filter((gap) => oneLine(gap) !== '');
  const isOfModel = (gap: string) => /^(?:no )?model: /.test(gap);
  return [...told.filter(isOfModel), ...told.filter((gap) => !isOfModel(gap))];
}

/** `21:48:10 UTC`; with its day where that is another than the alert's. */
export function timeOf({ at }: Report['evidence'][number], { incident }: Report): string {
  if (at === null) return '';
  return at.slice(0, 10) === incident.startsAt.slice(0, 10) ? clock(at).slice(0, 12) : clock(at);
}

function evidenceEntry(evidence: Report['evidence'][number], report: Report): Entry {
  const when = [evidence.relative, timeOf(evidence, report)].filter(Boolean).join(', ');
  const query = queryOf(evidence);
  const way = webLink(evidence.link);
  const source = way ? link(evidence.query ? 'query' : 'source', way) : code(query);
  const told = [
    strong(evidence.id),
    plain(` ${evidence.kind}: `),
    plain(statementOf(evidence) || 'without a statement'),
    plain(when && ` — ${when}`),
  ];
  return entry(source.text === '' ? told : [...told, SEPARATOR, source]);
}

export function chainEntry(step: Report['causal_chain'][number]): Entry {
  const cited = step.evidence.length > 0 ? ` [${step.evidence.join(', ')}]` : '';
  return entry([code(step.service), plain(' '), plain(step.statement), plain(cited)]);
}

export function alternativeEntry(alternative: Report['alternatives'][number]): Entry {
  const sides = sidesInWords(alternative);
  const head = plain(` ${typeInWords(alternative.type)} (${alternative.confidence.toFixed(2)}): `);
  return entry([code(alternative.service), head, plain(alternative.why_not), plain(sides && ` [${sides}]`)]);
}

export function actionEntry(action: Report['action_plan'][number]): Entry {
  const below = [
    ...(action.command ? [line(code(action.command))] : []),
    ...(action.rollback ? [line(plain('Undo: '), undo(action.rollback))] : []),
  ];
  const why = withoutStop(action.why);
  const told = [plain(stepOf(action)), plain(why && ` — ${why}`), plain(` (${riskOf(action)})`)];
  return entry(told, below);
}

/** The step as the beginning of a line that goes on. */
export function stepOf({ step }: Report['action_plan'][number]): string {
  return withoutStop(step);
}

function withoutStop(sentence: string): string {
  return oneLine(sentence).replace(/(?<![.…])\.$/, '');
}

/** A sentence is no command that somebody could run. */
function undo(rollback: string): Span {
  return /^\p{Lu}.*\.$/su.test(rollback.trim()) ? plain(rollback) : code(rollback);
}

const RISKS = {
  R0: 'reads only',
  R1: 'easily undone',
  R2: 'changes what runs',
  R3: 'hard to undo',
} as const satisfies Record<Report['action_plan'][number]['risk'], string>;

/** With its class in words: nobody knows them by heart at night. */
export function riskOf({ risk, needs_approval: needsApproval }: Report['action_plan'][number]): string {
  return `${risk}, ${RISKS[risk]}${needsApproval ? ', needs approval' : ''}`;
}
