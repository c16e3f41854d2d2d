import type { Telemetry } from '../domain/telemetry.ts';

/** What was read, in one line for the progress display. */
export function summariseTelemetry(telemetry: Telemetry): string {
  const counts: readonly [count: number, singular: string, plural: string][] = [
    [telemetry.series.length, 'series', 'series'],
    [telemetry.logs.length, 'log line', 'log lines'],
    [telemetry.spans.length, 'span', 'spans'],
    [telemetry.events.length, 'event', 'events'],
    [telemetry.objects.length, 'object', 'objects'],
    [telemetry.changes.length, 'change', 'changes'],
    [telemetry.gaps.length, 'gap', 'gaps'],
  ];
  const words = counts.flatMap(([count, singular, plural]) =>
    count > 0 ? [`${count} ${count === 1 ? singular : plural}`] : [],
  );
  return words.join(', ') || 'nothing';
}

/** The latest time that anything read carries, epoch ms, at most `mostMs`; null when nothing carries one. A broken clock may lie ahead. */
export function latestTime(telemetry: Telemetry, mostMs: number): number | null {
  let latest = Number.NEGATIVE_INFINITY;
  const see = (timeMs: number | undefined) => {
    if (timeMs !== undefined && timeMs > latest && timeMs <= mostMs) latest = timeMs;
  };
  for (const { timesMs } of telemetry.series) see(timesMs.findLast((timeMs) => timeMs <= mostMs));
  for (const { timeMs } of telemetry.logs) see(timeMs);
  for (const { timeUs } of telemetry.spans) see(timeUs / 1000);
  for (const { timeMs } of telemetry.spanStats) see(timeMs);
  for (const { timeMs } of telemetry.events) see(timeMs);
  for (const { timeMs } of telemetry.changes) see(timeMs);
  return latest === Number.NEGATIVE_INFINITY ? null : latest;
}
