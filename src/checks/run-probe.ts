import type { ProbeAnswer } from '../domain/probe-answer.ts';
import { durationMs, type Probe, type ProbeOf } from '../domain/probe.ts';
import { judgeBaseline } from '../funnel/probes/judge-baseline.ts';
import { judgeEvents } from '../funnel/probes/judge-events.ts';
import { judgeForecast } from '../funnel/probes/judge-forecast.ts';
import { judgeMetric } from '../funnel/probes/judge-metric.ts';
import { judgeObjects, kindsOf } from '../funnel/probes/judge-objects.ts';
import { judgeExpiry, judgeFreshness, momentsOf, successesOf, type Moment } from '../funnel/probes/judge-times.ts';
import { answerOf, type Judged } from '../funnel/probes/verdict.ts';
import { readExpiries } from './certificate-expiry.ts';
import type { Reader, Reading } from './reader.ts';

/** Of metrics that hold a moment the last sample counts; exporters that are pushed to write seldom. */
const MOMENT_WINDOW_MS = 15 * 60_000;
/** Kinds that every cluster has. Of the others there may be none, and that is an answer. */
const IN_EVERY_CLUSTER: ReadonlySet<string> = new Set(['Pod', 'Node', 'Deployment']);

/** Asks what the probe wants to know and judges it. Throws when it cannot be asked. */
export function runProbe(probe: Probe, reader: Reader, signal: AbortSignal): Promise<ProbeAnswer> {
  const { nowMs } = reader;
  switch (probe.kind) {
    case 'metric':
      return series(probe, durationMs(probe.over), (all) => judgeMetric(probe, all, nowMs), reader, signal);
    case 'baseline': {
      const windowMs = durationMs(probe.over) + durationMs(probe.against);
      return series(probe, windowMs, (all) => judgeBaseline(probe, all, nowMs), reader, signal);
    }
    case 'forecast':
      return series(probe, durationMs(probe.over), (all) => judgeForecast(probe, all, nowMs), reader, signal);
    case 'objects':
      return objects(probe, reader, signal);
    case 'events':
      return events(probe, reader, signal);
    case 'certificate':
      return certificates(probe, reader, signal);
    case 'freshness':
      return freshness(probe, reader, signal);
  }
}

type SeriesProbe = ProbeOf<'metric'> | ProbeOf<'baseline'> | ProbeOf<'forecast'>;

async function series(
  probe: SeriesProbe,
  windowMs: number,
  judge: (all: Parameters<typeof judgeMetric>[1]) => Judged,
  reader: Reader,
  signal: AbortSignal,
): Promise<ProbeAnswer> {
  const { items, note } = await reader.series(probe, windowMs, signal);
  return answerOf(probe, judge(items), { nowMs: reader.nowMs, window: probe.over, note });
}

async function objects(probe: ProbeOf<'objects'>, reader: Reader, signal: AbortSignal): Promise<ProbeAnswer> {
  const kinds = kindsOf(probe);
  const { items, note } = await reader.objects(kinds, probe.namespace, signal);
  const mayBeNone = !kinds.some((kind) => IN_EVERY_CLUSTER.has(kind));
  const around = { nowMs: reader.nowMs, window: probe.within ?? probe.for ?? 'now', note, mayBeNone };
  return answerOf(probe, judgeObjects(probe, items, reader.nowMs), around);
}

async function events(probe: ProbeOf<'events'>, reader: Reader, signal: AbortSignal): Promise<ProbeAnswer> {
  const { items, note, isSilent } = await reader.events(probe.eventType, durationMs(probe.over), signal);
  const told = isSilent ? (note ?? 'there are no events at all in the window') : note;
  const around = { nowMs: reader.nowMs, window: probe.over, note: told, mayBeNone: true };
  return answerOf(probe, judgeEvents(probe, items), around);
}

async function certificates(probe: ProbeOf<'certificate'>, reader: Reader, signal: AbortSignal): Promise<ProbeAnswer> {
  const read = probe.hosts ? await readExpiries(probe.hosts, signal) : await moments(probe, reader, signal);
  const around = { nowMs: reader.nowMs, window: probe.within, note: read.note };
  const answer = answerOf(probe, judgeExpiry(probe, read.items, reader.nowMs), around);
  // Hosts of the check's own list that are away are as a provider that fails.
  return probe.hosts && read.note !== undefined ? { ...answer, hasFailed: true } : answer;
}

async function freshness(probe: ProbeOf<'freshness'>, reader: Reader, signal: AbortSignal): Promise<ProbeAnswer> {
  const read = probe.job === undefined ? await moments(probe, reader, signal) : await successes(probe, reader, signal);
  const around = { nowMs: reader.nowMs, window: probe.older, note: read.note };
  return answerOf(probe, judgeFreshness(probe, read.items, reader.nowMs), around);
}

async function moments(
  probe: ProbeOf<'certificate'> | ProbeOf<'freshness'>,
  reader: Reader,
  signal: AbortSignal,
): Promise<Reading<Moment>> {
  const { items, note } = await reader.series(probe, MOMENT_WINDOW_MS, signal);
  return { items: momentsOf(items, probe.by), ...(note === undefined ? {} : { note }) };
}

async function successes(
  { job = '', namespace }: ProbeOf<'freshness'>,
  reader: Reader,
  signal: AbortSignal,
): Promise<Reading<Moment>> {
  const { items, note } = await reader.objects(['CronJob', 'Job'], namespace, signal);
  const found = successesOf(items, job);
  if (found.length > 0) return { items: found, ...(note === undefined ? {} : { note }) };
  if (items.length === 0) return { items: [], note: note ?? 'there are no jobs and no schedules' };
  return { items: [], note: `of ${items.length} jobs and schedules none is called ${job}` };
}
