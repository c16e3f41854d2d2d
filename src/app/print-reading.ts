import type { Alert, Notification } from '../domain/alert.ts';
import type { Labels } from '../domain/labels.ts';
import { singleIncident } from '../intake/single-incident.ts';
import { clip, oneLine } from '../policy/untrusted.ts';
import type { Reading } from '../sources/source.ts';

const MAX_ALERTS = 10;
const MAX_VALUE = 300;

/** What a webhook says, for people: what would be investigated, then each alert. One line a fact, whatever the alert's text holds. */
export function printReading(reading: Reading): string {
  switch (reading.kind) {
    case 'nothing':
      return `accepted, and nothing is done: ${oneLine(reading.why)}\n`;
    case 'handshake':
      return 'accepted: a handshake, which a trial does not carry out\n';
    case 'acknowledged': {
      const { fingerprint, by, atMs } = reading.acknowledgement;
      return `acknowledged at ${iso(atMs)} by ${oneLine(by ?? 'somebody')}\n${row('identity', fingerprint)}\n`;
    }
    case 'notification':
      return printNotification(reading.notification);
  }
}

/** The same as data: times in ISO 8601, and no function. */
export function readingAsData(reading: Reading): unknown {
  switch (reading.kind) {
    case 'handshake':
      return { kind: reading.kind };
    case 'nothing':
      return reading;
    case 'acknowledged': {
      const { atMs, ...rest } = reading.acknowledgement;
      return { kind: reading.kind, acknowledgement: { ...rest, at: iso(atMs) } };
    }
    case 'notification':
      return {
        kind: reading.kind,
        notification: { ...reading.notification, alerts: reading.notification.alerts.map(alertAsData) },
      };
  }
}

function alertAsData({ startsAtMs, endsAtMs, ...alert }: Alert): unknown {
  return { ...alert, startsAt: iso(startsAtMs), ...(endsAtMs === undefined ? {} : { endsAt: iso(endsAtMs) }) };
}

function printNotification(notification: Notification): string {
  const { alerts, truncatedAlerts, deliveryId, source } = notification;
  const incident = singleIncident(notification, { source, scope: 'trial' });
  if (!incident) return 'accepted, and nothing is done: it holds no alert\n';
  const more = [
    ...(alerts.length > MAX_ALERTS ? [`${alerts.length - MAX_ALERTS} more alerts`] : []),
    ...(truncatedAlerts > 0 ? [`${truncatedAlerts} that could not be read or were cut off by the sender`] : []),
  ];
  const lines = [
    row('incident', incident.title),
    row('service', incident.service ?? '(no label names one)'),
    row('severity', incident.severity ?? '(none)'),
    row('link', incident.link ?? '(none)'),
    ...(deliveryId === undefined ? [] : [row('delivery', deliveryId)]),
    ...alerts.slice(0, MAX_ALERTS).flatMap((alert, index) => alertLines(alert, index + 1)),
    ...more,
  ];
  return `${lines.join('\n')}\n`;
}

function alertLines(alert: Alert, number: number): readonly string[] {
  return [
    '',
    row(`alert ${number}`, stateOf(alert)),
    row('  identity', alert.fingerprint),
    ...pairs('label', alert.labels),
    ...pairs('annotation', alert.annotations),
  ];
}

function stateOf({ status, startsAtMs, startsAtReceipt, endsAtMs }: Alert): string {
  const began = iso(startsAtMs);
  if (status === 'firing') {
    return `firing since ${began}${startsAtReceipt ? ', or the start of the occurrence that is open' : ''}`;
  }
  const ended = endsAtMs === undefined ? '' : ` ${iso(endsAtMs)}`;
  return startsAtReceipt ? `resolved${ended}: the occurrence that is open` : `resolved${ended}: the one since ${began}`;
}

function pairs(kind: string, labels: Labels): readonly string[] {
  return Object.entries(labels).map(([name, value]) => row(`  ${kind}`, `${name}=${value}`));
}

function row(name: string, value: string): string {
  return `${name.padEnd(13)} ${clip(oneLine(value), MAX_VALUE)}`;
}

function iso(timeMs: number): string {
  return new Date(timeMs).toISOString();
}
