import type { EvidenceDraft } from '../../domain/evidence.ts';
import { duration } from '../../domain/relative-time.ts';
import type { ClusterEvent } from '../../domain/telemetry.ts';
import { oneLine } from '../../policy/untrusted.ts';
import type { LayerItem, StateFinding } from '../layers.ts';
import type { ServiceMap } from '../services.ts';
import type { Cluster } from './cluster.ts';
import { textAt } from './json-path.ts';
import { describeCommand } from './kubectl.ts';
import { mergeEvents, type MergedEvent, type PlacedEvent } from './merged-events.ts';
import { conditionOf } from './objects/pod-life.ts';
import type { WeighPlace } from './places.ts';
import { withoutPreemption } from './scheduler-words.ts';
import type { Scope } from './scope.ts';
import { failingWebhook } from './webhooks.ts';
import { judgeWarning, type Judgement } from './severities.ts';

const MINUTE_MS = 60_000;
/** What was already so this long before the alert hardly caused it. */
const CHRONIC_AGE_MS = 15 * MINUTE_MS;
const CHRONIC_FACTOR = 0.5;
/** Weight of an event that tells of the life of an object but of no problem. */
const PLAIN_WEIGHT = 0.1;

/** Events of type Normal that tell of the life of an object; the others (Pulling, LeaderElection, Sync, …) are routine. */
const LIFECYCLE =
  /^(Created|Started|Killing|Scheduled|ScalingReplicaSet|Successful(Create|Delete|Rescale)|Preempt\w*|Evicted|Rebooted|Starting|NodeReady|NodeNotReady|NodeSchedulable|NodeNotSchedulable|RegisteredNode|RemovingNode|TaintManagerEviction|SuccessfulAttachVolume|Completed|SawCompletedJob|Restarted|Updated)$/;

/** Polarity first: what a Normal event reports went as planned, unless the plan was to stop the workload. */
export function judgeEvent(event: Pick<MergedEvent, 'type' | 'reason' | 'message'>): Judgement | undefined {
  if (event.type.toLowerCase() === 'warning') return judgeWarning(event.reason, event.message);
  if (event.reason === 'ScalingReplicaSet' && /scaled down .*\bto 0\b(?! from 0)/i.test(event.message)) {
    return { severity: 0.3, type: 'deployment_change' };
  }
  if (event.reason === 'Killing' && /(liveness|startup) probe/i.test(event.message)) {
    return { severity: 0.7, type: 'probe_failure' };
  }
  if (event.reason === 'Killing') return { severity: 0.25, type: 'unknown' };
  return NORMAL_TROUBLE.get(event.reason);
}

/** What a kubelet or the node controller reports as Normal although it is trouble. */
const NORMAL_TROUBLE: ReadonlyMap<string, Judgement> = new Map([
  ['NodeNotReady', { severity: 0.9, type: 'node_failure' }],
  ['NodeHasDiskPressure', { severity: 0.85, type: 'disk_full' }],
  ['NodeHasInsufficientMemory', { severity: 0.85, type: 'memory_exhaustion' }],
  ['NodeHasInsufficientPID', { severity: 0.8, type: 'node_failure' }],
  ['NodeNotSchedulable', { severity: 0.5, type: 'scheduling' }],
  ['TaintManagerEviction', { severity: 0.6, type: 'node_failure' }],
  ['RemovingNode', { severity: 0.8, type: 'node_failure' }],
]);

/** A node's trouble explains what its services suffer. */
const GUEST_FACTOR = 0.55;
/** What the newest state contradicts is over. */
const OVER_FACTOR = 0.3;

/** Findings for the ranker: all services, faded by distance in time, halved when the reason is known from long before the alert. */
export function judgeEvents(
  events: readonly MergedEvent[],
  cluster: Cluster,
  services: ServiceMap,
  { triggerMs, weighPlace }: { readonly triggerMs: number; readonly weighPlace: WeighPlace },
): readonly StateFinding[] {
  return events.flatMap((event) => {
    const judgement = judgeEvent(event);
    if (!judgement) return [];
    const chronic = triggerMs - event.firstMs > CHRONIC_AGE_MS ? CHRONIC_FACTOR : 1;
    const over = isOver(event, cluster) ? OVER_FACTOR : 1;
    const faded = isStillRefused(event, cluster) ? 1 : fade(event.lastMs, triggerMs);
    const severity = judgement.severity * faded * chronic * over;
    return concernedBy(event, cluster, services).map(({ service, share }) => ({
      ...toItem(event),
      weight: severity * share,
      service,
      severity: severity * share * weighPlace({ ...event, service }),
      rootCauseType: judgement.type,
    }));
  });
}

/** A set of pods that the API server still refuses: `kubectl describe` prints the condition, its message only stands in the event. */
function isStillRefused({ kind, namespace, name, reason }: MergedEvent, cluster: Cluster): boolean {
  const object = reason === 'FailedCreate' ? cluster.find(kind, namespace, name) : undefined;
  return object !== undefined && textAt(conditionOf(object, 'ReplicaFailure'), 'status') === 'True';
}

/** A pod event is over when all pods of its service are ready; not what repeats although they are, as a liveness probe does. */
function isOver(event: MergedEvent, cluster: Cluster): boolean {
  const isOfPods = ['Pod', 'ReplicaSet', 'Deployment', 'StatefulSet', 'Job'].includes(event.kind);
  if (!isOfPods || event.service === undefined || !cluster.isServing(event.service)) return false;
  return !(event.count > 2 && /liveness|oom/i.test(event.message));
}

interface Concerned {
  readonly service: string;
  /** Part of the severity that falls to it. */
  readonly share: number;
}

/** A node's events concern the node, and less what runs on it; so does a pod's event that tells of its node; a webhook's failure the webhook. */
function concernedBy(event: MergedEvent, cluster: Cluster, services: ServiceMap): readonly Concerned[] {
  const webhook = failingWebhook(event.message);
  if (webhook !== undefined && event.service !== undefined) {
    return [
      { service: services.canonical(webhook), share: 1 },
      { service: event.service, share: 1 },
    ];
  }
  const node = event.service === undefined ? event.node : nodeBehind(event, cluster);
  const guests =
    event.service === undefined ? cluster.podsOnNode(node ?? '').map((pod) => pod.service) : [event.service];
  return [
    ...(node ? [{ service: node, share: 1 }] : []),
    ...[...new Set(guests)].map((service) => ({ service, share: node ? GUEST_FACTOR : 1 })),
  ];
}

/** A kubelet that ran short drives pods away in these words; a preemption has others. */
const OF_ITS_NODE = /low on resource|node had condition/i;

function nodeBehind(event: MergedEvent, cluster: Cluster): string | undefined {
  const isEviction = event.reason === 'Evicted' && OF_ITS_NODE.test(event.message);
  if (event.reason !== 'NodeNotReady' && !isEviction) return undefined;
  if (isEviction && event.node !== undefined) return event.node;
  return event.objects
    .map((name) => textAt(cluster.find('Pod', event.namespace, name)?.body, 'spec', 'nodeName'))
    .find((name) => name !== undefined);
}

function fade(atMs: number, triggerMs: number): number {
  const ageMs = triggerMs - atMs;
  if (Number.isNaN(ageMs)) return 0.6;
  if (ageMs > 60 * MINUTE_MS || ageMs < -15 * MINUTE_MS) return 0.3;
  return ageMs > 15 * MINUTE_MS ? 0.6 : 1;
}

export interface PrunedEvents {
  readonly items: readonly LayerItem[];
  /** What was left out, merged in the same way; under a key of its own where the brief shows others of its kind. */
  readonly left: readonly LayerItem[];
  /** Records left out, by reason. */
  readonly excluded: ReadonlyMap<string, number>;
}

interface Pruning {
  readonly triggerMs: number;
  readonly windowMs: number;
  readonly weighPlace: WeighPlace;
}

/**
 * The brief's events (SPEC C4, C5): in scope, Lifecycle or Warning, within the window; weight falls with distance in time. Records are
 * judged one by one before they are merged, so that an old one cannot ride on a new one of its kind.
 */
export function pruneEvents(
  placed: readonly PlacedEvent[],
  scope: Scope,
  { triggerMs, windowMs, weighPlace }: Pruning,
): PrunedEvents {
  const excluded = new Map<string, number>();
  const kept: PlacedEvent[] = [];
  const left: PlacedEvent[] = [];
  for (const record of placed) {
    const why = exclusion(record, scope, { triggerMs, windowMs, weighPlace });
    (why === undefined ? kept : left).push(record);
    if (why !== undefined) excluded.set(why, (excluded.get(why) ?? 0) + 1);
  }
  const weigh = (event: MergedEvent): LayerItem => ({ ...toItem(event), weight: weightOf(event, triggerMs, windowMs) });
  const items = mergeEvents(kept).map(weigh);
  const shown = new Set(items.map(({ key }) => key));
  const beside = (item: LayerItem): LayerItem =>
    shown.has(item.key) ? { ...item, key: `${item.key}/left out` } : item;
  return { items, left: mergeEvents(left).map((event) => beside(weigh(event))), excluded };
}

/** A node's own event, of a node that the alert has to do with. */
function isOfNear({ objectKind: kind, objectName: name }: ClusterEvent, scope: Scope, weighPlace: WeighPlace): boolean {
  return scope.hasNode(name) && weighPlace({ kind, name, namespace: '', service: name }) > 0;
}

function exclusion(
  { event, service }: PlacedEvent,
  scope: Scope,
  { triggerMs, windowMs, weighPlace }: Pruning,
): string | undefined {
  const isInScope = service === undefined ? isOfNear(event, scope, weighPlace) : scope.hasService(service);
  if (!isInScope) return 'of unrelated services';
  if (event.type.toLowerCase() === 'normal' && !LIFECYCLE.test(event.reason)) return 'of routine kinds';
  if (Number.isNaN(event.timeMs)) return 'without a time';
  const span = { firstMs: event.firstTimeMs ?? event.timeMs, lastMs: event.timeMs };
  if (distanceMs(span, triggerMs) > windowMs) return `outside ${Math.round(windowMs / 1000)} s of the alert`;
  return undefined;
}

/** From the trigger to the span from first to last occurrence; 0 inside it. */
function distanceMs({ firstMs, lastMs }: Pick<MergedEvent, 'firstMs' | 'lastMs'>, triggerMs: number): number {
  return Math.max(0, firstMs - triggerMs, triggerMs - lastMs);
}

function weightOf(event: MergedEvent, triggerMs: number, windowMs: number): number {
  const severity = judgeEvent(event)?.severity ?? PLAIN_WEIGHT;
  if (Number.isNaN(event.lastMs)) return 0;
  const decay = 2 ** (-2 * (distanceMs(event, triggerMs) / Math.max(1, windowMs)));
  return severity * decay;
}

function toItem(event: MergedEvent): Omit<LayerItem, 'weight'> {
  return { key: keyOf(event), evidence: evidenceOf(event) };
}

const keyOf = ({ kind, namespace, name, reason }: MergedEvent) =>
  `event:${[kind, ...(namespace ? [namespace] : []), name, reason].join('/')}`;

function evidenceOf(event: MergedEvent): EvidenceDraft {
  const [object = event.name] = event.objects;
  const others = event.objects.length > 1 ? ` and ${event.objects.length - 1} more` : '';
  const times = event.count > 1 ? ` × ${event.count}` : '';
  const span = event.lastMs - event.firstMs >= 1000 ? ` over ${duration(event.lastMs - event.firstMs)}` : '';
  const query = describeCommand({ kind: event.kind, name: object, namespace: event.namespace });
  const message = event.message ? `: ${withoutPreemption(event.message)}` : '';
  return {
    kind: 'event',
    service: event.service,
    ...(event.namespace === '' ? {} : { namespace: event.namespace }),
    statement: oneLine(`${event.type} ${event.reason}${times}${span} on ${event.kind} ${object}${others}${message}`),
    atMs: Number.isNaN(event.lastMs) ? undefined : event.lastMs,
    ...(query === undefined ? {} : { query }),
    ...(event.count > 1 ? { numbers: [event.count] } : {}),
  };
}
