import { confidenceInWords } from '../domain/confidence.ts';
import { counted } from '../domain/counted.ts';
import type { DeliveryContent } from '../domain/delivery.ts';
import { partsOfEvidence } from '../domain/evidence-parts.ts';
import type { Incident, Recurrence } from '../domain/incident.ts';
import { namespaceOf } from '../domain/labels.ts';
import { duration } from '../domain/relative-time.ts';
import type { Report } from '../domain/report.ts';
import { looksOf, sawTooLittle } from '../domain/probe-answer.ts';
import { oneLine } from '../policy/untrusted.ts';
import { clock, code, line, link, plain, SEPARATOR, strong, type Fact, type Line, type Span } from './outline.ts';
import { webLink } from './web-link.ts';

const SHOWN_SERVICES = 5;
/** A report that comes within a minute is as old as its alert. */
const NOTABLE_MS = 60_000;
/** So many pieces of evidence are read at once with the facts, everywhere. */
const FIRST_EVIDENCE = 3;

/** `CheckoutErrorsHigh · checkout`: what a ticket is called, whatever becomes of it. */
export function subjectOf({ incident }: Report): string {
  const { title, service } = incident;
  return oneLine(service && !title.includes(service) ? `${title} · ${service}` : title) || 'alert without a name';
}

/** `🔴 FIRING · CheckoutErrorsHigh · checkout` */
export function headlineOf(content: DeliveryContent): string {
  return `${stateOf(content)} · ${subjectOf(content.report)}`;
}

function stateOf(content: DeliveryContent): string {
  const { incident, report } = content;
  if (content.kind === 'resolved') return `🟢 RESOLVED after ${duration(content.resolvedAtMs - incident.startsAtMs)}`;
  if (report.kind === 'check') return stateOfCheck(report);
  return incident.state === 'resolved' ? '🟢 RESOLVED' : '🔴 FIRING';
}

/** A check that could not look is not one that found nothing. */
function stateOfCheck({ status, check, root_cause_service: service }: Report): string {
  if (status === 'healthy') return '✅ CHECK OK';
  if (check?.findings.some(({ severity }) => severity === 'critical')) return '🔴 CHECK';
  const isBlind = check?.findings.length === 0 && service === null && sawTooLittle(looksOf(check));
  return isBlind ? '⚪ CHECK COULD NOT LOOK' : '🟠 CHECK';
}

/** The answer: cause or strongest lead, and how sure it is. */
export function verdictOf(report: Report): Line {
  const { root_cause_service: service, root_cause_type: type, status, confidence, check } = report;
  const sure = strong(`confidence ${inWords(confidence)}`);
  const suspect = [...(service === null ? [] : [code(service), SEPARATOR]), plain(`${typeInWords(type)} · `), sure];
  const count = check?.findings.length ?? 0;
  const undetermined = count > 0 ? `${counted(count, 'finding')}, cause not determined.` : 'Not determined.';
  const verdicts: Record<Report['status'], readonly Span[]> = {
    determined: [strong('Root cause: '), ...suspect],
    inconclusive:
      service === null
        ? [strong(undetermined), plain(' No lead is strong enough to name.')]
        : [strong(undetermined), plain(' Strongest lead: '), ...suspect],
    healthy: [strong('Healthy.')],
  };
  return line(...verdicts[status]);
}

/** The summary without the beginning in which the analyst says once more what the verdict above it says. */
export function storyOf({ summary, root_cause_service: service }: Report): string {
  const told = oneLine(summary);
  if (service === null) return told;
  const [beginning = ''] = LED_IN.exec(told) ?? [];
  const named = beginning.replace(/^Not determined\. The strongest lead is /, '');
  return named.startsWith(`${service} `) ? told.slice(beginning.length) : told;
}

/** `payments is the likely root cause (connection exhaustion): `, or `Not determined. The strongest lead is payments (…): `. */
const LED_IN = /^(?:Not determined\. The strongest lead is \S+|\S+ is the likely root cause) \([^()]*\): (?=\S)/;

/** What the confidence rests on most, or what holds it down; undefined where there is nothing to be sure of. */
export function whyOf({
  status,
  confidence_reasons: reasons,
}: Report): { readonly title: string; readonly text: string } | undefined {
  const reason = oneLine(reasons[0] ?? '');
  if (reason === '' || status === 'healthy') return undefined;
  const text = reason.replace(/^although: /, '');
  return { title: text === reason ? 'Why' : 'Why no surer', text };
}

/** `high (0.86)` */
function inWords(confidence: number): string {
  return `${confidenceInWords(confidence)} (${confidence.toFixed(2)})`;
}

/** What the reader asks next; the long ones come last, because some destinations set two beside each other. */
export function factsOf(content: DeliveryContent): readonly Fact[] {
  const { incident, report } = content;
  // From the cause to what the alert is about.
  const affected = [...new Set(report.causal_chain.map((step) => step.service))];
  const shown = affected.slice(0, SHOWN_SERVICES).join(' → ');
  const more = affected.length > SHOWN_SERVICES ? ` + ${affected.length - SHOWN_SERVICES} more` : '';
  const facts: readonly (readonly [name: string, value: string | null | undefined])[] = [
    ['Severity', report.incident.severity],
    ['Started', `${clock(report.incident.startsAt)}${howLongAgo(content)}`],
    ['Affected', affected.length > 0 ? `${shown}${more}` : report.incident.service],
    ['Alerts', alertsInWords(incident)],
    ['Flapping', incident.flapping && timesInWords(incident.flapping)],
    ['Fired', incident.recurs && timesInWords(incident.recurs)],
    ['Acknowledged', incident.acknowledged && acknowledgedInWords(incident.acknowledged)],
    ['Where', [namespaceOf(incident.labels), incident.labels['cluster']].filter(Boolean).join(', ')],
    ['Suspected change', changeInWords(report)],
  ];
  return facts.map(([name, value]) => ({ name, value: oneLine(value ?? '') })).filter(({ value }) => value !== '');
}

/** Against the report and not against now, so that every attempt at it says the same, and a ticket stays true. */
function howLongAgo({ incident, report }: DeliveryContent): string {
  const ms = Date.parse(report.generatedAt) - incident.startsAtMs;
  return incident.state === 'firing' && report.kind === 'incident' && ms >= NOTABLE_MS
    ? ` (reported ${duration(ms)} later)`
    : '';
}

/** One alert goes without saying. */
function alertsInWords({ kind, alertCount, truncatedAlerts }: Incident): string | undefined {
  if (kind === 'check' || (alertCount <= 1 && truncatedAlerts === 0)) return undefined;
  return `${alertCount}${truncatedAlerts > 0 ? ` (${truncatedAlerts} more cut off by the sender)` : ''}`;
}

/** The change that the conclusion rests on, unless it is told right above or below: in the summary, or by the first pieces of evidence. */
function changeInWords(report: Report): string | undefined {
  const { own } = partsOfEvidence(report);
  const place = own.findIndex(({ kind }) => kind === 'change');
  const change = own[place];
  if (!change || place < FIRST_EVIDENCE) return undefined;
  const { statement, relative } = change;
  const isTold = report.summary.includes(statement.slice(statement.indexOf(': ') + 1).trim());
  return isTold ? undefined : `${statement}${relative ? `, ${relative}` : ''}`;
}

function timesInWords({ times, sinceMs }: Recurrence): string {
  return `${times} times since ${clock(new Date(sinceMs).toISOString())}`;
}

function acknowledgedInWords({ by, atMs }: NonNullable<Incident['acknowledged']>): string {
  return `${by === undefined ? '' : `by ${by}, `}${clock(new Date(atMs).toISOString())}`;
}

/** Where the report comes from, and the way to more. */
export function footerOf({ incident, report }: DeliveryContent): Line {
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
    plain(` · ${by}${spent} · took ${duration(usage.duration_ms)}`),
    ...ways.flatMap(([label, address]) => {
      const href = webLink(address);
      return href === undefined ? [] : [SEPARATOR, link(label, href)];
    }),
  );
}

export function typeInWords(type: string): string {
  if (type === 'unknown') return 'fault of unknown kind';
  return type === 'none' ? 'no fault' : type.replaceAll('_', ' ');
}
