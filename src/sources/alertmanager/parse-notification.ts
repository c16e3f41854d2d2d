import { hash } from 'node:crypto';
import type { Alert, AlertStatus, Notification } from '../../domain/alert.ts';
import type { Labels } from '../../domain/labels.ts';
import { parseInWords, type Mistake } from '../../policy/explain-issues.ts';
import { PayloadError } from '../source.ts';
import { Payload, type PayloadAlert } from './payload.ts';
import { unquoteReceiver } from './receiver-name.ts';
import { parseRfc3339 } from './rfc3339.ts';
import { readUsual } from './usual-body.ts';

/**
 * Reads one webhook body of Alertmanager, or of a product that speaks its format. The `version` field is not judged: others send
 * the same shape under other numbers. Throws `PayloadError` when the shape cannot be read.
 */
export function parseNotification(body: unknown): Notification {
  return readUsual(body) ?? readOdd(body);
}

/** Reads whatever can be read, and says why the rest cannot. */
export function readOdd(body: unknown): Notification {
  const parsed = parseInWords(Payload, body);
  if ('mistakes' in parsed) throw new PayloadError(explain(body, parsed.mistakes));
  const payload = parsed.data;
  const groupStatus = statusOf(payload.status) ?? 'firing';
  return {
    source: 'alertmanager',
    receiver: unquoteReceiver(textOf(payload.receiver)),
    groupKey: textOf(payload.groupKey),
    groupLabels: labelsOf(payload.groupLabels),
    commonLabels: labelsOf(payload.commonLabels),
    commonAnnotations: labelsOf(payload.commonAnnotations),
    externalUrl: textOf(payload.externalURL) || undefined,
    truncatedAlerts: payload.truncatedAlerts ?? 0,
    alerts: payload.alerts.map((alert, index) => parseAlert(alert, index, groupStatus)),
  };
}

function parseAlert(alert: PayloadAlert, index: number, groupStatus: AlertStatus): Alert {
  const startsAtMs = parseRfc3339(alert.startsAt);
  if (startsAtMs === undefined) throw new PayloadError(`alerts[${index}].startsAt is not an RFC 3339 time`);
  const status = statusOf(alert.status) ?? groupStatus;
  const labels = labelsOf(alert.labels);
  return {
    status,
    labels,
    annotations: labelsOf(alert.annotations),
    startsAtMs,
    endsAtMs: status === 'resolved' ? parseRfc3339(textOf(alert.endsAt)) : undefined,
    generatorUrl: textOf(alert.generatorURL) || undefined,
    fingerprint: textOf(alert.fingerprint) || hashLabels(labels),
  };
}

function statusOf(value: string | number | null | undefined): AlertStatus | undefined {
  const status = textOf(value).toLowerCase();
  return status === 'firing' || status === 'resolved' ? status : undefined;
}

function textOf(value: string | number | null | undefined): string {
  return value === undefined || value === null ? '' : String(value);
}

/** Numbers and booleans become text; what is no scalar is left out: it would only read `[object Object]`. */
function labelsOf(map: Readonly<Record<string, unknown>> | null | undefined): Labels {
  const labels: Record<string, string> = {};
  for (const [name, value] of Object.entries(map ?? {})) {
    if (typeof value === 'string') labels[name] = value;
    else if (typeof value === 'number' || typeof value === 'boolean') labels[name] = String(value);
  }
  return labels;
}

/** Stands in for the fingerprint that senders before 0.19 do not give: the same labels give the same text. */
function hashLabels(labels: Labels): string {
  const sorted = Object.entries(labels).toSorted(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0));
  return hash('sha256', JSON.stringify(sorted), 'hex').slice(0, 16);
}

function explain(body: unknown, mistakes: readonly Mistake[]): string {
  const where = mistakes
    .slice(0, 3)
    .map(({ path, message }) => `${path.length ? formatPath(path) : 'the body'} ${message}`);
  const version = body instanceof Object && 'version' in body ? body.version : undefined;
  const hint =
    typeof version === 'string' && version !== '4' && version.length < 20
      ? ` (the body says version "${version.replace(/[^\w.-]/g, '?')}"; version "4" is known to work)`
      : '';
  return `not an Alertmanager notification${hint}: ${where.join('; ')}`;
}

/** `alerts[3].startsAt` */
function formatPath(path: readonly PropertyKey[]): string {
  return path
    .map((part, at) => (typeof part === 'number' ? `[${part}]` : at ? `.${String(part)}` : String(part)))
    .join('');
}
