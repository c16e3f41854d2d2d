import { serviceOf, type Labels } from '../../domain/labels.ts';
import type { TimeWindow } from '../../domain/provider.ts';
import type { MetricSeries } from '../../domain/telemetry.ts';
import { readSamples, type Matrix } from './answers.ts';

export interface SeriesNaming {
  /** Undefined when the labels name no service. */
  service(labels: Labels): string | undefined;
  metric(labels: Labels): string;
  readonly unit?: string | undefined;
  fromAlert?(labels: Labels): boolean;
}

/**
 * The series of an answer, in the order of their labels. `dropped` counts samples that were no finite number, `unnamed` series that
 * name no service.
 */
export function toSeries(
  matrix: Matrix,
  naming: SeriesNaming,
  origin: { readonly query: string; readonly link: string },
): { readonly series: readonly MetricSeries[]; readonly dropped: number; readonly unnamed: number } {
  let dropped = 0;
  let unnamed = 0;
  const keyed: { key: string; series: MetricSeries }[] = [];
  for (const { metric: labels, values = [] } of matrix.result) {
    const service = naming.service(labels);
    const samples = readSamples(values);
    dropped += samples.dropped;
    if (service === undefined) unnamed += 1;
    if (service === undefined || samples.values.length === 0) continue;
    const { timesMs, values: numbers } = samples;
    const series: MetricSeries = {
      service,
      metric: naming.metric(labels),
      labels,
      ...(naming.unit === undefined ? {} : { unit: naming.unit }),
      timesMs,
      values: numbers,
      ...origin,
      ...(naming.fromAlert?.(labels) ? { fromAlert: true } : {}),
    };
    keyed.push({ key: labelKey(labels), series });
  }
  keyed.sort((a, b) => (a.key < b.key ? -1 : 1));
  return { series: keyed.map(({ series }) => series), dropped, unnamed };
}

function labelKey(labels: Labels): string {
  return JSON.stringify(Object.entries(labels).sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** The service by the first of these labels that is set; by label convention when none is given. */
export function serviceByLabels(labels: Labels, names: readonly string[]): string | undefined {
  const name = names.find((candidate) => labels[candidate]);
  return name === undefined ? undefined : cleanName(labels[name] ?? '', name);
}

export function serviceByConvention(labels: Labels): string | undefined {
  const value = serviceOf(labels);
  const isJob = value === (labels['exported_job'] || labels['job']);
  return isJob && value !== undefined ? cleanName(value, 'job') : value;
}

/** OpenTelemetry and the Prometheus Operator write `namespace/name` into the label `job`. */
function cleanName(value: string, label: string): string {
  return label === 'job' ? value.slice(value.lastIndexOf('/') + 1) || value : value;
}

/** Page of the Prometheus web interface that shows a query over the window. */
export function graphLink(baseUrl: string, query: string, window: TimeWindow): string {
  const minutes = Math.max(1, Math.ceil((window.toMs - window.fromMs) / 60_000));
  const params = new URLSearchParams({
    'g0.expr': query,
    'g0.tab': '0',
    'g0.range_input': `${minutes}m`,
    'g0.end_input': new Date(window.toMs).toISOString().slice(0, 19).replace('T', ' '),
  });
  return `${baseUrl}/graph?${params.toString()}`;
}
