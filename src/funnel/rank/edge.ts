import { secondsPerUnit } from '../metrics/metric-class.ts';
import { metricFact } from '../metrics/metric-evidence.ts';
import { measureLevel, surpriseOf, type CallEdge, type SeriesView } from '../metrics/series-view.ts';
import { latencyEffect, milliseconds, saturate, strongestByService, type Clue, type RankContext } from './clue.ts';
import { natureOf } from './service-nature.ts';
import { onGrid } from './symptom.ts';

/** Half strength at this many usual spreads. */
const HALF_SURPRISE = 2.5;
const FLOOR_SECONDS = 0.002;

/**
 * Latency seen at the caller's side of a call edge, from per-edge metrics. Measures the time a call gained that the callee's
 * own outgoing calls do not explain, or the time gained between the caller's and the callee's measurement of the same calls:
 * what a slow network in front of the callee, or a slow callee, adds.
 */
export function edgeClues(context: RankContext): Clue[] {
  const byCaller = new Map<string, MeasuredEdge>();
  const byCallee = new Map<string, SeriesView>();
  for (const view of context.model.series) {
    if (!view.edge || view.metricClass !== 'latency' || view.values.length < 2) continue;
    const key = `${view.edge.caller}\n${view.edge.callee}`;
    if (view.edge.measuredAt === 'callee') byCallee.set(key, view);
    else byCaller.set(key, measureEdge(view, view.edge));
  }
  const edges = [...byCaller].filter(([, { view }]) => view.incident.count > 0 && view.baseline.count > 0);
  const outgoing = new Map<string, number>();
  for (const [, { caller, rise, surprise }] of edges) {
    if (surprise > 1) outgoing.set(caller, Math.max(outgoing.get(caller) ?? 0, rise));
  }
  const clues = edges.flatMap(([key, edge]) => {
    const own = edge.rise - (outgoing.get(edge.callee) ?? 0);
    const ownStrength = latencyEffect(own) * saturate(edge.surprise, HALF_SURPRISE);
    const gap = measureGap(context, edge.view, byCallee.get(key));
    const gapStrength = gap ? latencyEffect(gap.rise) * saturate(gap.surprise, HALF_SURPRISE) : 0;
    const added = gap && gapStrength > ownStrength ? gap.rise : own;
    return edgeClue(context, edge, added, Math.max(ownStrength, gapStrength), byCallee.get(key));
  });
  return strongestByService(clues);
}

/** Rise in seconds, and how surprising it is. */
interface Rise {
  readonly rise: number;
  readonly surprise: number;
}

interface MeasuredEdge extends Rise {
  readonly caller: string;
  readonly callee: string;
  readonly view: SeriesView;
}

function measureEdge(view: SeriesView, { caller, callee }: CallEdge): MeasuredEdge {
  const seconds = secondsPerUnit(view.metric, view.source.unit);
  const { median, q95, spread } = view.baseline;
  const surprise = surpriseOf(view, view.incident.rise, Math.max(spread, (q95 - median) / 2), FLOOR_SECONDS / seconds);
  return { caller, callee, view, rise: view.incident.rise * seconds, surprise };
}

/** The same calls measured at both ends: the difference is time on the way. */
function measureGap(context: RankContext, atCaller: SeriesView, atCallee: SeriesView | undefined): Rise | undefined {
  if (!atCallee) return undefined;
  const seconds = secondsPerUnit(atCaller.metric, atCaller.source.unit);
  const calleeSeconds = secondsPerUnit(atCallee.metric, atCallee.source.unit);
  const other = onGrid(atCallee.timesMs, atCallee.values, atCaller.timesMs, Math.max(1000, 0.6 * atCaller.stepMs));
  const differences = atCaller.values.map((value, i) => value * seconds - (other[i] ?? NaN) * calleeSeconds);
  const usable = (_: number, i: number) => Number.isFinite(differences[i]);
  const values = differences.filter(usable);
  if (values.length <= 5) return undefined;
  const level = measureLevel(atCaller.timesMs.filter(usable), values, context.model.window, atCaller.stepMs);
  if (level.incident.count === 0 || level.baseline.count === 0) return undefined;
  const { median, q95, spread } = level.baseline;
  const noise =
    Math.max(spread, (q95 - median) / 2) + FLOOR_SECONDS + 0.1 * Math.abs(atCaller.baseline.median * seconds);
  return { rise: level.incident.rise, surprise: level.incident.rise / noise };
}

function edgeClue(
  context: RankContext,
  edge: MeasuredEdge,
  addedSeconds: number,
  strength: number,
  atCallee: SeriesView | undefined,
): Clue[] {
  if (strength <= 0) return [];
  const { view, caller, callee } = edge;
  const { triggerMs } = context.model;
  return [
    {
      type: 'edge',
      service: callee,
      strength,
      statement: `calls from ${caller} to ${callee} take ${milliseconds(addedSeconds)} longer than the calls below explain`,
      rootCauseType: natureOf(callee) === 'unknown' ? 'network_latency' : natureOf(callee),
      facts: () => [view, ...(atCallee ? [atCallee] : [])].map((each) => metricFact(each, triggerMs)),
    },
  ];
}
