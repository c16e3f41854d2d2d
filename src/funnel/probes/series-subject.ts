import type { MetricSeries } from '../../domain/telemetry.ts';
import { displayUnit } from '../metrics/metric-unit.ts';
import { FRACTION, quantityWord } from '../metrics/number-words.ts';
import { withoutPodSuffix } from '../services.ts';
import type { Sighting } from './finding.ts';

/** Labels that say where the sample came from, not what it is about. */
const ABOUT_THE_SCRAPE: ReadonlySet<string> = new Set(
  '__name__ job endpoint prometheus prometheus_replica uid metrics_path'.split(' '),
);
/** What a provider calls a series whose labels name no service. */
const UNNAMED = 'unknown';

export interface Subject {
  readonly service: string | undefined;
  /** The same at every tick: the workload stands for its pods, which come and go. */
  readonly object: string;
  /** The pod, where there is one. */
  readonly instance?: string;
}

/**
 * Whom a series is about: `shop/data-db-0`, `10.0.0.1:9100 /var`; without labels `checkout request_latency_p95_seconds`, or `checkout` where the probe
 * says that it is about services.
 */
export function subjectOf({ service, metric, labels = {} }: MetricSeries, by: readonly string[] | undefined): Subject {
  const pod = labels['pod'];
  const own = service === UNNAMED || service === '' ? undefined : service;
  const named = own !== undefined && own === pod ? withoutPodSuffix(own) : own;
  const names = by ?? Object.keys(labels).filter((name) => !ABOUT_THE_SCRAPE.has(name));
  const { namespace, ...others } = Object.fromEntries(
    names.map((name) => [name, name === 'pod' ? withoutPodSuffix(labels[name] ?? '') : (labels[name] ?? '')]),
  );
  const rest = [...new Set(Object.values(others).filter(Boolean))].join(' ');
  const place = [namespace, rest].filter(Boolean).join('/');
  const isOfService = Object.keys(labels).length > 0 || by?.includes('service') === true;
  const object = place || (isOfService ? (own ?? metric) : [own, metric].filter(Boolean).join(' '));
  return { service: named, object, ...(pod === undefined || object.includes(pod) ? {} : { instance: pod }) };
}

/** The evidence that a series is, at its last sample. */
export function evidenceOf({ timesMs, query, link }: MetricSeries, numbers: readonly number[]): Sighting['evidence'] {
  return {
    kind: 'metric',
    atMs: timesMs.at(-1),
    ...(query === undefined ? {} : { query }),
    ...(link === undefined ? {} : { link }),
    numbers,
  };
}

/** How values of a series are said: by the probe's unit, else that of the series or of its name. `1` is a share, said in percent. */
export function speakerFor({ metric, unit: own }: MetricSeries, unit: string | undefined): (value: number) => string {
  const known = unit === '1' ? FRACTION : (unit ?? displayUnit(metric, own));
  return (value) => quantityWord(value, known);
}
