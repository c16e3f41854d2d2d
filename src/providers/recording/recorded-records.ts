import type { Change, ClusterEvent, SpanStats } from '../../domain/telemetry.ts';
import type { RecordingFolder } from './recorded-files.ts';
import { field, isRecord, readJsonLines, readTable, text, type JsonRecord } from './recorded-lists.ts';
import { plausible, toEpochMs } from './recorded-time.ts';

const MAX_SPAN_STATS = 1_000_000;
const MAX_EVENTS = 200_000;
const MAX_CHANGES = 20_000;

export async function readSpanStats(folder: RecordingFolder): Promise<readonly SpanStats[] | undefined> {
  const stats: SpanStats[] = [];
  const required = ['time', 'service', 'operation', 'parent_service', 'count', 'p50_us', 'p95_us'];
  const found = await readTable(folder, 'trace_stats.csv', { required }, MAX_SPAN_STATS, (fields) => {
    const [time, service = '', operation = '', parentService = '', count = '', p50 = '', p95 = ''] = fields;
    const row = { timeMs: toEpochMs(time), count: Number(count), p50Us: Number(p50), p95Us: Number(p95) };
    if (!service || count === '' || p50 === '' || !Object.values(row).every(Number.isFinite)) return false;
    stats.push({ ...row, service, operation, parentService });
    return true;
  });
  return found ? stats : undefined;
}

/** Reads `events.jsonl`: core/v1 Events, events.k8s.io/v1 Events, or flat records; they may be mixed. */
export async function readEvents(
  folder: RecordingFolder,
  anchorMs: number,
): Promise<readonly ClusterEvent[] | undefined> {
  const events: ClusterEvent[] = [];
  const found = await readJsonLines(folder, 'events.jsonl', MAX_EVENTS, (record) => {
    const event = toClusterEvent(record, anchorMs);
    if (!event) return false;
    events.push(event);
    return true;
  });
  return found ? events : undefined;
}

const LAST_TIMES = ['time', 'lastTimestamp', 'last_seen', 'eventTime', 'timestamp', 'firstTimestamp'];

function toClusterEvent(record: JsonRecord, anchorMs: number): ClusterEvent | undefined {
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

export async function readChanges(folder: RecordingFolder): Promise<readonly Change[] | undefined> {
  const changes: Change[] = [];
  const found = await readJsonLines(folder, 'changes.jsonl', MAX_CHANGES, (record) => {
    const summary = text(field(record, 'summary', 'message', 'title', 'description'));
    if (!summary) return false;
    const link = text(field(record, 'link', 'url'));
    changes.push({
      timeMs: toEpochMs(field(record, 'time', 'timestamp', 'at')),
      service: text(record['service']) || undefined,
      kind: text(field(record, 'kind', 'type')) || 'change',
      summary,
      ...(/^https?:\/\//.test(link) ? { link } : {}),
    });
    return true;
  });
  return found ? changes : undefined;
}
