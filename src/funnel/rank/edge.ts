import type { RootCauseType } from '../../domain/root-cause-type.ts';
import { secondsPerUnit, withoutPeer } from '../metrics/metric-class.ts';
import { changeInWords, metricFact } from '../metrics/metric-evidence.ts';
import { measureLevel, surpriseOf, type CallEdge, type SeriesView } from '../metrics/series-view.ts';
import { finiteRows } from '../metrics/usable-samples.ts';
import { latencyEffect, saturate } from '../metrics/effect.ts';
import { blameCommonEnd } from './common-end.ts';
import { strongestByService, type Clue, type RankContext } from './clue.ts';
import { attemptCounter } from './retries.ts';
import { natureOf } from './service-nature.ts';
import { onGrid, pickSeries } from './symptom.ts';

/** Half strength at this many usual spreads. */
const HALF_SURPRISE = 2.5;
const FLOOR_SECONDS = 0.002;
/** What the calls below explain is known to a fifth: a quantile of a sum is not the sum of the quantiles. */
const EXPLAINED_ERROR = 0.2;
/** Time is lost on the way when the callee itself accounts for less than half of it. */
const OWN_PART = 0.5;

/**
 * Latency seen at the caller's side of a call edge, from per-edge metrics. Measures the time a call gained that the callee's
 * own outgoing calls, retries of them included, do not explain, or the time gained between the caller's and the callee's measurement of
 * the same calls: what a slow network in front of the callee, or a slow callee, adds.
 */
export function edgeClues(context: RankContext): Clue[] {
  const edges = measureEdges(context);
  const attempts = attemptCounter(context);
  const waiting = new Map<string, number>();
  for (const { caller, callee, statistic, rise, surprise } of edges) {
    if (surprise <= 1) continue;
    const seconds = rise * attempts(caller, callee);
    for (const key of [caller, `${caller}\n${statistic}`]) waiting.set(key, Math.max(waiting.get(key) ?? 0, seconds));
  }
  const clues = edges.flatMap((edge) => {
    // The 95th percentile of a call is explained by the same of the calls below it, where they have one.
    const explained = waiting.get(`${edge.callee}\n${edge.statistic}`) ?? waiting.get(edge.callee) ?? 0;
    return edgeClue(context, edge, explained);
  });
  return strongestByService(blameCommonEnd(clues));
}

/** Rise in seconds, and how surprising it is. */
interface Rise {
  readonly rise: number;
  readonly surprise: number;
}

interface MeasuredEdge extends Rise {
  readonly caller: string;
  readonly callee: string;
  /** `p95`, `mean`: an edge is measured once a statistic. */
  readonly statistic: string;
  readonly view: SeriesView;
  /** The same calls, measured by the callee. */
  readonly atCallee: SeriesView | undefined;
}

function measureEdges(context: RankContext): MeasuredEdge[] {
  const byCaller = new Map<string, SeriesView>();
  const byCallee = new Map<string, SeriesView>();
  for (const view of context.model.series) {
    if (!view.edge || view.metricClass !== 'latency' || view.values.length < 2) continue;
    const { caller, callee, measuredAt } = view.edge;
    const key = `${caller}\n${callee}\n${statisticOf(view)}`;
    const side = measuredAt === 'callee' ? byCallee : byCaller;
    const known = side.get(key);
    // Of several instances of one measurement the one that rose most.
    if (!known || view.incident.rise > known.incident.rise) side.set(key, view);
  }
  return [...byCaller].flatMap(([key, view]) => {
    if (!view.edge || view.incident.count === 0 || view.baseline.count === 0) return [];
    return [measureEdge(view, view.edge, byCallee.get(key))];
  });
}

function measureEdge(view: SeriesView, edge: CallEdge, atCallee: SeriesView | undefined): MeasuredEdge {
  const { caller, callee } = edge;
  const statistic = statisticOf(view);
  const seconds = secondsPerUnit(view.metric, view.source.unit);
  const { median, q95, spread } = view.baseline;
  const surprise = surpriseOf(view, view.incident.rise, Math.max(spread, (q95 - median) / 2), FLOOR_SECONDS / seconds);
  return { caller, callee, statistic, view, atCallee, rise: view.incident.rise * seconds, surprise };
}

/** The same calls measured at both ends: the difference is time on the way. */
function measureGap(context: RankContext, { view: atCaller, atCallee }: MeasuredEdge): Rise {
  const none = { rise: 0, surprise: 0 };
  if (!atCallee) return none;
  const seconds = secondsPerUnit(atCaller.metric, atCaller.source.unit);
  const calleeSeconds = secondsPerUnit(atCallee.metric, atCallee.source.unit);
  const other = onGrid(atCallee, atCaller.timesMs, atCaller.stepMs);
  const differences = atCaller.values.map((value, i) => value * seconds - (other[i] ?? NaN) * calleeSeconds);
  const { timesMs, values } = finiteRows(atCaller.timesMs, differences);
  if (values.length <= 5) return none;
  const level = measureLevel(timesMs, values, context.model.window, atCaller.stepMs);
  if (level.incident.count === 0 || level.baseline.count === 0) return none;
  const { median, q95, spread } = level.baseline;
  const noise =
    Math.max(spread, (q95 - median) / 2) + FLOOR_SECONDS + 0.1 * Math.abs(atCaller.baseline.median * seconds);
  return { rise: level.incident.rise, surprise: level.incident.rise / noise };
}

function edgeClue(context: RankContext, edge: MeasuredEdge, explainedSeconds: number): Clue[] {
  const own = edge.rise - explainedSeconds;
  const beyondError = explainedSeconds > 0 ? own / (EXPLAINED_ERROR * explainedSeconds) : Infinity;
  const ownStrength = latencyEffect(own) * saturate(Math.min(edge.surprise, beyondError), HALF_SURPRISE);
  const gap = measureGap(context, edge);
  const strength = Math.max(ownStrength, latencyEffect(gap.rise) * saturate(gap.surprise, HALF_SURPRISE));
  if (strength <= 0) return [];
  const { view, atCallee, callee } = edge;
  const { triggerMs } = context.model;
  return [
    {
      type: 'edge',
      service: callee,
      caller: edge.caller,
      strength,
      statement: () => edgeInWords(edge, explainedSeconds),
      rootCauseType: meaningOf(context, edge),
      facts: () => [view, ...(atCallee ? [atCallee] : [])].map((each) => metricFact(each, triggerMs)),
    },
  ];
}

function edgeInWords({ view, atCallee }: MeasuredEdge, explainedSeconds: number): string {
  const atOtherEnd = atCallee ? `; ${changeInWords(atCallee)}` : '';
  const below = explainedSeconds > 0 ? '; calls below explain a part of it only' : '';
  return `${changeInWords(view)}${atOtherEnd}${below}`;
}

/** Lost on the way only where the callee's own measurement shows that it is not slow itself. Without one nobody knows. */
function meaningOf(context: RankContext, { statistic, atCallee, callee, rise }: MeasuredEdge): RootCauseType {
  const nature = natureOf(callee);
  if (nature !== 'unknown' && !atCallee) return nature;
  const own =
    atCallee ?? pickSeries(context, callee, { classes: ['latency'], words: statistic ? statistic.split(' ') : [] });
  if (!own || own.incident.count === 0 || own.baseline.count === 0 || /client/i.test(own.metric)) return nature;
  const ownRise = own.incident.rise * secondsPerUnit(own.metric, own.source.unit);
  return ownRise < OWN_PART * rise ? 'network_latency' : nature;
}

/** `p95` of a metric's name, so that like is compared with like; empty when it names none. */
function statisticOf({ metric, source }: SeriesView): string {
  const quantile = source.labels?.['quantile'];
  const named =
    withoutPeer(metric)
      .toLowerCase()
      .match(/p\d{2,3}|avg|average|mean|max/g) ?? [];
  return [...named, ...(quantile === undefined ? [] : [quantile])].join(' ');
}
