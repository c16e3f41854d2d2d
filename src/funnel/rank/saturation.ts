import { isShare, saysPercent, type MetricClass } from '../metrics/metric-class.ts';
import { changeInWords, metricFact } from '../metrics/metric-evidence.ts';
import { isTrifle } from '../metrics/metric-features.ts';
import { surpriseOf, type SeriesView } from '../metrics/series-view.ts';
import { saturate } from '../metrics/effect.ts';
import { strongestByService, type Clue, type RankContext } from './clue.ts';

/** Half strength at this many usual spreads. */
const HALF_SURPRISE = 2.5;
/** A rise by this many points of 100 counts fully: half the limit was eaten by the incident. */
const FULL_RISE = 0.5;
/** A raw unit has no known limit. Doubling three times counts fully, if the rise is also large within the fleet. */
const FULL_DOUBLINGS = 3;
const FLEET_BASE = 0.15;

/** Below this share of the limit a rise is more work, no saturation. */
const NEAR_LIMIT = 0.6;

const ROOT_CAUSE = { cpu: 'cpu_saturation', memory: 'memory_exhaustion' } as const;

/**
 * Saturation of processor or memory. Measures the share of a limit that the incident added (percent metrics), or, for raw
 * units, the number of doublings weighed by the service's part in the whole fleet's rise: a tiny service that trebles is not
 * out of processor time. Whether a metric is a percent or a fraction is decided over the fleet, not per series.
 */
export function saturationClues(context: RankContext, metricClass: keyof typeof ROOT_CAUSE): Clue[] {
  const views = context.model.series.filter((view) => view.metricClass === metricClass && view.values.length >= 2);
  const highest = new Map<string, number>();
  const fleetRise = new Map<string, number>();
  for (const view of views) {
    const peak = Math.max(view.baseline.q95, view.baseline.median + view.incident.rise);
    highest.set(view.metric, Math.max(highest.get(view.metric) ?? 0, peak));
    fleetRise.set(view.metric, (fleetRise.get(view.metric) ?? 0) + Math.max(0, view.incident.rise));
  }
  const shares = sharesOfLimits(views);
  const clues = views.flatMap((view) => {
    if (view.incident.count === 0 || view.incident.rise <= 0 || isTrifle(view)) return [];
    const fleet = { highest: highest.get(view.metric) ?? 0, rise: fleetRise.get(view.metric) ?? 0 };
    return [saturationClue(context, metricClass, { view, share: shares.get(view.service) }, effectOf(view, fleet))];
  });
  return strongestByService(clues);
}

/** A service's use as a share of its limit, where that is measured and rose: 20 millicores say nothing of how near the limit is. */
function sharesOfLimits(views: readonly SeriesView[]): ReadonlyMap<string, SeriesView> {
  const shares = new Map<string, SeriesView>();
  for (const view of views) {
    const isRisen = isShare(view.metric, view.source.unit) && view.incident.count > 0 && view.incident.rise > 0;
    const known = shares.get(view.service)?.incident.rise ?? 0;
    if (isRisen && view.incident.rise > known) shares.set(view.service, view);
  }
  return shares;
}

function effectOf(view: SeriesView, fleet: { readonly highest: number; readonly rise: number }): number {
  const { rise } = view.incident;
  if (isShare(view.metric, view.source.unit)) {
    const isPercent = saysPercent(view.metric, view.source.unit) || fleet.highest > 1.5;
    return Math.min(1, rise / (isPercent ? 100 : 1) / FULL_RISE);
  }
  const ratio = (view.baseline.median + rise) / Math.max(Math.abs(view.baseline.median), 1e-9);
  const doublings = Math.log2(Math.max(1, Math.min(ratio, 1e4)));
  const share = fleet.rise > 0 ? rise / fleet.rise : 0;
  return Math.min(1, doublings / FULL_DOUBLINGS) * (FLEET_BASE + (1 - FLEET_BASE) * Math.min(1, 1.5 * share));
}

function saturationClue(
  context: RankContext,
  metricClass: Extract<MetricClass, 'cpu' | 'memory'>,
  { view, share }: { readonly view: SeriesView; readonly share: SeriesView | undefined },
  effect: number,
): Clue {
  const told = share ?? view;
  const { median, q95, spread } = view.baseline;
  const surprise = surpriseOf(view, view.incident.rise, Math.max(spread, 0.4 * (q95 - median)));
  return {
    type: metricClass,
    service: view.service,
    strength: effect * saturate(surprise, HALF_SURPRISE),
    statement: () => changeInWords(told),
    rootCauseType: isFarFromLimit(told) ? 'unknown' : ROOT_CAUSE[metricClass],
    facts: () => (told === view ? [view] : [told, view]).map((each) => metricFact(each, context.model.triggerMs)),
  };
}

/** A share of a limit tells whether the limit was near; a raw unit does not. */
function isFarFromLimit({ metric, source, baseline, incident }: SeriesView): boolean {
  if (!isShare(metric, source.unit)) return false;
  const level = baseline.median + incident.rise;
  const isPercent = saysPercent(metric, source.unit) || level > 1.5;
  return level / (isPercent ? 100 : 1) < NEAR_LIMIT;
}
