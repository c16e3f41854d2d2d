import { namespaceOf } from '../../domain/labels.ts';
import type { Change } from '../../domain/telemetry.ts';
import type { IncidentModel } from '../incident-model.ts';
import type { Layer, LayerItem, StateFinding } from '../layers.ts';
import { indexCluster, type Cluster } from './cluster.ts';
import { isVital } from './components.ts';
import { lessen, weighConsequences } from './consequences.ts';
import { mergeEvents, placeEvents } from './merged-events.ts';
import { readChange, type ReadChange } from './read-changes.ts';
import { weighPlaces, type WeighPlace } from './places.ts';
import { judgeEvents, pruneEvents } from './read-events.ts';
import { readObjects } from './read-objects.ts';
import { findRecentObjects } from './recent-objects.ts';
import { findRollouts } from './rollouts.ts';
import { scopeAround, type Scope } from './scope.ts';

export interface StateReading {
  /** For the brief: pruned to the failing service's neighbourhood and the window, in call-chain order. */
  readonly layer: Layer;
  /** For the ranker: every service, every time, faded by age. */
  readonly findings: readonly StateFinding[];
  /** What the pruning left out, weightiest first, at most 300 items: not for the brief, but to be had when asked for (SPEC C5). */
  readonly left: readonly LayerItem[];
  /** Who calls the service, by the call graph and by what pods are configured with. */
  callers(service: string): ReadonlySet<string>;
}

const MAX_LEFT = 300;
/** From the first pod of a rollout to its last. */
const SAME_ROLLOUT_MS = 300_000;

/** Reads objects, events and changes. Pure; never throws, whatever the objects hold. */
export function readState(model: IncidentModel, options: { readonly eventWindowMs: number }): StateReading {
  const { telemetry, services, triggerMs } = model;
  const cluster = indexCluster(telemetry.objects, services, namespaceOf(model.incident.labels));
  const scope = scopeAround(services, cluster);
  const weighPlace = weighPlaces(cluster, services, model.incident, telemetry.events);

  const states = readObjects(cluster, { triggerMs, services }, weighPlace);
  const events = placeEvents(telemetry.events, cluster, services);
  const pruned = pruneEvents(events, scope, { triggerMs, windowMs: options.eventWindowMs, weighPlace });
  const changes = [...telemetry.changes, ...changesOfObjects(cluster, model)].map((change) =>
    readChange(change, services, triggerMs),
  );

  const [nearStates, farStates] = partition(states, (state) => state.severity > 0 && isInScope(state, scope));
  const [nearChanges, farChanges] = partition(changes, (change) => isRelated(change, scope));
  return {
    layer: {
      items: inCallChainOrder([...unique(nearStates), ...pruned.items, ...nearChanges.map(({ item }) => item)], scope),
      notes: notesOf(scope, pruned.excluded, farStates.length, farChanges.length),
    },
    findings: weighConsequences(
      [
        ...states,
        ...asShown(judgeEvents(mergeEvents(events), cluster, services, { triggerMs, weighPlace }), pruned.items),
        ...changes
          .flatMap(({ finding }) => finding ?? [])
          .map((finding) => lessen(finding, placeOfChange(finding, weighPlace))),
      ],
      cluster,
      services,
    )
      .filter(({ severity }) => severity > 0)
      .toSorted((a, b) => b.severity - a.severity),
    callers: (service) => cluster.calls.callers(service),
    left: [...pruned.left, ...unique(farStates), ...farChanges.map(({ item }) => item)]
      .toSorted((a, b) => b.weight - a.weight)
      .slice(0, MAX_LEFT),
  };
}

/** A rollout that a provider or its replica sets tell of needs no second telling. */
function changesOfObjects(cluster: Cluster, { telemetry, services, triggerMs }: IncidentModel): readonly Change[] {
  const given = telemetry.changes
    .filter(({ kind }) => kind.startsWith('rollout'))
    .map(({ service, timeMs }) => ({ service: service && services.canonical(service), timeMs }));
  const isGiven = (change: Change) =>
    given.some(
      ({ service, timeMs }) => service === change.service && Math.abs(timeMs - change.timeMs) < SAME_ROLLOUT_MS,
    );
  const rollouts = findRollouts(cluster, triggerMs);
  const told = new Set(rollouts.map(({ service }) => service));
  const others = findRecentObjects(cluster, triggerMs).filter(({ service }) => !told.has(service));
  return [...rollouts, ...others].filter((change) => !isGiven(change));
}

/** A change names a service and no namespace: where that is elsewhere is not known. */
function placeOfChange({ service }: StateFinding, weighPlace: WeighPlace): number {
  return weighPlace({ kind: 'Change', name: '', namespace: '', service });
}

function partition<T>(
  all: readonly T[],
  isNear: (one: T) => boolean,
): readonly [near: readonly T[], far: readonly T[]] {
  const near: T[] = [];
  const far: T[] = [];
  for (const one of all) (isNear(one) ? near : far).push(one);
  return [near, far];
}

/** A finding that the brief shows rests on what the brief shows: the records within the window. */
function asShown(findings: readonly StateFinding[], items: readonly LayerItem[]): readonly StateFinding[] {
  const shown = new Map(items.map((item) => [item.key, item.evidence]));
  return findings.map((finding) => ({ ...finding, evidence: shown.get(finding.key) ?? finding.evidence }));
}

function isInScope(state: StateFinding, scope: Scope): boolean {
  const [, node] = /^state:Node\/([^/]+)\//.exec(state.key) ?? [];
  return scope.hasService(state.service) || isVital(state.service) || (node !== undefined && scope.hasNode(node));
}

function isRelated({ item }: ReadChange, scope: Scope): boolean {
  return item.evidence.service === undefined || scope.reaches(item.evidence.service);
}

/** The failing service first, then what it calls, then what belongs to no service; within one, state before events, gravest first. */
function inCallChainOrder(items: readonly LayerItem[], scope: Scope): readonly LayerItem[] {
  const kinds = ['state', 'event', 'change'];
  return items.toSorted(
    (a, b) =>
      scope.position(a.evidence.service) - scope.position(b.evidence.service) ||
      byText(a.evidence.service ?? '', b.evidence.service ?? '') ||
      kinds.indexOf(a.evidence.kind) - kinds.indexOf(b.evidence.kind) ||
      b.weight - a.weight,
  );
}

/** By code units: the order of a locale differs from machine to machine. */
function byText(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}

/** A node's trouble is one item, however many services suffer from it. */
function unique(findings: readonly StateFinding[]): readonly LayerItem[] {
  const byKey = new Map<string, LayerItem>();
  for (const { key, evidence, weight } of findings) {
    const known = byKey.get(key);
    if (!known || known.weight < weight) byKey.set(key, { key, evidence, weight });
  }
  return [...byKey.values()];
}

function notesOf(
  scope: Scope,
  excludedEvents: ReadonlyMap<string, number>,
  otherStates: number,
  otherChanges: number,
): readonly string[] {
  const left = [
    ...[...excludedEvents].map(([why, count]) => counted(count, 'event', why)),
    ...(otherStates > 0 ? [counted(otherStates, 'condition', 'of unrelated services')] : []),
    ...(otherChanges > 0 ? [counted(otherChanges, 'change', 'of unrelated services')] : []),
  ];
  return [
    ...(scope.note === undefined ? [] : [scope.note]),
    ...(left.length > 0 ? [`Left out: ${left.join(', ')}.`] : []),
  ];
}

function counted(count: number, noun: string, why: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'} ${why}`;
}
