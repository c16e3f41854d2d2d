import { sidesInWords } from '../domain/alternative-words.ts';
import { confidenceInWords } from '../domain/confidence.ts';
import type { DeliveryContent } from '../domain/delivery.ts';
import { partsOfEvidence } from '../domain/evidence-parts.ts';
import type { Incident, Recurrence } from '../domain/incident.ts';
import { duration } from '../domain/relative-time.ts';
import type { Report } from '../domain/report.ts';
import { oneLine } from '../policy/untrusted.ts';
import { webLink } from './web-link.ts';

/** A piece of a line. Its text is data, on one line and never empty; whoever renders it takes the power from what his markup would act on. */
export type Span =
  | { readonly kind: 'plain' | 'strong' | 'code'; readonly text: string }
  | { readonly kind: 'link'; readonly text: string; readonly href: string };
export type Line = readonly Span[];

/** One entry of a list, and the lines that belong below it: a command, how to undo it. */
export interface Entry {
  readonly line: Line;
  readonly below: readonly Line[];
}

/** A list under a title, best first. `needed` ones give way last when the room is small. */
export interface Section {
  readonly title: string;
  readonly entries: readonly Entry[];
  readonly isNumbered: boolean;
  readonly weight: 'needed' | 'useful';
  /** How many entries were left out. */
  readonly note?: string;
}

export interface Fact {
  readonly name: string;
  readonly value: string;
}

/** What is to be told, in the order in which a reader needs it, without any markup: one for all destinations, so that they do not drift apart. */
export interface Outline {
  readonly headline: string;
  /** The news, what the alert says, the verdict with its confidence, the summary, and why so sure. */
  readonly lead: readonly Line[];
  readonly facts: readonly Fact[];
  readonly sections: readonly Section[];
  /** What was left out for lack of room. */
  readonly note?: string;
  readonly footer: Line;
}

const SHOWN_SERVICES = 5;

/** `toldAt`: `generatedAt` of the report that its readers have, if it is known. An update that brings no other one is told in short. */
export function outlineOf(content: DeliveryContent, toldAt?: string): Outline {
  const { report } = content;
  const isShort = content.kind === 'resolved' || (content.kind === 'update' && report.generatedAt === toldAt);
  return {
    headline: headlineOf(content),
    lead: [
      ...(content.kind === 'update' ? [line(strong(`Update: ${content.news}`))] : []),
      ...verdict(report, isShort),
    ],
    facts: isShort ? [] : factsOf(content),
    sections: isShort ? [] : sectionsOf(report),
    footer: footerOf(content),
  };
}

/** `CheckoutErrorsHigh · checkout`: what a ticket is called, whatever becomes of it. */
export function subjectOf({ incident }: Report): string {
  const { title, service } = incident;
  return oneLine(service && !title.includes(service) ? `${title} · ${service}` : title) || 'alert without a name';
}

function headlineOf(content: DeliveryContent): string {
  return `${stateOf(content)} · ${subjectOf(content.report)}`;
}

function stateOf(content: DeliveryContent): string {
  const { incident, report } = content;
  if (content.kind === 'resolved') return `🟢 RESOLVED after ${duration(content.resolvedAtMs - incident.startsAtMs)}`;
  if (report.kind === 'check') return report.status === 'healthy' ? '✅ CHECK OK' : '🟠 CHECK';
  return incident.state === 'resolved' ? '🟢 RESOLVED' : '🔴 FIRING';
}

/** `isShort`: who has read the report, or reads that it is over, wants to know what it was, not why we were so sure. */
function verdict(report: Report, isShort: boolean): readonly Line[] {
  const { root_cause_service: service, root_cause_type: type, summary, status, incident } = report;
  const sure = strong(`confidence ${confidenceInWords(report.confidence)} (${report.confidence.toFixed(2)})`);
  const suspect = [...(service === null ? [] : [code(service), SEPARATOR]), plain(`${typeInWords(type)} · `), sure];
  const heads: Record<Report['status'], readonly Span[]> = {
    determined: [strong('Root cause: '), ...suspect],
    inconclusive:
      service === null
        ? [strong('Not determined.'), plain(' No lead is strong enough to name.')]
        : [strong('Not determined.'), plain(' Strongest lead: '), ...suspect],
    healthy: [strong('Healthy.')],
  };
  const why = oneLine(report.confidence_reasons[0] ?? '');
  const isExplained = why !== '' && status !== 'healthy' && !isShort;
  const alertSays = isShort ? '' : oneLine(incident.description ?? '');
  return [
    ...(alertSays === '' ? [] : [line(plain(`The alert says: ${alertSays}`))]),
    line(...heads[status]),
    line(plain(summary)),
    ...(isExplained ? [line(plain(`Why: ${why}`))] : []),
  ].filter((parts) => parts.length > 0);
}

function factsOf({ incident, report }: DeliveryContent): readonly Fact[] {
  const change = report.evidence.find((evidence) => evidence.kind === 'change');
  const affected = [...new Set(report.causal_chain.map((step) => step.service))];
  const shown = affected.slice(0, SHOWN_SERVICES).join(', ');
  const more = affected.length > SHOWN_SERVICES ? ` + ${affected.length - SHOWN_SERVICES} more` : '';
  const cut = incident.truncatedAlerts > 0 ? ` (${incident.truncatedAlerts} more cut off by the sender)` : '';
  const facts: readonly (readonly [name: string, value: string | null | undefined])[] = [
    ['Severity', report.incident.severity],
    ['Started', clock(report.incident.startsAt)],
    ['Affected', affected.length > 0 ? `${shown}${more}` : report.incident.service],
    ['Alerts', report.kind === 'check' ? undefined : `${incident.alertCount}${cut}`],
    ['Flapping', incident.flapping && timesInWords(incident.flapping)],
    ['Fired', incident.recurs && timesInWords(incident.recurs)],
    ['Acknowledged', incident.acknowledged && acknowledgedInWords(incident.acknowledged)],
    ['Suspected change', change && `${change.statement}${change.relative ? `, ${change.relative}` : ''}`],
    ['Namespace', incident.labels['namespace']],
    ['Cluster', incident.labels['cluster']],
  ];
  return facts.map(([name, value]) => ({ name, value: oneLine(value ?? '') })).filter(({ value }) => value !== '');
}

function timesInWords({ times, sinceMs }: Recurrence): string {
  return `${times} times since ${clock(new Date(sinceMs).toISOString())}`;
}

function acknowledgedInWords({ by, atMs }: NonNullable<Incident['acknowledged']>): string {
  return `${by === undefined ? '' : `by ${by}, `}${clock(new Date(atMs).toISOString())}`;
}

function sectionsOf(report: Report): readonly Section[] {
  const { own, against, others } = partsOfEvidence(report);
  const toEntry = (item: Report['evidence'][number]) => evidenceEntry(item, report);
  const changes = (report.revision?.changes ?? []).map(({ statement }) => entry([plain(statement)]));
  const gaps = report.gaps.map((gap) => entry([plain(gap)]));
  return [
    section('Since the first look', 'needed', changes),
    section('What speaks against it', 'needed', against.map(toEntry)),
    section('Evidence', 'needed', own.map(toEntry)),
    { ...section('Proposed actions (not executed)', 'needed', report.action_plan.map(actionEntry)), isNumbered: true },
    section('Gaps', 'needed', gaps),
    { ...section('How it unfolded', 'useful', report.causal_chain.map(chainEntry)), isNumbered: true },
    section('Other explanations', 'useful', report.alternatives.map(alternativeEntry)),
    section('Also looked at', 'useful', others.map(toEntry)),
  ].filter(({ entries }) => entries.length > 0);
}

function section(title: string, weight: Section['weight'], entries: readonly Entry[]): Section {
  return { title, weight, isNumbered: false, entries: entries.filter((item) => item.line.length > 0) };
}

function evidenceEntry(evidence: Report['evidence'][number], report: Report): Entry {
  const day = report.incident.startsAt.slice(0, 10);
  const time = evidence.at && (evidence.at.startsWith(day) ? clock(evidence.at).slice(0, 12) : clock(evidence.at));
  const when = [evidence.relative, time].filter(Boolean).join(', ');
  const query = evidence.query === null ? '' : oneLine(evidence.query);
  const way = webLink(evidence.link);
  const source = way ? link(query === '' ? 'source' : 'query', way) : code(query);
  const told = [
    strong(evidence.id),
    plain(` ${evidence.kind}: `),
    plain(evidence.statement || 'without a statement'),
    plain(when && ` — ${when}`),
  ];
  return entry(source.text === '' ? told : [...told, SEPARATOR, source]);
}

function chainEntry(step: Report['causal_chain'][number]): Entry {
  const cited = step.evidence.length > 0 ? ` [${step.evidence.join(', ')}]` : '';
  return entry([code(step.service), plain(' '), plain(step.statement), plain(cited)]);
}

function alternativeEntry(alternative: Report['alternatives'][number]): Entry {
  const sides = sidesInWords(alternative);
  const head = plain(` ${typeInWords(alternative.type)} (${alternative.confidence.toFixed(2)}): `);
  return entry([code(alternative.service), head, plain(alternative.why_not), plain(sides && ` [${sides}]`)]);
}

function actionEntry(action: Report['action_plan'][number]): Entry {
  const approval = action.needs_approval ? `${action.risk}, needs approval` : action.risk;
  const below = [
    ...(action.command ? [line(code(action.command))] : []),
    ...(action.rollback ? [line(plain('Undo: '), code(action.rollback))] : []),
  ];
  return entry([plain(action.step), plain(` — ${action.why}`), plain(` (${approval})`)], below);
}

/** Where the report comes from, and the way to more. */
function footerOf({ incident, report }: DeliveryContent): Line {
  const { usage } = report;
  const tokens = usage.input_tokens + usage.cache_read_tokens + usage.output_tokens;
  const cost = usage.cost_usd === null ? '' : ` ($${usage.cost_usd.toFixed(2)})`;
  const by = report.mode === 'analyst' ? 'offline analyst, no model' : `agent ${usage.model ?? ''}`.trim();
  const spent = tokens > 0 ? ` · ${tokens.toLocaleString('en-US')} tokens${cost}` : '';
  const ways = [
    ['alert', report.incident.link],
    ['runbook', incident.annotations['runbook_url']],
    ['dashboard', incident.annotations['dashboard_url']],
  ] as const;
  return line(
    plain('Report '),
    code(report.id),
    plain(` · ${by}${spent} · ${duration(usage.duration_ms)}`),
    ...ways.flatMap(([label, address]) => {
      const href = webLink(address);
      return href === undefined ? [] : [SEPARATOR, link(label, href)];
    }),
  );
}

function typeInWords(type: string): string {
  return type === 'none' || type === 'unknown' ? `cause ${type}` : type.replaceAll('_', ' ');
}

/** `14:03:07 UTC, 2026-11-20`: the day comes last because the reader is living it. */
function clock(iso: string): string {
  return `${iso.slice(11, 19)} UTC, ${iso.slice(0, 10)}`;
}

const plain = (text: string): Span => ({ kind: 'plain', text: blanksKept(text) });
const strong = (text: string): Span => ({ kind: 'strong', text: blanksKept(text) });
const code = (text: string): Span => ({ kind: 'code', text: oneLine(text) });
const link = (text: string, href: string): Span => ({ kind: 'link', text, href });
/** Goes with the span after it. */
export const SEPARATOR: Span = { kind: 'plain', text: ' · ' };

/** On one line, but a blank at either end stays: it parts the span from its neighbour. */
function blanksKept(text: string): string {
  const inside = oneLine(text);
  if (inside === '') return text === '' ? '' : ' ';
  return `${/^\s/.test(text) ? ' ' : ''}${inside}${/\s$/.test(text) ? ' ' : ''}`;
}

function line(...spans: readonly Span[]): Line {
  const told = spans.filter((span) => span.text !== '');
  return told.some((span) => span.text !== ' ') ? told : [];
}

function entry(spans: readonly Span[], below: readonly Line[] = []): Entry {
  return { line: line(...spans), below: below.filter((parts) => parts.length > 0) };
}
