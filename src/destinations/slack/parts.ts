import { confidenceInWords } from '../../domain/confidence.ts';
import type { DeliveryContent } from '../../domain/delivery.ts';
import { duration } from '../../domain/relative-time.ts';
import type { Report } from '../../domain/report.ts';
import { subjectOf } from '../outline.ts';
import { MAX_FIELDS, MAX_HEADER } from './blocks.ts';
import { code, data, isCut, link, plain } from './mrkdwn.ts';

const MAX_SUMMARY = 700;
const MAX_NEWS = 600;
const MAX_FACT = 150;
const SHOWN_SERVICES = 5;

/** `🔴 FIRING · CheckoutErrorsHigh · checkout`, escaped for a header. */
export function title(content: DeliveryContent): string {
  return plain(stateAndSubject(content), MAX_HEADER);
}

/** The same as markup, for where there is no header. */
export function headline(content: DeliveryContent): string {
  return data(stateAndSubject(content), MAX_HEADER * 2);
}

function stateAndSubject(content: DeliveryContent): string {
  return `${stateOf(content)} · ${subjectOf(content.report)}`;
}

function stateOf(content: DeliveryContent): string {
  const { incident, report } = content;
  if (content.kind === 'resolved') return `🟢 RESOLVED after ${duration(content.resolvedAtMs - incident.startsAtMs)}`;
  if (report.kind === 'check') return report.status === 'healthy' ? '✅ CHECK OK' : '🟠 CHECK';
  return incident.state === 'resolved' ? '🟢 RESOLVED' : '🔴 FIRING';
}

/** What the reader of an edited or preliminary post has to know before the rest: what is new in it, or that more is to come. */
export function standing(content: DeliveryContent): string | undefined {
  if (content.kind === 'first-look') return '🔎 *First look, the agent is still investigating*';
  return content.kind === 'update' ? `🆕 *Update:* ${data(content.news, MAX_NEWS)}` : undefined;
}

/** What the alert says, and the answer: cause, confidence in words and as a number, one sentence, why so sure. */
export function verdict({ report }: DeliveryContent): string {
  const { description } = report.incident;
  const [reason] = report.confidence_reasons;
  return [
    ...(description ? [`> ${data(description, 150)}`] : []),
    verdictLine(report),
    data(report.summary, MAX_SUMMARY),
    ...(reason && report.status !== 'healthy' ? [`_Why:_ ${data(reason, 110)}`] : []),
  ]
    .filter(Boolean)
    .join('\n');
}

/** The summary, when `verdict` shows only its beginning. */
export function cutSummary({ report }: DeliveryContent): string | undefined {
  return isCut(report.summary, MAX_SUMMARY) ? report.summary : undefined;
}

export function verdictLine(report: Report): string {
  const { root_cause_service: service, root_cause_type: type } = report;
  const suspect = `${service === null ? '' : `${code(service, 200)} · `}${typeInWords(type)}`;
  const sure = `confidence *${confidence(report.confidence)}*`;
  const lines: Record<Report['status'], string> = {
    determined: `*Root cause:* ${suspect} · ${sure}`,
    inconclusive:
      service === null
        ? '*Not determined.* No lead is strong enough to name.'
        : `*Not determined.* Strongest lead: ${suspect} · ${sure}`,
    healthy: '*Healthy.*',
  };
  return lines[report.status];
}

/** Two stand beside each other in Slack, so the long one comes last. */
export function factFields(content: DeliveryContent): readonly string[] {
  const { incident, report } = content;
  const change = report.evidence.find((evidence) => evidence.kind === 'change');
  const affected = [...new Set(report.causal_chain.map((step) => step.service))];
  const shown = affected.slice(0, SHOWN_SERVICES).join(', ');
  const more = affected.length > SHOWN_SERVICES ? ` + ${affected.length - SHOWN_SERVICES} more` : '';
  const cut = incident.truncatedAlerts > 0 ? ` (${incident.truncatedAlerts} more cut off by the sender)` : '';
  const facts: readonly (readonly [name: string, value: string | null | undefined])[] = [
    ['Severity', report.incident.severity],
    ['Started', clock(report.incident.startsAt)],
    ['Affected', affected.length > 0 ? `${shown}${more}` : report.incident.service],
    ['Duration', report.kind === 'check' ? undefined : howLong(content)],
    ['Alerts', report.kind === 'check' ? undefined : `${incident.alertCount}${cut}`],
    ['Where', [incident.labels['namespace'], incident.labels['cluster']].filter(Boolean).join(', ')],
    ['Suspected change', change && `${change.statement}${change.relative ? `, ${change.relative}` : ''}`],
  ];
  return facts.flatMap(([name, value]) => (value ? [`*${name}:* ${data(value, MAX_FACT)}`] : [])).slice(0, MAX_FIELDS);
}

/** Of a firing incident at the time of the report, so that every attempt at it says the same. */
function howLong(content: DeliveryContent): string {
  const startsAtMs = Date.parse(content.report.incident.startsAt);
  if (content.kind === 'resolved') return duration(content.resolvedAtMs - startsAtMs);
  const soFar = duration(Date.parse(content.report.generatedAt) - startsAtMs);
  return content.incident.state === 'resolved' ? 'over' : `${soFar} so far`;
}

/** Where the report comes from, and the way to more. */
export function footer({ incident, report }: DeliveryContent): string {
  const { usage } = report;
  const tokens = usage.input_tokens + usage.cache_read_tokens + usage.output_tokens;
  const cost = usage.cost_usd === null ? '' : ` ($${usage.cost_usd.toFixed(2)})`;
  return [
    `Report ${code(report.id, 130)}`,
    report.mode === 'analyst' ? 'offline analyst, no model' : `agent ${data(usage.model ?? '', 80)}`.trim(),
    tokens > 0 ? `${tokens.toLocaleString('en-US')} tokens${cost}` : undefined,
    duration(usage.duration_ms),
    link(report.incident.link, 'alert'),
    link(incident.annotations['runbook_url'], 'runbook'),
    link(incident.annotations['dashboard_url'], 'dashboard'),
  ]
    .filter(Boolean)
    .join(' · ');
}

/** The report in a few plain sentences: for notifications, and when Slack refuses the blocks. Escaped. */
export function plainText(content: DeliveryContent, max: number): string {
  const { report } = content;
  const lead = report.root_cause_service
    ? `${report.root_cause_service} (${typeInWords(report.root_cause_type)}), confidence ${confidence(report.confidence)}. `
    : '';
  const news = standing(content);
  const head = `${headline(content)}\n${news === undefined ? '' : `${news.replaceAll('*', '')}\n`}`;
  return `${head}${data(`${lead}${report.summary}`, max - head.length)}`;
}

function confidence(value: number): string {
  return `${confidenceInWords(value)} (${value.toFixed(2)})`;
}

export function typeInWords(type: string): string {
  return type === 'none' || type === 'unknown' ? `cause ${type}` : type.replaceAll('_', ' ');
}

/** `14:03:07 UTC, 2026-11-20`: the day comes last because the reader is living it. */
export function clock(iso: string): string {
  return `${iso.slice(11, 19)} UTC, ${iso.slice(0, 10)}`;
}
