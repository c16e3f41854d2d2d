import type { ClusterEvent } from '../domain/telemetry.ts';
import { field, isRecord, text, type JsonRecord } from './json-record.ts';
import { plausible, toEpochMs } from './epoch-time.ts';

const LAST_TIMES = ['time', 'lastTimestamp', 'last_seen', 'eventTime', 'timestamp', 'firstTimestamp'];

/**
 * A core/v1 Event, an events.k8s.io/v1 Event or a flat record; undefined for what tells nothing. A time more than a year from `anchorMs` is none: such clocks are broken.
 */
export function toClusterEvent(record: JsonRecord, anchorMs: number): ClusterEvent | undefined {
  const reason = text(record['reason']);
  const message = text(field(record, 'message', 'note'));
  if (!reason && !message) return undefined;
  const series = isRecord(record['series']) ? record['series'] : {};
  const deprecated = { last: record['deprecatedLastTimestamp'], first: record['deprecatedFirstTimestamp'] };
  const last = field(series, 'lastObservedTime') ?? field(record, ...LAST_TIMES) ?? deprecated.last;
  const firstTimeMs = plausible(
    toEpochMs(field(record, 'firstTimestamp', 'first_seen', 'eventTime') ?? deprecated.first),
    anchorMs,
  );
  const count = Number(field(series, 'count') ?? field(record, 'count', 'deprecatedCount'));
  const subject = eventSubject(record);
  const service = text(record['service']);
  const node = text(field(record, 'node', 'host') ?? nodeOfSource(record));
  return {
    timeMs: plausible(toEpochMs(last), anchorMs),
    type: text(record['type']),
    reason,
    message,
    objectKind: subject.kind,
    objectName: subject.name,
    ...(Number.isNaN(firstTimeMs) ? {} : { firstTimeMs }),
    ...(subject.namespace ? { namespace: subject.namespace } : {}),
    ...(service ? { service } : {}),
    ...(node ? { node } : {}),
    ...(count > 0 ? { count } : {}),
  };
}

function nodeOfSource(record: JsonRecord): unknown {
  const source = record['source'] ?? record['deprecatedSource'];
  return isRecord(source) ? source['host'] : undefined;
}

/** What the event is about: an object reference, `Kind/name` text, or plain fields. */
function eventSubject(record: JsonRecord): { kind: string; name: string; namespace: string } {
  const reference = field(record, 'involvedObject', 'regarding', 'object');
  const metadata = isRecord(record['metadata']) ? record['metadata'] : {};
  const namespace = text(record['namespace'] ?? metadata['namespace']);
  if (isRecord(reference)) {
    return {
      kind: text(reference['kind']),
      name: text(reference['name']),
      namespace: text(reference['namespace']) || namespace,
    };
  }
  const ownKind = record['kind'] === 'Event' ? '' : text(field(record, 'object_kind', 'objectKind', 'kind'));
  if (typeof reference === 'string') {
    const slash = reference.indexOf('/');
    return slash < 0
      ? { kind: ownKind, name: reference, namespace }
      : { kind: ownKind || capitalised(reference.slice(0, slash)), name: reference.slice(slash + 1), namespace };
  }
  const pod = text(record['pod']);
  const name = text(field(record, 'object_name', 'objectName', 'name')) || pod;
  return { kind: ownKind || (pod ? 'Pod' : ''), name, namespace };
}

function capitalised(word: string): string {
  return word.slice(0, 1).toUpperCase() + word.slice(1);
}
