import { durationMs, type ProbeOf } from '../../domain/probe.ts';
import type { KubernetesObject } from '../../domain/telemetry.ts';
import { kindOf, nameOf, namespaceOf } from '../events/identity.ts';
import { describeAnyKind } from '../events/kubectl.ts';
import { ownerReferences, workloadNameOf } from '../events/ownership.ts';
import { withoutPodSuffix } from '../services.ts';
import { fulfils } from './conditions.ts';
import type { Sighting } from './finding.ts';
import { STATES } from './states/index.ts';
import type { ShownState, StateOptions } from './states/state-rule.ts';
import type { Judged } from './verdict.ts';

type ObjectsProbe = ProbeOf<'objects'>;

/** Kinds that a probe is about, as the API spells them. */
export function kindsOf(probe: ObjectsProbe): readonly string[] {
  return probe.state === undefined ? [probe.object ?? ''] : STATES[probe.state].kinds;
}

/** Which objects are in the state, or fulfil every condition. `objects` are all of the kinds. */
export function judgeObjects(probe: ObjectsProbe, objects: readonly KubernetesObject[], nowMs: number): Judged {
  const { state, where = [] } = probe;
  const lengthOf = (text: string | undefined) => (text === undefined ? undefined : durationMs(text));
  const options: StateOptions = {
    nowMs,
    forMs: lengthOf(probe.for),
    withinMs: lengthOf(probe.within),
    above: probe.above,
  };
  const rule = state === undefined ? undefined : STATES[state];
  const limit = rule?.limit ?? 'none like it';
  const seen = objects.flatMap((object) => {
    const shown = rule ? rule.judge(object, options, objects) : matchAll(object, where, nowMs);
    return shown ? [sight(object, shown, limit)] : [];
  });
  return { lookedAt: objects.length, seen };
}

function matchAll(
  object: KubernetesObject,
  where: NonNullable<ObjectsProbe['where']>,
  nowMs: number,
): ShownState | undefined {
  if (!where.every((condition) => fulfils(object, condition, nowMs))) return undefined;
  const fields = where.map(({ field, ...tests }) => `${field} ${testInWords(tests)}`).join(', ');
  return { what: `has ${fields}`, value: fields, sinceMs: undefined };
}

function testInWords(tests: Readonly<Record<string, unknown>>): string {
  return Object.entries(tests)
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => `${name} ${String(value)}`)
    .join(' ');
}

function sight(object: KubernetesObject, shown: ShownState, limit: string): Sighting {
  const [kind, name, namespace] = [kindOf(object), nameOf(object), namespaceOf(object)];
  const workload = workloadOf(object);
  const place = namespace === '' ? workload : `${namespace}/${workload}`;
  const query = describeAnyKind({ kind, name, namespace });
  return {
    service: workload,
    object: `${kind === 'Pod' ? '' : `${kind} `}${place}`,
    instance: name === workload ? undefined : name,
    value: shown.value,
    limit,
    what: shown.what,
    weight: shown.weight ?? 1,
    sinceMs: shown.sinceMs,
    type: shown.type,
    evidence: {
      kind: 'state',
      atMs: shown.sinceMs,
      ...(query === undefined ? {} : { query }),
      ...(shown.numbers ? { numbers: shown.numbers } : {}),
    },
  };
}

/** The workload that a pod or replica set belongs to, the schedule of a job; else the object itself. */
export function workloadOf(object: KubernetesObject): string {
  const [owner] = ownerReferences(object);
  if (owner && owner.kind !== 'Node') return workloadNameOf(owner);
  return kindOf(object) === 'Pod' ? withoutPodSuffix(nameOf(object)) : nameOf(object);
}
