import { hash } from 'node:crypto';
import type { Alert, Notification } from '../domain/alert.ts';
import type { Labels } from '../domain/labels.ts';
import type { Redactor } from '../policy/redact.ts';
import { clip, oneLine } from '../policy/untrusted.ts';
import type { Admission, AlertClaim, IncidentHeader } from './admission.ts';
import { alertName, severityRank } from './alert-name.ts';
import { incidentLink } from './incident-link.ts';

/** Alerts kept whole in one incident; the others are counted. */
export const MAX_KEPT_ALERTS = 50;
/** Alerts of one notification that are told apart: they are decided in one call, and Redis does nothing else meanwhile. */
export const MAX_CLAIMS = 20_000;
const MAX_LABELS = 64;
const MAX_NAME_LENGTH = 200;
const MAX_LABEL_LENGTH = 1000;
const MAX_ANNOTATION_LENGTH = 4000;
const MAX_LINK_LENGTH = 4000;
/** How many times the kept length is looked at for secrets: half of one at the cut would match no rule. */
const REDACT_AHEAD = 4;

type Redact = Redactor['redact'];
/** What looks at whatever is stored. */
export type Redaction = Pick<Redactor, 'redact' | 'mayChangeAny'>;
/** Where nothing is stored. */
export const NOTHING_REDACTED: Redaction = { redact: (text) => text, mayChangeAny: () => false };

/**
 * What the store is asked to admit: every alert's identity, and the most telling alerts themselves, redacted and cut to size. Identities
 * are made of what was received, so that a secret in an alert changes none.
 */
export function toAdmission(notification: Notification, redaction: Redaction): Admission {
  const { source, deliveryId } = notification;
  const told = eachOnce(tellingFirst(notification.alerts));
  const { header, headerJson, alerts } = keep(notification, told.slice(0, MAX_KEPT_ALERTS), redaction);
  const claims = told.slice(0, MAX_CLAIMS).map((alert, position): AlertClaim => {
    const { status, startsAtMs } = alert;
    const kept = alerts[position] ?? NOT_KEPT;
    const key = alertKey(source, alert.fingerprint);
    const claim = { key, status, startsAtMs, alert: kept.alert, alertJson: kept.alertJson };
    return alert.startsAtReceipt ? { ...claim, startsAtReceipt: true } : claim;
  });
  return {
    header,
    headerJson,
    // The rest counts like what the sender itself has cut off.
    truncatedAlerts: notification.truncatedAlerts + told.length - claims.length,
    claims,
    ...(deliveryId === undefined ? {} : { deliveryId }),
  };
}

/** Of a person, as the sender calls him. */
export function trimName(name: string, redact: Redact): string {
  return clip(oneLine(redact(name.slice(0, REDACT_AHEAD * MAX_NAME_LENGTH))), MAX_NAME_LENGTH);
}

/** Identity of an alert over all its occurrences. The group key is no part of it: it changes with the sender's routing configuration. */
export function alertKey(source: string, fingerprint: string): string {
  const identity = JSON.stringify([source, fingerprint]);
  return hash('sha256', identity, 'hex').slice(0, 24);
}

/**
 * Firing before resolved, then severe, then early; but one of every alert name before the second of any, so that what is cut off is
 * more of the same. The order depends on the alerts alone: every peer's copy gives the same.
 */
function tellingFirst(alerts: readonly Alert[]): readonly Alert[] {
  if (alerts.length < 2) return alerts;
  const sorted = alerts.toSorted(
    (a, b) =>
      Number(a.status === 'resolved') - Number(b.status === 'resolved') ||
      severityRank(a) - severityRank(b) ||
      a.startsAtMs - b.startsAtMs ||
      (a.fingerprint < b.fingerprint ? -1 : 1),
  );
  const seen = new Set<string>();
  const first: Alert[] = [];
  const rest: Alert[] = [];
  for (const alert of sorted) {
    const name = `${alert.status} ${alertName(alert) ?? ''}`;
    (seen.has(name) ? rest : first).push(alert);
    seen.add(name);
  }
  return [...first, ...rest];
}

function eachOnce(alerts: readonly Alert[]): readonly Alert[] {
  if (alerts.length < 2) return alerts;
  const byOccurrence = new Map<string, Alert>();
  for (const alert of alerts) {
    const occurrence = `${alert.startsAtMs} ${alert.fingerprint}`;
    if (!byOccurrence.has(occurrence)) byOccurrence.set(occurrence, alert);
  }
  return byOccurrence.size === alerts.length ? alerts : [...byOccurrence.values()];
}

interface KeptAlert {
  readonly alert: Alert;
  readonly alertJson: string;
}
const NOT_KEPT = { alert: undefined, alertJson: undefined };
/** A lone half of a surrogate pair as JSON writes it. */
const LONE_SURROGATE = '\\ud';

interface Kept extends Pick<Admission, 'header' | 'headerJson'> {
  readonly alerts: readonly KeptAlert[];
}

function keep(notification: Notification, alerts: readonly Alert[], redaction: Redaction): Kept {
  const { source, receiver, groupLabels } = notification;
  const header: IncidentHeader = { source, receiver, groupLabels, link: incidentLink(notification) };
  const whole = alerts.map(writeWhole);
  return keepWhole(header, whole, redaction) ?? trim(header, alerts, whole, redaction.redact);
}

/** All of it untouched, where nothing has to be cut or masked: most notifications are like that. It is then written once, and looked at once. */
function keepWhole(
  header: IncidentHeader,
  alerts: readonly (KeptAlert | undefined)[],
  { mayChangeAny }: Redaction,
): Kept | undefined {
  const { receiver, groupLabels, link = '' } = header;
  if (receiver.length > MAX_LABEL_LENGTH || !fits(groupLabels, MAX_LABEL_LENGTH)) return undefined;
  if (!alerts.every((one) => one !== undefined)) return undefined;
  const headerJson = JSON.stringify(header);
  const texts = [headerJson, receiver, link];
  // Some senders' keys are made of what they watch, passwords in addresses included: they are looked at for themselves, too.
  for (const { alert, alertJson } of alerts) texts.push(alertJson, alert.fingerprint);
  if (texts.some((text) => text.includes(LONE_SURROGATE)) || mayChangeAny(texts)) return undefined;
  return { header, headerJson, alerts };
}

function trim(
  { source, receiver, groupLabels, link }: IncidentHeader,
  alerts: readonly Alert[],
  whole: readonly (KeptAlert | undefined)[],
  redact: Redact,
): Kept {
  const header: IncidentHeader = {
    source,
    receiver: clip(redact(receiver.slice(0, REDACT_AHEAD * MAX_LABEL_LENGTH)), MAX_LABEL_LENGTH),
    groupLabels: trimLabels(groupLabels, redact),
    // Addresses carry tokens: of dashboards that are shared, of rules, of whoever asked.
    link: link === undefined ? undefined : redact(link),
  };
  return {
    header,
    headerJson: JSON.stringify(header),
    alerts: alerts.map((alert, at) => unlessMasked(whole[at], redact) ?? trimAlert(alert, redact)),
  };
}

/** Undefined where something has to be cut. */
function writeWhole(alert: Alert): KeptAlert | undefined {
  const isSmall =
    fits(alert.labels, MAX_LABEL_LENGTH) &&
    fits(alert.annotations, MAX_ANNOTATION_LENGTH) &&
    (alert.generatorUrl?.length ?? 0) <= MAX_LINK_LENGTH &&
    alert.fingerprint.length <= MAX_NAME_LENGTH;
  return isSmall ? { alert, alertJson: JSON.stringify(alert) } : undefined;
}

/** Undefined where something has to be masked. */
function unlessMasked(whole: KeptAlert | undefined, redact: Redact): KeptAlert | undefined {
  if (whole === undefined) return undefined;
  const { fingerprint } = whole.alert;
  return isClean(whole.alertJson, redact) && redact(fingerprint) === fingerprint ? whole : undefined;
}

function isClean(json: string, redact: Redact): boolean {
  return !json.includes(LONE_SURROGATE) && redact(json) === json;
}

function trimAlert(alert: Alert, redact: Redact): KeptAlert {
  const { generatorUrl } = alert;
  const told = redactJson(
    {
      labels: readAhead(alert.labels, MAX_LABEL_LENGTH),
      annotations: readAhead(alert.annotations, MAX_ANNOTATION_LENGTH),
      // Half a URL is none: its expression would be another one.
      generatorUrl: generatorUrl && generatorUrl.length <= MAX_LINK_LENGTH ? generatorUrl : undefined,
    },
    redact,
  );
  const trimmed: Alert = {
    ...alert,
    labels: cut(told.labels, MAX_LABEL_LENGTH),
    annotations: cut(told.annotations, MAX_ANNOTATION_LENGTH),
    generatorUrl: told.generatorUrl,
    fingerprint: clip(redact(alert.fingerprint.slice(0, REDACT_AHEAD * MAX_NAME_LENGTH)), MAX_NAME_LENGTH),
  };
  return { alert: trimmed, alertJson: JSON.stringify(trimmed) };
}

function fits(labels: Labels, maxLength: number): boolean {
  let count = 0;
  for (const name in labels) {
    count += 1;
    if (count > MAX_LABELS || name.length > MAX_NAME_LENGTH || (labels[name]?.length ?? 0) > maxLength) return false;
  }
  return true;
}

function trimLabels(labels: Labels, redact: Redact): Labels {
  if (fits(labels, MAX_LABEL_LENGTH) && isClean(JSON.stringify(labels), redact)) return labels;
  return cut(redactJson(readAhead(labels, MAX_LABEL_LENGTH), redact), MAX_LABEL_LENGTH);
}

/** As one JSON text, because a name tells whether its value is a secret. Most alerts hold none and are not read back. */
function redactJson<T>(value: T, redact: Redact): T {
  const json = JSON.stringify(value);
  const redacted = redact(json);
  return redacted === json ? value : (JSON.parse(redacted) as T);
}

function readAhead(labels: Labels, maxLength: number): Labels {
  const entries = Object.entries(labels).slice(0, MAX_LABELS);
  return Object.fromEntries(
    entries.map(([name, value]) => [clip(name, MAX_NAME_LENGTH), value.slice(0, REDACT_AHEAD * maxLength)]),
  );
}

function cut(labels: Labels, maxLength: number): Labels {
  return Object.fromEntries(Object.entries(labels).map(([name, value]) => [name, clip(value, maxLength)]));
}
