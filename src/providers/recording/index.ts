import { setImmediate as nextTurn } from 'node:timers/promises';
import {
  ProviderError,
  type LogQuery,
  type MetricQuery,
  type QueryResult,
  type TelemetryProvider,
} from '../../domain/provider.ts';
import { duration } from '../../domain/relative-time.ts';
import type { LogRecord, MetricSeries } from '../../domain/telemetry.ts';
import { hideAfter } from '../hide-after.ts';
import { loadRecording, type LoadedRecording } from './load-recording.ts';
import type { ReadingCaps } from './recorded-streams.ts';

export { readRecordedIncident } from './load-recording.ts';

/** Series and log lines one query may return; the note says when there were more. */
const MAX_QUERY_SERIES = 50;
const MAX_QUERY_LOGS = 500;

export interface RecordingOptions {
  /** Shows nothing of a later time than this after the alert. Absent: everything recorded. */
  readonly untilAfterAlertMs?: number;
  /** Most lines and spans that are read; of more, an even part. Absent: a million of each. */
  readonly caps?: ReadingCaps;
}

/** A folder with one recorded incident. It is read once, at the first question, and holds just the time that was recorded. */
export function createRecordingProvider(dir: string, options: RecordingOptions = {}): TelemetryProvider {
  const load = readOnce((signal) => loadVisible(dir, options, signal));

  return {
    name: 'recording',
    async gather(_incident, _window, signal) {
      return (await load(signal)).telemetry;
    },
    metricQueryHelp:
      '`service` or `service/metric`; `*` stands for any text, for example `cart*/*cpu*`. Case does not matter. Returns the recorded series.',
    async queryMetrics(query, signal) {
      return findSeries((await load(signal)).telemetry.series, query);
    },
    async queryLogs(query, signal) {
      return findLogs((await load(signal)).telemetry.logs, query);
    },
    async check(signal) {
      try {
        const { telemetry } = await load(signal);
        const { series, logs, spans, spanStats, events, objects } = telemetry;
        const value = `${series.length} series, ${logs.length} log lines, ${spans.length + spanStats.length} spans, ${events.length} events, ${objects.length} objects`;
        const empty =
          series.length + logs.length + spans.length + spanStats.length + events.length + objects.length === 0;
        if (!empty) return { name: 'recording', status: 'ok', value };
        return {
          name: 'recording',
          status: 'warn',
          value,
          remedy: `Put metrics.csv.gz, logs.jsonl.gz, … into ${dir}.`,
        };
      } catch (error) {
        const value = error instanceof Error ? error.message : String(error);
        return { name: 'recording', status: 'fail', value, remedy: 'Name the folder of a recording.' };
      }
    },
  };
}

/** Reads at the first question, once for all that ask meanwhile and later. What failed is read again at the next one. */
function readOnce(
  read: (signal: AbortSignal) => Promise<LoadedRecording>,
): (signal: AbortSignal) => Promise<LoadedRecording> {
  let reading: { readonly signal: AbortSignal; readonly recording: Promise<LoadedRecording> } | undefined;
  const load = async (signal: AbortSignal): Promise<LoadedRecording> => {
    signal.throwIfAborted();
    const own = (reading ??= { signal, recording: read(signal) });
    try {
      return await own.recording;
    } catch (error) {
      if (reading === own) reading = undefined;
      if (error instanceof ProviderError) throw error;
      if (signal.aborted) throw cancelled(error);
      // Another investigation had begun to read, and gave up.
      if (own.signal.aborted) return load(signal);
      throw error;
    }
  };
  return load;
}

async function loadVisible(
  dir: string,
  { untilAfterAlertMs, caps }: RecordingOptions,
  signal: AbortSignal,
): Promise<LoadedRecording> {
  const { incident, telemetry } = await loadRecording(dir, signal, caps);
  if (untilAfterAlertMs === undefined) return { incident, telemetry };
  const visible = hideAfter(telemetry, incident.startsAtMs + untilAfterAlertMs);
  const message = `read as of ${duration(untilAfterAlertMs)} after the alert; object snapshots show the state when they were taken`;
  return { incident, telemetry: { ...visible, gaps: [...visible.gaps, { source: 'recording', message }] } };
}

function cancelled(cause: unknown): ProviderError {
  return new ProviderError('recording', 'reading the recording was cancelled', { cause });
}

/**
 * Matches a whole name against a pattern in which `*` stands for any text, whatever the case. Not a regular expression: the pattern
 * comes from a model, and many stars would make one take for ever.
 */
function wildcard(pattern: string): (name: string) => boolean {
  const [head = '', ...others] = pattern.toLowerCase().split('*');
  const tail = others.pop();
  return (name) => {
    const text = name.toLowerCase();
    if (tail === undefined) return text === head;
    if (!text.startsWith(head)) return false;
    let position = head.length;
    for (const part of others) {
      const found = text.indexOf(part, position);
      if (found < 0) return false;
      position = found + part.length;
    }
    return text.length - tail.length >= position && text.endsWith(tail);
  };
}

/** A whole service first: names of services may hold slashes themselves. */
function seriesMatching(series: readonly MetricSeries[], query: string): readonly MetricSeries[] {
  const whole = wildcard(query);
  const byService = series.filter(({ service }) => whole(service));
  if (byService.length > 0) return byService;
  return series.filter(({ service, metric }) => whole(`${service}/${metric}`));
}

function findSeries(all: readonly MetricSeries[], query: MetricQuery): QueryResult<MetricSeries> {
  const pattern = query.query.trim().slice(0, 500);
  const found = seriesMatching(all, pattern);
  if (found.length === 0) {
    const services = [...new Set(all.map(({ service }) => service))];
    const known = services.slice(0, 40).join(', ');
    return {
      items: [],
      note: `no series matches ${JSON.stringify(pattern)}; write service or service/metric. Services: ${known}`,
    };
  }
  const cut = found.map((series) => cutToWindow(series, query)).filter(({ values }) => values.length > 0);
  const notes = [
    ...(cut.length > MAX_QUERY_SERIES ? [`the first ${MAX_QUERY_SERIES} of ${cut.length} matching series`] : []),
    ...(cut.length === 0 ? [`${found.length} series match, but none has a sample in this window`] : []),
  ];
  return { items: cut.slice(0, MAX_QUERY_SERIES), ...(notes.length > 0 ? { note: notes.join('; ') } : {}) };
}

function cutToWindow(series: MetricSeries, { fromMs, toMs }: MetricQuery): MetricSeries {
  const first = series.timesMs.findIndex((timeMs) => timeMs >= fromMs);
  const end = series.timesMs.findLastIndex((timeMs) => timeMs <= toMs) + 1;
  const start = first < 0 ? end : first;
  return { ...series, timesMs: series.timesMs.subarray(start, end), values: series.values.subarray(start, end) };
}

/** Lines looked at before others get their turn on the event loop. */
const TURN = 20_000;

async function findLogs(all: readonly LogRecord[], query: LogQuery): Promise<QueryResult<LogRecord>> {
  const service = query.service === undefined ? undefined : wildcard(query.service);
  const contains = query.contains?.toLowerCase();
  const matches: LogRecord[] = [];
  let timeless = 0;
  for (const [place, log] of all.entries()) {
    if (place % TURN === TURN - 1) await nextTurn();
    if (Number.isNaN(log.timeMs)) timeless += 1;
    if (!(log.timeMs >= query.fromMs && log.timeMs <= query.toMs)) continue;
    if (service && !service(log.service)) continue;
    if (contains === undefined || log.message.toLowerCase().includes(contains)) matches.push(log);
  }
  const limit = Math.max(1, Math.min(query.limit, MAX_QUERY_LOGS));
  // The lines nearest the end of the window tell most about what is wrong now.
  const items = matches.toSorted((a, b) => a.timeMs - b.timeMs).slice(-limit);
  const notes = [
    ...(matches.length > limit ? [`the last ${limit} of ${matches.length} matching lines`] : []),
    ...(matches.length === 0 ? [`no line of ${all.length} matches in this window`] : []),
    ...(timeless > 0 ? [`${timeless} lines without a usable time were not searched`] : []),
  ];
  return { items, ...(notes.length > 0 ? { note: notes.join('; ') } : {}) };
}
