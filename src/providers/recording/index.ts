import { ProviderError, type TelemetryProvider } from '../../domain/provider.ts';
import { duration } from '../../domain/relative-time.ts';
import { hideAfter } from '../hide-after.ts';
import { loadRecording, type LoadedRecording } from './load-recording.ts';
import { findChanges } from '../queries/find-changes.ts';
import { findEvents } from '../queries/find-events.ts';
import { findLogs } from '../queries/find-logs.ts';
import { findObjects } from '../queries/find-objects.ts';
import { findSeries } from './queries/find-series.ts';
import { findSpans } from './queries/find-spans.ts';
import type { ReadingCaps } from './recorded-streams.ts';

export { readRecordedIncident } from './load-recording.ts';

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
    metricLanguage: 'names',
    async queryMetrics(query, signal) {
      return findSeries((await load(signal)).telemetry.series, query);
    },
    async queryLogs(query, signal) {
      return findLogs((await load(signal)).telemetry.logs, query, signal);
    },
    async queryEvents(query, signal) {
      return findEvents((await load(signal)).telemetry.events, query);
    },
    async queryObjects(query, signal) {
      return findObjects((await load(signal)).telemetry.objects, query, options.untilAfterAlertMs !== undefined);
    },
    async queryChanges(query, signal) {
      return findChanges((await load(signal)).telemetry.changes, query);
    },
    async querySpans(query, signal) {
      return findSpans((await load(signal)).telemetry, query, signal);
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
