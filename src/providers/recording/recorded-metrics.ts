import type { MetricSeries } from '../../domain/telemetry.ts';
import type { RecordingFolder } from './recorded-files.ts';
import { toEpochMs } from './recorded-time.ts';
import { readTable } from './recorded-lists.ts';

const MAX_ROWS = 2_000_000;
const MAX_SERIES = 100_000;

interface Samples {
  readonly service: string;
  readonly metric: string;
  readonly timesMs: number[];
  readonly values: number[];
  ascending: boolean;
}

/** Reads `metrics.csv`, sorted by service and metric; undefined when there is none. Values that are not finite are dropped and counted. */
export async function readMetrics(folder: RecordingFolder): Promise<readonly MetricSeries[] | undefined> {
  const byService = new Map<string, Map<string, Samples>>();
  let seriesCount = 0;
  let notFinite = 0;
  let overCap = 0;
  let lastTime = '';
  let lastTimeMs = Number.NaN;

  const samplesOf = (service: string, metric: string): Samples | undefined => {
    let metrics = byService.get(service);
    if (!metrics) byService.set(service, (metrics = new Map()));
    let samples = metrics.get(metric);
    if (samples || seriesCount >= MAX_SERIES) return samples;
    samples = { service, metric, timesMs: [], values: [], ascending: true };
    metrics.set(metric, samples);
    seriesCount += 1;
    return samples;
  };
  const take = ([time = '', service = '', metric = '', valueText = '']: readonly string[]): boolean => {
    // Rows of one moment lie together, so most times have just been converted.
    if (time !== lastTime) {
      lastTime = time;
      lastTimeMs = toEpochMs(time);
    }
    if (Number.isNaN(lastTimeMs) || service === '' || metric === '' || valueText === '') return false;
    const value = Number(valueText);
    if (!Number.isFinite(value)) {
      notFinite += 1;
      return true;
    }
    const samples = samplesOf(service, metric);
    if (!samples) {
      overCap += 1;
      return true;
    }
    const previous = samples.timesMs.at(-1);
    if (previous !== undefined && lastTimeMs < previous) samples.ascending = false;
    samples.timesMs.push(lastTimeMs);
    samples.values.push(value);
    return true;
  };

  const found = await readTable(
    folder,
    'metrics.csv',
    { required: ['time', 'service', 'metric', 'value'] },
    MAX_ROWS,
    take,
  );
  if (!found) return undefined;
  if (notFinite > 0)
    folder.addGap(`metrics.csv: ${notFinite} values were not finite numbers (NaN, Inf, text) and were dropped.`);
  if (overCap > 0)
    folder.addGap(`metrics.csv: more than ${MAX_SERIES} series; ${overCap} samples of the others were left out.`);
  const all = [...byService.values()].flatMap((metrics) => [...metrics.values()]);
  return all.map(toSeries).sort(bySeriesName);
}

function toSeries(samples: Samples): MetricSeries {
  const { service, metric } = samples;
  const query = `${service}/${metric}`;
  if (samples.ascending) {
    return {
      service,
      metric,
      query,
      timesMs: new Float64Array(samples.timesMs),
      values: new Float64Array(samples.values),
    };
  }
  const order = samples.timesMs.map((timeMs, index) => ({ timeMs, index })).sort((a, b) => a.timeMs - b.timeMs);
  const values = Float64Array.from(order, ({ index }) => samples.values[index] ?? 0);
  return { service, metric, query, timesMs: Float64Array.from(order, ({ timeMs }) => timeMs), values };
}

function bySeriesName(a: MetricSeries, b: MetricSeries): number {
  if (a.service !== b.service) return a.service < b.service ? -1 : 1;
  if (a.metric === b.metric) return 0;
  return a.metric < b.metric ? -1 : 1;
}

/** Usual distance between samples, ms: the median over the first series; undefined when no series has enough samples. */
export function estimateSamplingMs(series: readonly MetricSeries[]): number | undefined {
  const medians: number[] = [];
  for (const { timesMs } of series.slice(0, 200)) {
    const steps = Array.from(timesMs.subarray(1), (timeMs, index) => timeMs - (timesMs[index] ?? timeMs));
    const step = median(steps.filter((ms) => ms > 0));
    if (timesMs.length > 3 && step !== undefined) medians.push(step);
  }
  return median(medians);
}

function median(values: number[]): number | undefined {
  return values.sort((a, b) => a - b)[Math.floor(values.length / 2)];
}
