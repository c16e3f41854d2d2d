import type { ClusterEvent, MetricSeries, Telemetry } from '../domain/telemetry.ts';

/**
 * The telemetry as it would have been read at `untilMs` (epoch ms): no sample, line, event or change of a later time, no span that
 * had not ended by then. An event that occurs again later keeps its first time and loses its count. What carries no time stays; so do
 * object snapshots, the reference and the topology: they cannot be rewound. `rawCharacters` falls by the share of records hidden.
 */
export function hideAfter(telemetry: Telemetry, untilMs: number): Telemetry {
  const isLater = (timeMs: number) => timeMs > untilMs;
  const visible: Telemetry = {
    ...telemetry,
    series: telemetry.series.map((series) => cutSeries(series, untilMs)).filter(({ values }) => values.length > 0),
    logs: telemetry.logs.filter(({ timeMs }) => !isLater(timeMs)),
    spans: telemetry.spans.filter(({ timeUs, durationUs }) => !isLater((timeUs + durationUs) / 1000)),
    spanStats: telemetry.spanStats.filter(({ timeMs }) => !isLater(timeMs)),
    events: telemetry.events.flatMap((event) => rewindEvent(event, untilMs)),
    changes: telemetry.changes.filter(({ timeMs }) => !isLater(timeMs)),
  };
  const share = countRecords(visible) / Math.max(1, countRecords(telemetry));
  return { ...visible, rawCharacters: Math.round(telemetry.rawCharacters * share) };
}

function cutSeries(series: MetricSeries, untilMs: number): MetricSeries {
  const { timesMs, values } = series;
  const end = timesMs.findLastIndex((timeMs) => timeMs <= untilMs) + 1;
  return end === timesMs.length
    ? series
    : { ...series, timesMs: timesMs.subarray(0, end), values: values.subarray(0, end) };
}

function rewindEvent(event: ClusterEvent, untilMs: number): readonly ClusterEvent[] {
  const { timeMs, firstTimeMs } = event;
  if (firstTimeMs !== undefined && firstTimeMs > untilMs) return [];
  if (!(timeMs > untilMs)) return [event];
  const { count: _later, ...first } = event;
  return firstTimeMs === undefined ? [] : [{ ...first, timeMs: firstTimeMs }];
}

function countRecords({ series, logs, spans, spanStats, events, objects, changes }: Telemetry): number {
  const samples = series.reduce((sum, { values }) => sum + values.length, 0);
  return [logs, spans, spanStats, events, objects, changes].reduce((sum, list) => sum + list.length, samples);
}
