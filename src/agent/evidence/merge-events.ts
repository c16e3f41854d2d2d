import type { ClusterEvent } from '../../domain/telemetry.ts';
import { describeCommand } from '../../funnel/events/kubectl.ts';
import { workloadNameOf } from '../../funnel/events/ownership.ts';
import { withoutPodSuffix } from '../../funnel/services.ts';
import type { CitedLine } from './cited-line.ts';
import { isMoment, spanText } from './moments.ts';
import { normalizeLogMessage, VARIABLE } from './normalize-message.ts';

/** What every pod that starts says, one after the other: one line tells it. */
const START_UP: ReadonlySet<string> = new Set(
  (
    'SuccessfulCreate ExternalProvisioning Provisioning ProvisioningSucceeded Scheduled SuccessfulAttachVolume AddedInterface ' +
    'Pulling Pulled Created Started'
  ).split(' '),
);
/** More messages of one reason tell nothing new. */
const MESSAGES_SHOWN = 3;

/**
 * Cluster events by reason and object, with how often and when (the pods of one workload count as one object: they come and go under new names).
 * Warnings first, those nearest to the alert first, so that a cut takes the least telling.
 */
export function mergeEvents(events: readonly ClusterEvent[], triggerMs: number): readonly CitedLine[] {
  const groups = new Map<string, ClusterEvent[]>();
  for (const event of events) {
    const reason = isStartUp(event) ? 'start-up' : event.reason;
    const key = JSON.stringify([event.type, reason, event.objectKind, subjectOf(event), event.namespace ?? '']);
    const group = groups.get(key);
    if (group) group.push(event);
    else groups.set(key, [event]);
  }
  return [...groups]
    .map(([key, group]) => mergeGroup(key, group))
    .sort((a, b) => rank(a) - rank(b) || distance(a, triggerMs) - distance(b, triggerMs))
    .map((merged) => toLine(merged, triggerMs));
}

interface Merged {
  readonly key: string;
  readonly newest: ClusterEvent;
  /** Newest first, each once. */
  readonly objects: readonly string[];
  readonly reasons: readonly string[];
  readonly messages: readonly string[];
  readonly count: number;
  readonly firstMs: number | undefined;
  readonly lastMs: number | undefined;
}

/** Name of the workload of a pod, else of the object itself. */
function subjectOf({ objectKind, objectName }: ClusterEvent): string {
  return objectKind === 'Pod' ? withoutPodSuffix(objectName) : objectName;
}

function mergeGroup(key: string, group: readonly ClusterEvent[]): Merged {
  const time = ({ timeMs }: ClusterEvent) => (isMoment(timeMs) ? timeMs : -Infinity);
  const newestFirst = group.toSorted((a, b) => (time(a) === time(b) ? 0 : time(b) - time(a)));
  const [newest] = newestFirst as [ClusterEvent, ...ClusterEvent[]];
  const times = group.flatMap(({ timeMs, firstTimeMs }) => [timeMs, firstTimeMs]).filter(isMoment);
  const byWording = new Map<string, string>();
  for (const { message, objectName } of newestFirst) {
    const wording = normalizeLogMessage(objectName ? message.replaceAll(objectName, VARIABLE) : message);
    if (!byWording.has(wording)) byWording.set(wording, message);
  }
  return {
    key,
    newest,
    objects: [...new Set(newestFirst.map(({ objectName }) => objectName))],
    reasons: reasonsOf(group),
    messages: [...byWording.values()].filter(Boolean),
    count: group.reduce((sum, { count }) => sum + Math.max(1, count ?? 1), 0),
    firstMs: times.length > 0 ? Math.min(...times) : undefined,
    lastMs: times.length > 0 ? Math.max(...times) : undefined,
  };
}

/** The one reason, or those of a start in the order of one. */
function reasonsOf(group: readonly ClusterEvent[]): readonly string[] {
  const reasons = new Set(group.map(({ reason }) => reason));
  return reasons.size === 1 ? [...reasons] : [...START_UP].filter((reason) => reasons.has(reason));
}

const isNormal = ({ type }: ClusterEvent) => type.toLowerCase() === 'normal';
const isStartUp = (event: ClusterEvent) => isNormal(event) && START_UP.has(event.reason);

/** Warnings, what was done, what always happens. */
function rank({ newest }: Merged): number {
  if (!isNormal(newest)) return 0;
  return isStartUp(newest) ? 2 : 1;
}

/** From the alert to the span of the event; what has no time is far away. */
function distance({ firstMs, lastMs }: Merged, triggerMs: number): number {
  if (firstMs === undefined || lastMs === undefined) return Number.MAX_VALUE;
  return Math.max(0, firstMs - triggerMs, triggerMs - lastMs);
}

function toLine(merged: Merged, triggerMs: number): CitedLine {
  const { key, newest, objects, reasons, messages, count, firstMs, lastMs } = merged;
  const [object = ''] = objects;
  const { type, objectKind, namespace } = newest;
  const reason = reasons.join(', ');
  const others = objects.length > 1 ? ` and ${objects.length - 1} more` : '';
  const times = count > 1 ? ` × ${count}` : '';
  const when = spanText(firstMs ?? Number.NaN, lastMs ?? Number.NaN, triggerMs);
  const said = messagesText(messages, isStartUp(newest));
  const place = namespace ? ` in ${namespace}` : '';
  const query = describeCommand({ kind: objectKind, name: object, namespace: namespace ?? '' });
  return {
    key: `event:${key}:${count}:${firstMs}-${lastMs}`,
    draft: {
      kind: 'event',
      service: newest.service ?? serviceOf(newest),
      statement: `${type} ${reason}${times} on ${objectKind} ${object}${others}${place}, ${when}${said ? `: ${said}` : ''}`,
      atMs: lastMs,
      ...(query === undefined ? {} : { query }),
      numbers: [count],
    },
  };
}

/** Of a start-up only which image it was. */
function messagesText(messages: readonly string[], isStart: boolean): string {
  const telling = isStart ? messages.filter((message) => /image/i.test(message)).slice(0, 1) : messages;
  const more = telling.length - MESSAGES_SHOWN;
  return telling.slice(0, MESSAGES_SHOWN).join(' | ') + (more > 0 ? ` | ${more} more messages` : '');
}

/** A node's own events are about no service. */
function serviceOf(event: ClusterEvent): string | undefined {
  if (event.objectKind === 'Node' || event.objectName === '') return undefined;
  return workloadNameOf({ kind: event.objectKind, name: subjectOf(event) });
}
