import type { Change, ClusterEvent, SpanStats } from '../../domain/telemetry.ts';
import type { RecordingFolder } from './recorded-files.ts';
import { toClusterEvent } from '../cluster-event.ts';
import { field, text } from '../json-record.ts';
import { readJsonLines, readTable } from './recorded-lists.ts';
import { toEpochMs } from '../epoch-time.ts';

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
