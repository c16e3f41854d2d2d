import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Gap, MetricSeries, Telemetry, Topology } from '../domain/telemetry.ts';
import type { EvenSample } from './even-sample.ts';
import { neighboursOf } from './neighbours.ts';
import { sampleLogs, sampleSpans } from './sample-telemetry.ts';

/** Most of each kind that is handed on for one incident. */
export interface TelemetryCaps {
  readonly logLines: number;
  readonly series: number;
  readonly spans: number;
}

/** Items looked at before others get their turn on the event loop. */
const TURN = 5000;

/**
 * The telemetry within the caps, and a gap for every kind that was over: of log lines and spans an even part (`sample-telemetry.ts`), of series the alert's
 * own, then those of the alerting service, of its neighbours, and of the others by turns. Hands the event loop back every few milliseconds.
 */
export async function capTelemetry(
  telemetry: Telemetry,
  caps: TelemetryCaps,
  service: string | undefined,
): Promise<Telemetry> {
  const { logs, spans, series, reference } = telemetry;
  const gaps: Gap[] = [];
  const note = (message: string | undefined) => {
    if (message !== undefined) gaps.push({ source: 'telemetry', message });
  };
  const cap = async <T>(list: readonly T[], most: number, what: string, sampleOf: (most: number) => EvenSample<T>) => {
    if (list.length <= most) return list;
    const sample = await fill(sampleOf(most), list);
    note(sample.describe(what));
    return sample.items;
  };
  const kept = chooseSeries(series, caps.series, service, telemetry.topology);
  if (kept.length < series.length) note(`kept ${kept.length} of ${series.length} series, those nearest to the alert`);
  const capped = {
    ...telemetry,
    series: kept,
    logs: await cap(logs, caps.logLines, 'log lines', sampleLogs),
    spans: await cap(spans, caps.spans, 'spans', sampleSpans),
    reference: {
      logs: await cap(reference.logs, caps.logLines, 'log lines of the reference', sampleLogs),
      spans: await cap(reference.spans, caps.spans, 'spans of the reference', sampleSpans),
    },
  };
  return gaps.length > 0 ? { ...capped, gaps: [...telemetry.gaps, ...gaps] } : telemetry;
}

async function fill<T>(sample: EvenSample<T>, items: readonly T[]): Promise<EvenSample<T>> {
  for (const [place, item] of items.entries()) {
    if (place % TURN === TURN - 1) await nextTurn();
    sample.add(item);
  }
  return sample;
}

/** In the order they came. A service with many series does not push out the others of its rank. */
function chooseSeries(
  all: readonly MetricSeries[],
  most: number,
  service: string | undefined,
  topology: Topology,
): readonly MetricSeries[] {
  if (all.length <= most) return all;
  const near = new Set(neighboursOf(service, topology));
  const taken = new Map<string, number>();
  const ranked = all.map((series) => {
    const turn = taken.get(series.service) ?? 0;
    taken.set(series.service, turn + 1);
    const isAlerting = series.service === service;
    const ring = series.fromAlert ? 0 : isAlerting ? 1 : near.has(series.service) ? 2 : 3;
    return { series, ring, turn };
  });
  const kept = new Set(
    ranked
      .toSorted((a, b) => a.ring - b.ring || a.turn - b.turn)
      .slice(0, most)
      .map(({ series }) => series),
  );
  return all.filter((series) => kept.has(series));
}
