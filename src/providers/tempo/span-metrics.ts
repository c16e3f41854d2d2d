import { z } from 'zod';
import type { TimeWindow } from '../../domain/provider.ts';
import type { MetricSeries } from '../../domain/telemetry.ts';
import { BackendError } from '../backend/backend-error.ts';
import { windowWords, type SeriesFound } from '../traces/trace-server.ts';
import { secondsOf, type AskTempo } from './api.ts';
import { FAILED } from './traceql.ts';

const Sample = z.object({ timestampMs: z.coerce.number(), value: z.union([z.number(), z.string()]).default(0) });
/** `/api/metrics/query_range`. A value of nought is left out. */
const MetricsAnswer = z.object({
  series: z
    .array(
      z.object({
        labels: z
          .array(z.object({ key: z.string(), value: z.object({ stringValue: z.string().optional() }).optional() }))
          .default([]),
        samples: z.array(Sample).default([]),
      }),
    )
    .nullish(),
});

/** Of every span by which a request comes into a service. These count all spans, where traces are only read in part. */
const SERVER = 'kind = server';
const BY_SERVICE = 'by (resource.service.name)';
const QUERIES = [
  { metric: 'span_requests_per_second', unit: '1/s', query: `{ ${SERVER} } | rate() ${BY_SERVICE}` },
  { metric: 'span_errors_per_second', unit: '1/s', query: `{ ${SERVER} && ${FAILED} } | rate() ${BY_SERVICE}` },
  {
    metric: 'span_duration_p95_seconds',
    unit: 's',
    query: `{ ${SERVER} } | quantile_over_time(duration, .95) ${BY_SERVICE}`,
  },
] as const;
const MOST_POINTS = 240;
const LEAST_STEP_S = 15;

/** How many requests each service got, how many failed and how long they took, by TraceQL metrics; nothing where they are not switched on. */
export async function readSpanMetrics(ask: AskTempo, window: TimeWindow, signal: AbortSignal): Promise<SeriesFound> {
  const { start, end } = secondsOf(window);
  const step = `${Math.max(LEAST_STEP_S, Math.ceil((end - start) / MOST_POINTS))}s`;
  const read: SeriesFound[] = [];
  for (const { metric, unit, query } of QUERIES) {
    const words = `${query} ${windowWords(window)}.`;
    const params = { q: query, start, end, step };
    const question = { schema: MetricsAnswer, path: '/api/metrics/query_range', params, words, mayBeMissing: true };
    try {
      const answer = await ask(question, signal);
      if (answer.kind !== 'data') break;
      const series = (answer.data.series ?? []).flatMap((one) => toSeries(one, { metric, unit, query }));
      read.push({ series, characters: answer.characters });
    } catch (error) {
      // The processor that answers them is off by default.
      if (error instanceof BackendError && error.problem.includes('localblocks processor not found')) break;
      throw error;
    }
  }
  return {
    series: read.flatMap(({ series }) => series),
    characters: read.reduce((sum, { characters }) => sum + characters, 0),
  };
}

type TempoSeries = NonNullable<z.infer<typeof MetricsAnswer>['series']>[number];

function toSeries(
  { labels, samples }: TempoSeries,
  named: Pick<MetricSeries, 'metric' | 'unit' | 'query'>,
): readonly MetricSeries[] {
  const service = labels.find(({ key }) => key === 'resource.service.name')?.value?.stringValue;
  const usable = samples
    .map(({ timestampMs, value }) => ({ timestampMs, value: Number(value) }))
    .filter(({ value }) => Number.isFinite(value))
    .toSorted((a, b) => a.timestampMs - b.timestampMs);
  if (!service || usable.length === 0) return [];
  const timesMs = Float64Array.from(usable, ({ timestampMs }) => timestampMs);
  return [{ service, ...named, timesMs, values: Float64Array.from(usable, ({ value }) => value) }];
}
