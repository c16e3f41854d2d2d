import type { LogRecord, Span } from '../../domain/telemetry.ts';
import { sampleLogs, sampleSpans } from '../sample-telemetry.ts';
import { ownText } from './own-text.ts';
import type { RecordingFolder } from './recorded-files.ts';
import { field, text } from '../json-record.ts';
import { readJsonLines, readTable } from './recorded-lists.ts';
import { plausible, toEpochMs, toEpochUs } from '../epoch-time.ts';

/** Most that is kept of the files that may hold very much. */
export interface ReadingCaps {
  readonly logLines: number;
  readonly spans: number;
}
export const DEFAULT_CAPS: ReadingCaps = { logLines: 1_000_000, spans: 1_000_000 };
/** Beyond these nothing is looked at: reading more would take longer than anyone waits. No cap may be set higher. */
const MOST_LINES = 10_000_000;
const MOST_SPAN_ROWS = 10_000_000;

/** Reads `logs.jsonl`; of more than `most` lines an even part (`sampleLogs`). Times that are missing or more than a year from the anchor become NaN, with one gap for all of them. */
export async function readLogs(
  folder: RecordingFolder,
  anchorMs: number,
  most = DEFAULT_CAPS.logLines,
): Promise<readonly LogRecord[] | undefined> {
  const logs = sampleLogs(most);
  const textOf = sharedTexts();
  let lines = 0;
  let timeless = 0;
  const found = await readJsonLines(folder, 'logs.jsonl', MOST_LINES, (record) => {
    const message = field(record, 'message', 'msg', 'log', 'body');
    if (message === undefined) return false;
    const timeMs = plausible(toEpochMs(field(record, 'time', 'timestamp', 'ts')), anchorMs);
    if (Number.isNaN(timeMs)) timeless += 1;
    const traceId = text(field(record, 'trace_id', 'traceId'));
    lines += 1;
    logs.add({
      timeMs,
      service: textOf(text(field(record, 'service', 'service_name', 'app'))),
      level: textOf(text(field(record, 'level', 'severity'))),
      message: text(message),
      ...(traceId ? { traceId } : {}),
    });
    return true;
  });
  if (!found) return undefined;
  if (timeless > 0) {
    folder.addGap(`logs.jsonl: ${timeless} of ${lines} lines carry no usable time (missing, or years from the alert).`);
  }
  const cut = logs.describe('lines');
  if (cut !== undefined) folder.addGap(`logs.jsonl: ${cut}; raise MAX_LOG_LINES.`);
  return logs.items;
}

/** Reads `traces.csv`; of more than `most` spans an even part of the traces. */
export async function readSpans(
  folder: RecordingFolder,
  most = DEFAULT_CAPS.spans,
): Promise<readonly Span[] | undefined> {
  const spans = sampleSpans(most);
  const textOf = sharedTexts();
  const required = ['time_us', 'trace_id', 'span_id', 'parent_id', 'service', 'operation', 'duration_us'];
  const found = await readTable(folder, 'traces.csv', { required, optional: ['error'] }, MOST_SPAN_ROWS, (fields) => {
    const [time, traceId = '', spanId = '', parentId = '', service = '', operation = '', duration = '', error = ''] =
      fields;
    const timeUs = toEpochUs(time);
    const durationUs = Number(duration);
    if (Number.isNaN(timeUs) || !(durationUs >= 0) || !service || duration === '') return false;
    const failed = error === 'true' || error === '1';
    spans.add({
      timeUs,
      traceId: ownText(traceId),
      spanId: ownText(spanId),
      parentId: ownText(parentId),
      service: textOf(service),
      operation: textOf(operation),
      durationUs,
      ...(failed ? { error: true } : {}),
    });
    return true;
  });
  if (!found) return undefined;
  const cut = spans.describe('spans');
  if (cut !== undefined) folder.addGap(`traces.csv: ${cut}; raise MAX_SPANS.`);
  return spans.items;
}

/** One text for all equal ones: a million lines name a few services, and each would otherwise hold a text of its own. */
function sharedTexts(): (text: string) => string {
  const known = new Map<string, string>();
  return (text) => {
    const shared = known.get(text);
    if (shared !== undefined) return shared;
    const own = ownText(text);
    if (known.size < MOST_SHARED) known.set(own, own);
    return own;
  };
}

const MOST_SHARED = 50_000;
