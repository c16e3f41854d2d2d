import { badDeviation } from './metric-features.ts';
import { isShare, saysPercent, secondsPerUnit } from './metric-class.ts';
import { isPerSecond } from './metric-unit.ts';
import type { SeriesView } from './series-view.ts';

/** Latency is trouble when it doubles and a person could feel it. */
const LATENCY_RISE_SECONDS = 0.05;
/** Requests of a hundred that may fail without anybody calling it an outage. */
const FAILING_SHARE = 0.02;
/** Six errors a minute: a retry or a bot makes fewer. */
const ERRORS_PER_SECOND = 0.1;
const ERRORS_COUNTED = 3;
const NEAR_LIMIT = 0.9;
const LIMIT_RISE = 0.1;
const WAITING = 10;
/** Traffic that is left of the usual when it is gone. */
const TRAFFIC_LEFT = 0.05;
const TRAFFIC_WORTH_MISSING = 1;
/** In usual spreads, taken from the quiet half of the baseline: an earlier outage must not make the present one look usual. */
const OUT_OF_NOISE = 4;

/**
 * True when a series shows trouble by an absolute bar, whatever its history says is usual for it: errors from (nearly) none, doubled latency, a
 * limit that is nearly reached, restarts, work that waits, traffic that stops. The ranker compares suspects; this says whether
 * there is anything to suspect.
 */
export function isAlarming(view: SeriesView): boolean {
  if (view.incident.count === 0 || view.baseline.count === 0 || view.values.length < 2) return false;
  const usual = view.baseline.median;
  const level = usual + badDeviation(view);
  const isDoubled = level >= 2 * usual && level - usual >= OUT_OF_NOISE * quietSpread(view);
  switch (view.metricClass) {
    case 'latency':
      return isDoubled && (level - usual) * secondsPerUnit(view.metric, view.source.unit) >= LATENCY_RISE_SECONDS;
    case 'error':
      return isFailing(view, level, isDoubled);
    case 'availability':
      return (usual - level) / (Math.max(usual, level) > 1.5 ? 100 : 1) >= FAILING_SHARE || level <= 0;
    case 'cpu':
    case 'memory':
    case 'disk':
      return isNearLimit(view, level);
    case 'queue':
      return isNearLimit(view, level) || (isWork(view) && isDoubled && level - usual >= WAITING);
    case 'restart':
      return view.isRate ? level > usual && level * 60 >= 1 : level - usual >= 1;
    case 'requests':
      return usual >= TRAFFIC_WORTH_MISSING && usual - view.incident.fall <= TRAFFIC_LEFT * usual;
    case 'network':
    case 'node':
    case 'other':
      return false;
  }
}

/** Standard deviation of a normal baseline as its lower half tells it: (median − q05) / 1.645. */
function quietSpread({ baseline }: SeriesView): number {
  return (baseline.median - baseline.q05) / 1.645;
}

function isFailing(view: SeriesView, level: number, isDoubled: boolean): boolean {
  const rise = level - view.baseline.median;
  if (isShare(view.metric, view.source.unit)) {
    const whole = saysPercent(view.metric, view.source.unit) || level > 1.5 ? 100 : 1;
    return isDoubled && rise / whole >= FAILING_SHARE;
  }
  return isDoubled && rise >= (isPerSecond(view) ? ERRORS_PER_SECOND : ERRORS_COUNTED);
}

function isNearLimit(view: SeriesView, level: number): boolean {
  if (!isShare(view.metric, view.source.unit)) return false;
  const whole = saysPercent(view.metric, view.source.unit) || level > 1.5 ? 100 : 1;
  return level / whole >= NEAR_LIMIT && (level - view.baseline.median) / whole >= LIMIT_RISE;
}

function isWork({ metric }: SeriesView): boolean {
  return /wait|pending|queue|backlog|lag/i.test(metric);
}
