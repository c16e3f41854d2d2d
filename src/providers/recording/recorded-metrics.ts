import { setImmediate as nextTurn } from 'node:timers/promises';
import type { MetricSeries } from '../../domain/telemetry.ts';
import { ownText } from './own-text.ts';
import type { RecordingFolder } from './recorded-files.ts';
import { toEpochMs } from '../epoch-time.ts';
import { readTable } from './recorded-lists.ts';

/** An hour of a thousand series a second apart is 3.6 million. */
const MAX_ROWS = 10_000_000;
const MAX_SERIES = 100_000;

interface Samples {
  readonly service: string;
  readonly metric: string;
  readonly timesMs: number[];
  readonly values: number[];
  ascending: boolean;
}

/** Samples by service and metric while the rows come in, and what of them was no use. */
class SampleTable {
  notFinite = 0;
  overCap = 0;
  readonly #byService = new Map<string, Map<string, Samples>>();
  #seriesCount = 0;
  #lastTime = '';
  #lastTimeMs = Number.NaN;

  /** False for a row without a time, a name or a value. */
  take([time = '', service = '', metric = '', valueText = '']: readonly string[]): boolean {
    // Rows of one moment lie together, so most times have just been converted.
    if (time !== this.#lastTime) {
      this.#lastTime = time;
      this.#lastTimeMs = toEpochMs(time);
    }
    if (Number.isNaN(this.#lastTimeMs) || service === '' || metric === '' || valueText === '') return false;
    const value = Number(valueText);
    const samples = Number.isFinite(value) ? this.#samplesOf(service, metric) : undefined;
    if (samples) append(samples, this.#lastTimeMs, value);
    else if (Number.isFinite(value)) this.overCap += 1;
    else this.notFinite += 1;
    return true;
  }

  all(): readonly Samples[] {
    return [...this.#byService.values()].flatMap((metrics) => [...metrics.values()]);
  }

  /** Undefined when there are too many series already. */
  #samplesOf(service: string, metric: string): Samples | undefined {
    let metrics = this.#byService.get(service);
    let samples = metrics?.get(metric);
    if (samples || this.#seriesCount >= MAX_SERIES) return samples;
    samples = { service: ownText(service), metric: ownText(metric), timesMs: [], values: [], ascending: true };
    if (!metrics) this.#byService.set(samples.service, (metrics = new Map()));
    metrics.set(samples.metric, samples);
    this.#seriesCount += 1;
    return samples;
  }
}

function append(samples: Samples, timeMs: number, value: number): void {
  const previous = samples.timesMs.at(-1);
  if (previous !== undefined && timeMs < previous) samples.ascending = false;
  samples.timesMs.push(timeMs);
  samples.values.push(value);
}

/** Reads `metrics.csv`, sorted by service and metric; undefined when there is none. Values that are not finite are dropped and counted. */
export async function readMetrics(folder: RecordingFolder): Promise<readonly MetricSeries[] | undefined> {
  const table = new SampleTable();
  const columns = { required: ['time', 'service', 'metric', 'value'] };
  const found = await readTable(folder, 'metrics.csv', columns, MAX_ROWS, (row) => table.take(row));
  if (!found) return undefined;
  const { notFinite, overCap } = table;
  if (notFinite > 0)
    folder.addGap(`metrics.csv: ${notFinite} values were not finite numbers (NaN, Inf, text) and were dropped.`);
  if (overCap > 0)
    folder.addGap(`metrics.csv: more than ${MAX_SERIES} series; ${overCap} samples of the others were left out.`);
  return (await toAllSeries(table.all())).sort(bySeriesName);
}

/** Samples converted before others get their turn on the event loop. */
const TURN = 100_000;

async function toAllSeries(all: readonly Samples[]): Promise<MetricSeries[]> {
  const series: MetricSeries[] = [];
  let converted = 0;
  for (const samples of all) {
    series.push(toSeries(samples));
    converted += samples.values.length;
    if (converted < TURN) continue;
    converted = 0;
    await nextTurn();
  }
  return series;
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
