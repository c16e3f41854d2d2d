import type { TimeWindow } from '../../domain/provider.ts';
import type { ClusterEvent, KubernetesObject } from '../../domain/telemetry.ts';
import { toClusterEvent } from '../cluster-event.ts';
import { byTime } from '../queries/answer.ts';
import type { Place } from './places.ts';
import type { ClusterReading } from './reading.ts';
import { CORE_EVENTS, NEW_EVENTS } from './resources.ts';

/**
 * Events that happened in the window or carry no time, oldest first. Both APIs show the same events, so the second is asked only where the first is refused. Of more
 * than `most` in a place, warnings come first.
 */
export async function readEvents(
  reading: ClusterReading,
  places: readonly Place[],
  window: TimeWindow,
  most: number,
  signal: AbortSignal,
  fieldSelector?: string,
): Promise<readonly ClusterEvent[]> {
  const selector = fieldSelector === undefined ? {} : { fieldSelector };
  const old = await reading.readAll(
    places.map((namespace) => ({ resource: CORE_EVENTS, namespace, most, isTentative: true, ...selector })),
    signal,
  );
  const refused = old.filter(({ isRefused }) => isRefused).map(({ request }) => request.namespace);
  // Their fields are named differently, so what was asked for by fields is chosen afterwards.
  const other = await reading.readAll(
    refused.map((namespace) => ({ resource: NEW_EVENTS, namespace, most })),
    signal,
  );
  return [...old, ...other]
    .flatMap(({ kept }) => kept.flatMap(({ object }) => readEvent(object) ?? []))
    .filter((event) => isWithin(event, window))
    .toSorted(byTime);
}

function readEvent(object: KubernetesObject): ClusterEvent | undefined {
  // The clock of the cluster is the incident's own: every time is plausible.
  return toClusterEvent(object, Number.NaN);
}

function isWithin({ timeMs, firstTimeMs }: ClusterEvent, { fromMs, toMs }: TimeWindow): boolean {
  return Number.isNaN(timeMs) || (timeMs >= fromMs && Math.min(timeMs, firstTimeMs ?? timeMs) <= toMs);
}
