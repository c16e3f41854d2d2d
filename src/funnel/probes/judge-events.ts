import { counted } from '../../domain/counted.ts';
import type { ProbeOf } from '../../domain/probe.ts';
import type { ClusterEvent } from '../../domain/telemetry.ts';
import { wildcard } from '../../policy/wildcard.ts';
import { withoutPodSuffix } from '../services.ts';
import type { Sighting } from './finding.ts';
import type { Judged } from './verdict.ts';

type EventsProbe = ProbeOf<'events'>;

interface Group {
  readonly first: ClusterEvent;
  readonly count: number;
  readonly lastMs: number;
}

/**
 * Which objects have more such events than allowed. `events` are those of the window and type.
 */
export function judgeEvents(probe: EventsProbe, events: readonly ClusterEvent[]): Judged {
  const reasons = probe.reasons.map(wildcard);
  const meant = events.filter(({ reason }) => reasons.some((matches) => matches(reason)));
  const groups = new Map<string, Group>();
  for (const event of meant) {
    const key = `${placeOf(event)}\n${event.reason}`;
    const known = groups.get(key);
    groups.set(key, {
      first: known?.first ?? event,
      count: (known?.count ?? 0) + (event.count ?? 1),
      lastMs: Math.max(known?.lastMs ?? -Infinity, Number.isNaN(event.timeMs) ? -Infinity : event.timeMs),
    });
  }
  const seen = [...groups.values()].filter(({ count }) => count > probe.above).map((group) => sight(probe, group));
  return { lookedAt: events.length, seen };
}

function sight(probe: EventsProbe, { first, count, lastMs }: Group): Sighting {
  const times = count === 1 ? 'once' : counted(count, 'time');
  return {
    service: first.service ?? nameOf(first),
    object: placeOf(first),
    instance: first.objectName === nameOf(first) ? undefined : first.objectName,
    value: `${first.reason} ${times}`,
    limit: probe.above === 0 ? 'none' : `at most ${probe.above}`,
    what: `had ${first.reason} ${times} in ${probe.over}: ${first.message}`,
    weight: count / (probe.above + 1),
    evidence: { kind: 'event', atMs: Number.isFinite(lastMs) ? lastMs : undefined, numbers: [count] },
  };
}

function nameOf({ objectKind, objectName }: ClusterEvent): string {
  return objectKind === 'Pod' ? withoutPodSuffix(objectName) : objectName;
}

function placeOf(event: ClusterEvent): string {
  const name = event.objectKind === 'Pod' ? nameOf(event) : `${event.objectKind} ${event.objectName}`.trim();
  return event.namespace === undefined ? name : `${event.namespace}/${name}`;
}
