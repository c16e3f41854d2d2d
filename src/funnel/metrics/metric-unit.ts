import { inSnakeCase, isShare, withoutPeer, type MetricClass } from './metric-class.ts';
import { FRACTION } from './number-words.ts';
import type { SeriesView } from './series-view.ts';

const UNIT_IN_NAME = /\(([^()\d]{1,8})\)/;
/** First match decides. A unit stands as a word of the name, also in its middle: `request_duration_seconds_p95_from:cart`. */
const UNIT_WORDS: readonly (readonly [RegExp, string])[] = [
  [/(^|_)per_?sec(ond)?(_|$)/, '/s'],
  [/(^|_)(milliseconds|millis|ms)(_|$)/, 'ms'],
  [/(^|_)(microseconds|micros|us)(_|$)/, 'µs'],
  [/(^|_)seconds(_|$)/, 's'],
  [/(^|_)bytes(_|$)/, 'By'],
  [/(^|_)(percent|percentage|pct)(_|$)/, '%'],
  [/(^|_)ratio(_|$)/, FRACTION],
  [/(^|_)millicores(_|$)/, 'millicores'],
  [/(^|_)cores(_|$)/, 'cores'],
];

/** Unit for people: the provider's, else the one the name carries (`Latency(s)`, `size_bytes_max`), else none. */
export function displayUnit(metric: string, unit: string | undefined): string | undefined {
  if (unit !== undefined && unit !== '' && unit !== '1') return unit.replace(/^1\//, '/');
  const own = withoutPeer(metric);
  const written = UNIT_IN_NAME.exec(own)?.[1];
  if (written) return written;
  const words = inSnakeCase(own).replace(/[.:\- ]/g, '_');
  const found = UNIT_WORDS.find(([pattern]) => pattern.test(words))?.[1];
  if (unit === '1') return found === FRACTION ? FRACTION : undefined;
  return found;
}

const PER_SECOND = /per_?sec|(^|[^a-z])(rate|ops|qps|rps)(?![a-z])/;

/** True when the samples of a view are events a second: rates of a counter, or called so by unit or name. Else a count is one a sample. */
export function isPerSecond({ isRate, metric, source }: SeriesView): boolean {
  return isRate || source.unit === '1/s' || PER_SECOND.test(inSnakeCase(metric));
}

/** Unit of the samples of a view, as `quantityWord` takes it. */
export function unitOf(view: SeriesView): string | undefined {
  const unit = displayUnit(view.metric, view.source.unit);
  if (view.isRate) return rateUnit(unit, view.metricClass);
  if (unit === 'm' && view.metricClass === 'cpu') return 'millicores';
  // A "ratio" far above one is a factor, not a share.
  if (unit === FRACTION && !(isShare(view.metric, view.source.unit) && largestLevel(view) <= 1.5)) return undefined;
  return unit;
}

/** A counter of seconds of processor time, as a rate, is a number of cores. */
function rateUnit(unit: string | undefined, metricClass: MetricClass): string {
  if (metricClass === 'cpu') return 'cores';
  return unit === '/s' ? unit : `${unit ?? ''}/s`;
}

function largestLevel({ baseline, incident }: SeriesView): number {
  return Math.max(baseline.q95, baseline.median + incident.rise);
}
