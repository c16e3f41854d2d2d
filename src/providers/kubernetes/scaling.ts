import type { ClusterEvent } from '../../domain/telemetry.ts';
import { namespaceOf, nameOf } from '../../funnel/events/identity.ts';
import { timeAt } from '../../funnel/events/json-path.ts';
import { AUTOSCALER, type Edit } from './edits.ts';
import type { ReadObject } from './listing.ts';
import type { Act } from './rollouts.ts';

/** `Scaled up replica set web-7d9 from 1 to 6`; older controllers say `to 6 from 1`. */
const SCALED = /^Scaled (?:up|down) replica set (\S{1,253}) (?:from (\d+) to (\d+)|to (\d+) from (\d+))$/;
/** A rollout scales one set up and another down within this time. */
const ONE_ROLLOUT_MS = 600_000;
/** A new set begins with its first pods. */
const CREATION_MS = 10_000;
const SAME_WRITE_MS = 10_000;

interface Scaled {
  readonly event: ClusterEvent;
  readonly set: string;
  readonly from: string;
  readonly to: string;
}

/** Deployments that were made larger or smaller, out of what their controller reported; not the steps of a rollout. */
export function findScaling(
  events: readonly ClusterEvent[],
  objects: readonly ReadObject[],
  workloads: ReadonlyMap<string, ReadObject>,
): readonly Act[] {
  const all = events.flatMap((event): readonly Scaled[] => {
    const [, set, from, to, toFirst, fromLast] =
      event.reason === 'ScalingReplicaSet' ? (SCALED.exec(event.message) ?? []) : [];
    return set === undefined ? [] : [{ event, set, from: from ?? fromLast ?? '?', to: to ?? toFirst ?? '?' }];
  });
  const createdMs = new Map(
    objects
      .filter(({ object }) => object['kind'] === 'ReplicaSet')
      .map(({ object }) => [
        `${namespaceOf(object)}/${nameOf(object)}`,
        timeAt(object, 'metadata', 'creationTimestamp'),
      ]),
  );
  return all
    .filter((one) => !all.some((other) => isSameRollout(one, other)))
    .filter(({ event, set }) => {
      const bornMs = createdMs.get(`${event.namespace}/${set}`);
      return bornMs === undefined || event.timeMs - bornMs > CREATION_MS;
    })
    .map((scaled) => tell(scaled, workloads));
}

function isSameRollout({ event, set }: Scaled, other: Scaled): boolean {
  return (
    other.set !== set &&
    other.event.objectName === event.objectName &&
    other.event.namespace === event.namespace &&
    Math.abs(other.event.timeMs - event.timeMs) <= ONE_ROLLOUT_MS
  );
}

function tell({ event, from, to }: Scaled, workloads: ReadonlyMap<string, ReadObject>): Act {
  const { timeMs, objectName: name, namespace = '' } = event;
  const workload = `Deployment/${namespace}/${name}`;
  const writer = workloads.get(workload)?.edits.find((edit) => Math.abs(edit.timeMs - timeMs) <= SAME_WRITE_MS);
  const summary = `Deployment ${name} scaled from ${from} to ${to}${writer ? ` by ${writer.by}` : ''}`;
  return {
    workload,
    change: {
      timeMs,
      service: name,
      namespace,
      kind: writer && isAutomatic(writer) ? 'autoscaling' : 'scaling',
      summary,
    },
  };
}

export function isAutomatic({ by }: Edit): boolean {
  return by === AUTOSCALER;
}
