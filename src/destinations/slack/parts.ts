import { sidesInWords } from '../../domain/alternative-words.ts';
import { confidenceInWords } from '../../domain/confidence.ts';
import type { DeliveryContent } from '../../domain/delivery.ts';
import { partsOfEvidence } from '../../domain/evidence-parts.ts';
import { duration } from '../../domain/relative-time.ts';
import type { Report } from '../../domain/report.ts';
import { MAX_FIELDS, MAX_HEADER } from './blocks.ts';
import { code, data, isCut, link } from './mrkdwn.ts';

/** One entry of a list. `full` is the raw text when the entry shows only its beginning. */
export interface Item {
  readonly text: string;
  readonly full?: string;
}
/** A list under a title, best first. At most `rootMax` items are shown in the first message, the rest follows in the thread. */
export interface Group {
  readonly title: string;
  readonly items: readonly Item[];
  readonly rootMax: number;
}

const MAX_SUMMARY = 2000;
const MAX_STATEMENT = 500;
const SHOWN_SERVICES = 5;

/** `🔴 FIRING · CheckoutErrorsHigh · checkout` */
export function headline(content: DeliveryContent): string {
  const { report } = content;
  const { title, service } = report.incident;
  const subject = service && !title.includes(service) ? `${title} · ${service}` : title;
  return data(`${stateOf(content)} · ${subject}`, MAX_HEADER);
}

function stateOf(content: DeliveryContent): string {
  const { incident, report } = content;
  if (content.kind === 'resolved') return `🟢 RESOLVED after ${duration(content.resolvedAtMs - incident.startsAtMs)}`;
  if (report.kind === 'check') return report.status === 'healthy' ? '✅ CHECK OK' : '🟠 CHECK';
  return incident.state === 'resolved' ? '🟢 RESOLVED' : '🔴 FIRING';
}

/** The answer in one sentence, confidence in words and as a number. */
export function verdict({ report }: DeliveryContent): Item {
  const { root_cause_service: service, root_cause_type: type, summary } = report;
  const suspect = `${service === null ? '' : `${code(service, 200)} · `}${typeInWords(type)}`;
  const heads: Record<Report['status'], string> = {
    determined: `*Root cause:* ${suspect} · confidence *${confidence(report.confidence)}*`,
    inconclusive:
      service === null
        ? '*Not determined.* No lead is strong enough to name.'
        : `*Not determined.* Strongest lead: ${suspect} · confidence *${confidence(report.confidence)}*`,
    healthy: '*Healthy.*',
  };
  const [reason] = report.confidence_reasons;
  const why = reason && report.status !== 'healthy' ? `\n_Why: ${data(reason, 250)}_` : '';
  const { description } = report.incident;
  const alertSays = description ? `> ${data(description, 300)}\n` : '';
  const text = `${alertSays}${heads[report.status]}\n${data(summary, MAX_SUMMARY)}${why}`;
  return isCut(summary, MAX_SUMMARY) ? { text, full: summary } : { text };
}

export function factFields({ incident, report }: DeliveryContent): readonly string[] {
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
    ['Suspected change', change && `${change.statement}${change.relative ? `, ${change.relative}` : ''}`],
    ['Namespace', incident.labels['namespace']],
    ['Cluster', incident.labels['cluster']],
  ];
  return facts.flatMap(([name, value]) => (value ? [`*${name}*\n${data(value, 300)}`] : [])).slice(0, MAX_FIELDS);
}

/** The lists, in the order in which a reader needs them. */
export function groups({ report }: DeliveryContent): readonly Group[] {
  const changes = report.revision?.changes ?? [];
  const { own, against, others } = partsOfEvidence(report);
  const toItem = (item: Report['evidence'][number]) => evidenceItem(item, report);
  return [
    { title: 'Since the first look', items: changes.map(({ statement }) => textItem('• ', statement)), rootMax: 3 },
    { title: 'What speaks against it', items: against.map(toItem), rootMax: 2 },
    { title: 'Evidence', items: own.map(toItem), rootMax: 5 },
    { title: 'How it unfolded', items: report.causal_chain.map(chainItem), rootMax: 4 },
    { title: 'Other explanations', items: report.alternatives.map(alternativeItem), rootMax: 3 },
    { title: 'Gaps', items: report.gaps.map((gap) => textItem('• ', gap)), rootMax: 3 },
    { title: 'Proposed actions (not executed)', items: report.action_plan.map(actionItem), rootMax: 4 },
    { title: 'Also looked at', items: others.map(toItem), rootMax: 0 },
  ].filter((group) => group.items.length > 0);
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
  return `${headline(content)}\n${data(`${lead}${report.summary}`, max - MAX_HEADER - 1)}`;
}

function evidenceItem(evidence: Report['evidence'][number], report: Report): Item {
  const day = report.incident.startsAt.slice(0, 10);
  const time = evidence.at && (evidence.at.startsWith(day) ? clock(evidence.at).slice(0, 12) : clock(evidence.at));
  const when = [evidence.relative, time].filter(Boolean).join(', ');
  const query = evidence.query === null ? undefined : code(evidence.query, 160);
  const source = link(evidence.link, query === undefined ? 'source' : 'query') ?? query;
  const tail = [when && `_${data(when, 100)}_`, source].filter(Boolean).join(' · ');
  return textItem(`• *${data(evidence.id, 10)}* ${evidence.kind}: `, evidence.statement, tail && ` — ${tail}`);
}

function chainItem(step: Report['causal_chain'][number], index: number): Item {
  const cited = step.evidence.length > 0 ? ` [${data(step.evidence.join(', '), 100)}]` : '';
  return textItem(`${index + 1}. ${code(step.service, 100)} `, step.statement, cited);
}

function alternativeItem(alternative: Report['alternatives'][number]): Item {
  const head = `• ${code(alternative.service, 100)} ${typeInWords(alternative.type)} (${alternative.confidence.toFixed(2)}): `;
  const sides = sidesInWords(alternative);
  return textItem(head, alternative.why_not, sides && ` [${data(sides, 100)}]`);
}

function actionItem(action: Report['action_plan'][number], index: number): Item {
  const approval = action.needs_approval ? `${action.risk}, needs approval` : action.risk;
  const command = action.command ? `\n     ${code(action.command, 600)}` : '';
  const rollback = action.rollback ? `\n     Undo: ${data(action.rollback, 300)}` : '';
  return textItem(`${index + 1}. `, `${action.step} — ${action.why}`, ` (${approval})${command}${rollback}`);
}

function textItem(head: string, text: string, tail = ''): Item {
  const shown = `${head}${data(text, MAX_STATEMENT)}${tail}`;
  return isCut(text, MAX_STATEMENT) ? { text: shown, full: text } : { text: shown };
}

function confidence(value: number): string {
  return `${confidenceInWords(value)} (${value.toFixed(2)})`;
}

function typeInWords(type: string): string {
  return type === 'none' || type === 'unknown' ? `cause ${type}` : type.replaceAll('_', ' ');
}

/** `14:03:07 UTC, 2026-11-20`: the day comes last because the reader is living it. */
function clock(iso: string): string {
  return `${iso.slice(11, 19)} UTC, ${iso.slice(0, 10)}`;
}
