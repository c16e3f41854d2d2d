import type { SeriesView } from '../metrics/series-view.ts';
import { quantileOfSorted, sorted } from '../metrics/statistics.ts';
import { badnessOf, onGrid } from './symptom.ts';

/** One failure in five hundred requests is no outage to anybody. */
const TOLERATED_FAILURES = 0.002;
/** A rise of requests by this share of their 95th percentile is a surge. */
const SURGE = 0.5;

/** Excess of one service over its usual level, a figure a grid sample, in flow units. */
export interface Flow {
  readonly view: SeriesView;
  readonly excess: Float64Array;
  /** Usual level of the badness, and usual requests a sample (1 when unknown). */
  readonly usual: number;
  readonly requests: number;
  /** True when the excess is in flow units already or was weighed by requests. */
  readonly isFlow: boolean;
  /** True when the service receives clearly more requests than usual. */
  readonly surge: boolean;
  /** Spread of the usual badness, in flow units. */
  readonly noise: number;
  /** Failures that nobody calls an outage, in flow units; 0 for latency. */
  readonly tolerated: number;
}

/**
 * The excess of `view` on the grid, weighed by the requests of `load` where requests are counted and the badness is one a request; in the unit of the badness
 * (seconds, failed requests) otherwise. Where either has no sample the excess is 0.
 */
export function measureFlow(
  view: SeriesView,
  load: SeriesView | undefined,
  countsRequests: boolean,
  grid: Float64Array,
): Flow {
  const badness = badnessOf(view);
  const usualRows = badness.values.subarray(0, Math.max(view.baseline.count, 1));
  const ascending = sorted(usualRows);
  const usual = quantileOfSorted(ascending, 0.5);
  const spread = quantileOfSorted(ascending, 0.9) - quantileOfSorted(ascending, 0.1);
  const weighs = countsRequests && load !== undefined && badness.perRequest;
  const loads = weighs ? onGrid(load, grid, view.stepMs) : undefined;
  const requests = weighs ? load.baseline.median : 1;
  const excess = onGrid({ timesMs: view.timesMs, values: badness.values }, grid, view.stepMs).map((value, i) => {
    const flow = (value - usual) * (loads?.[i] ?? 1);
    return Number.isFinite(flow) ? flow : 0;
  });
  const surge = load !== undefined && load.incident.rise > SURGE * Math.max(load.baseline.q95, 1e-9);
  const isFlow = weighs || !badness.perRequest;
  const isFailure = view.metricClass !== 'latency';
  const tolerated = isFailure ? TOLERATED_FAILURES * (badness.perRequest ? requests : (load?.baseline.median ?? 0)) : 0;
  return { view, excess, usual, requests, isFlow, surge, noise: spread * Math.max(requests, 1e-9), tolerated };
}
