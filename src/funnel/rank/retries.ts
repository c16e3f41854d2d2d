import { measureLevel, type SeriesView } from '../metrics/series-view.ts';
import { finiteRows } from '../metrics/usable-samples.ts';
import type { RankContext } from './clue.ts';
import { onGrid, pickSeries } from './symptom.ts';

/** Calls a request grew by at least this factor before they are taken for retries. */
const CLEAR_GROWTH = 1.2;
/** … and beyond this many usual spreads. */
const SPREADS = 2;
const MOST_ATTEMPTS = 5;

/**
 * How many calls to a callee a request of the caller waits for now, where one was usual: 2 when some requests are tried again. Measured as
 * calls on the edge against requests of the caller, both as rates. Whole, rounded up, because the slow requests are those that tried again.
 * 1 when either is not measured.
 */
export function attemptCounter(context: RankContext): (caller: string, callee: string) => number {
  const calls = new Map<string, SeriesView>();
  for (const view of context.model.series) {
    const { edge, metricClass } = view;
    if (edge && metricClass === 'requests' && edge.measuredAt === 'caller')
      calls.set(`${edge.caller}\n${edge.callee}`, view);
  }
  return (caller, callee) => {
    const view = calls.get(`${caller}\n${callee}`);
    const requests = view && pickSeries(context, caller, { classes: ['requests'] });
    return requests ? attempts(context, view, requests) : 1;
  };
}

function attempts(context: RankContext, calls: SeriesView, requests: SeriesView): number {
  const served = onGrid(requests, calls.timesMs, calls.stepMs);
  const ratios = calls.values.map((value, i) => value / (served[i] ?? NaN));
  const { timesMs, values } = finiteRows(calls.timesMs, ratios);
  const level = measureLevel(timesMs, values, context.model.window, calls.stepMs);
  const { median, spread, count } = level.baseline;
  if (count === 0 || level.incident.count === 0 || median <= 0) return 1;
  const growth = (median + level.incident.rise) / median;
  const isClear = growth >= CLEAR_GROWTH && level.incident.rise > SPREADS * spread;
  return isClear ? Math.min(MOST_ATTEMPTS, Math.ceil(growth - 0.05)) : 1;
}
