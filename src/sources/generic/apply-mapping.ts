import type { Acknowledgement, Alert, Notification } from '../../domain/alert.ts';
import { PayloadError, type Reading } from '../source.ts';
import { clip } from '../../policy/untrusted.ts';
import { isState, type Field, type Mapping, type Mappings } from './mapping.ts';
import { parsePath, valuesAt, type Scope } from './paths.ts';
import { readField, unmappedText } from './read-field.ts';
import { readAlert, type MappedAlert, type MappingContext } from './read-alert.ts';

export interface Webhook {
  readonly body: unknown;
  readonly headers: Scope['headers'];
}

/** As many as intake tells apart; the rest is counted. */
const MAX_ALERTS = 20_000;
/** Values that are looked at for all alerts of a webhook: a hundred for each of so many, and a second of work at most. */
const MAX_EFFORT = 2_000_000;
const MAX_REMARKS = 10;

/**
 * What a webhook says, by the first mapping that fits. Throws `PayloadError` 422, which names the path, when none fits or what an alert needs
 * is not there. Of several alerts those that cannot be read are counted as cut off, as long as one can.
 */
export function applyMappings(mappings: Mappings, webhook: Webhook, context: MappingContext): Reading {
  const scope: Scope = { item: webhook.body, ...webhook, labels: {} };
  const mapping = mappings.find((candidate) => fits(candidate, scope));
  if (!mapping) return unmapped(mappings, scope);
  if (mapping.ignore !== undefined) return { kind: 'nothing', why: mapping.ignore };
  const items = itemsOf(mapping, scope);
  const read = readAll(mapping, items.slice(0, MAX_ALERTS), scope, context);
  const refused = read.flatMap((entry) => (entry instanceof PayloadError ? [entry] : []));
  const alerts = read.flatMap((entry) => (entry instanceof PayloadError ? [] : [entry]));
  if (alerts.length === 0 && refused[0]) throw refused[0];
  return toReading(alerts, {
    unread: items.length - alerts.length,
    deliveryId: readField(mapping.delivery_id, scope),
    context,
  });
}

/** Words that a `map` says nothing about, of a body that can be read: a status then counts as firing, a severity is taken as it is written. */
export function remarksOn(mappings: Mappings, webhook: Webhook): readonly string[] {
  const scope: Scope = { item: webhook.body, ...webhook, labels: {} };
  const mapping = mappings.find((candidate) => fits(candidate, scope));
  if (!mapping || mapping.ignore !== undefined) return [];
  const remarks = itemsOf(mapping, scope).flatMap((item) => {
    const told = (field: Field | undefined) => unmappedText(field, { ...scope, item }, mapping.missing);
    const status = told(mapping.status);
    const severity = told(mapping.severity);
    return [
      ...(status === undefined || isState(status)
        ? []
        : [`status: '${clip(status, 60)}' is not in map, and there is no otherwise: it is taken for firing`]),
      ...(severity === undefined ? [] : [`severity: '${clip(severity, 60)}' is not in map: it is taken as it is`]),
    ];
  });
  return [...new Set(remarks)].slice(0, MAX_REMARKS);
}

function fits({ when = {} }: Mapping, scope: Scope): boolean {
  return Object.entries(when).every(([path, values]) => textsAt(path, scope).some((text) => values.includes(text)));
}

function textsAt(text: string, scope: Scope): readonly string[] {
  const path = parsePath(text);
  const values = path ? valuesAt(path, scope) : [];
  return values.filter((value) => ['string', 'number', 'boolean'].includes(typeof value)).map(String);
}

/** A kind of message that nobody asked for is fine; one that does not say what it is cannot be read. */
function unmapped(mappings: Mappings, scope: Scope): Reading {
  const paths = [...new Set(mappings.flatMap(({ when }) => Object.keys(when ?? {})))];
  if (paths.some((path) => textsAt(path, scope).length > 0))
    return { kind: 'nothing', why: `no mapping is for what is at ${paths.join(', ')}` };
  throw new PayloadError(`when: nothing at ${paths.join(', ')}`, 422);
}

function itemsOf({ each }: Mapping, scope: Scope): readonly unknown[] {
  if (!each) return [scope.body];
  const lists = valuesAt(each, scope).filter((value) => Array.isArray(value));
  if (lists.length === 0) throw new PayloadError(`each: no list at ${each.text}`, 422);
  return lists.flat() as readonly unknown[];
}

/** Those that come after the effort is spent are left out, and count as cut off. */
function readAll(
  mapping: Mapping,
  items: readonly unknown[],
  scope: Scope,
  context: MappingContext,
): readonly (MappedAlert | PayloadError)[] {
  const effort = { left: MAX_EFFORT };
  const read: (MappedAlert | PayloadError)[] = [];
  for (const item of items) {
    if (effort.left <= 0) break;
    read.push(tryToRead(mapping, { ...scope, item, effort }, context));
  }
  return read;
}

function tryToRead(mapping: Mapping, scope: Scope, context: MappingContext): MappedAlert | PayloadError {
  try {
    return readAlert(mapping, scope, context);
  } catch (error) {
    if (error instanceof PayloadError) return error;
    throw error;
  }
}

interface Told {
  /** Alerts that could not be read, or were too many. */
  readonly unread: number;
  readonly deliveryId: string | undefined;
  readonly context: MappingContext;
}

/** Alerts go before who has taken them on: the receiver takes one or the other of a webhook. */
function toReading(read: readonly MappedAlert[], { unread, deliveryId, context }: Told): Reading {
  const alerts = read.flatMap((entry) => (entry.kind === 'alert' ? [entry.alert] : []));
  const [taken] = read.flatMap((entry): Acknowledgement[] =>
    entry.kind === 'acknowledged' ? [{ ...entry.acknowledgement, source: context.source }] : [],
  );
  if (alerts.length === 0 && taken) return { kind: 'acknowledged', acknowledgement: taken };
  if (alerts.length === 0 && read.length > 0) return { kind: 'nothing', why: 'its status is mapped to ignored' };
  const unknown = read.find((entry) => entry.kind === 'alert' && entry.unknownStatus !== undefined);
  return {
    kind: 'notification',
    ...(unknown?.kind === 'alert' && unknown.unknownStatus ? { unknownStatus: clip(unknown.unknownStatus, 60) } : {}),
    notification: {
      ...notificationOf(alerts, context.source),
      truncatedAlerts: unread,
      ...(deliveryId === undefined ? {} : { deliveryId }),
    },
  };
}

function notificationOf(alerts: readonly Alert[], source: string): Notification {
  const [first] = alerts;
  const isAlone = alerts.length === 1;
  return {
    source,
    receiver: source,
    groupKey: (isAlone && first?.fingerprint) || source,
    groupLabels: {},
    commonLabels: (isAlone && first?.labels) || {},
    commonAnnotations: (isAlone && first?.annotations) || {},
    externalUrl: first?.generatorUrl,
    truncatedAlerts: 0,
    alerts,
  };
}
