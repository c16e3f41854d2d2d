import type { RootCauseType } from '../../domain/root-cause-type.ts';
import { badDirection, type MetricClass } from '../metrics/metric-class.ts';
import { absoluteFloor, isTrifle } from '../metrics/metric-features.ts';
import { changesOf, metricFact } from '../metrics/metric-evidence.ts';
import { surpriseOf, type SeriesView } from '../metrics/series-view.ts';
import { largest } from '../metrics/statistics.ts';
import type { Clue, RankContext } from './clue.ts';

/** How much a change of a class alone says about a fault. Whole nodes say nothing about one service. */
const CLASS_WEIGHT: Readonly<Record<MetricClass, number>> = {
  cpu: 1,
  memory: 0.9,
  latency: 0.9,
  error: 1,
  availability: 1,
  restart: 1.2,
  queue: 0.8,
  disk: 0.8,
  network: 0.45,
  requests: 0.35,
  node: 0,
  other: 0.5,
};

const MEANING: Partial<Record<MetricClass, RootCauseType>> = {
  cpu: 'cpu_saturation',
  memory: 'memory_exhaustion',
  queue: 'queue_backlog',
  disk: 'io_saturation',
};

/** ln(1+z) that counts fully. */
const FULL_LOG_SURPRISE = 5;
const AGREEING_CLASS = 0.15;
const WORTH_NAMING = 0.4;
/** A client-side latency belongs to whom the service calls. */
const CLIENT_SIDE = 0.4;

/**
 * Any unusual metric: the fallback where no module knows the physics. Measures the logarithm of the robust z of the best piece,
 * weighed by class, over a service's three most unusual classes. A caller's latency or errors count only beyond what a
 * callee shows on the same metric. Not asked where whole profiles speak (`disturbance`).
 */
export function genericClues(context: RankContext): Clue[] {
  return [...context.seriesOf].flatMap(([service, views]) => {
    const byClass = new Map<MetricClass, Unusual>();
    for (const view of views) {
      const strength = unusualness(context, view);
      if (strength > (byClass.get(view.metricClass)?.strength ?? 0)) byClass.set(view.metricClass, { view, strength });
    }
    const found = [...byClass.values()].sort((a, b) => b.strength - a.strength);
    return genericClue(context, service, found);
  });
}

interface Unusual {
  readonly view: SeriesView;
  readonly strength: number;
}

function genericClue(context: RankContext, service: string, found: readonly Unusual[]): Clue[] {
  const [first, ...others] = found.slice(0, 3);
  if (!first) return [];
  // Only metrics that are nearly as unusual as the first are worth a word.
  const named = [first, ...others.filter(({ strength }) => strength >= WORTH_NAMING * first.strength)];
  const agreeing = others.reduce((total, { strength }) => total + strength, 0);
  return [
    {
      type: 'generic',
      service,
      strength: Math.min(1, first.strength + AGREEING_CLASS * agreeing),
      statement: () => unusualInWords(named.map(({ view }) => view)),
      rootCauseType: MEANING[first.view.metricClass] ?? 'unknown',
      facts: () => named.map(({ view }) => metricFact(view, context.model.triggerMs)),
    },
  ];
}

function unusualInWords(views: readonly SeriesView[]): string {
  const names = views.map(({ metric }) => metric).join(', ');
  return `unusual: ${changesOf(views) || `${names}, of which there are few samples`}`;
}

function unusualness(context: RankContext, view: SeriesView): number {
  const weight = CLASS_WEIGHT[view.metricClass];
  if (weight === 0 || view.values.length < 2 || view.incident.count === 0 || view.baseline.count === 0) return 0;
  if (isTrifle(view)) return 0;
  const direction = badDirection(view.metricClass);
  const { rise, fall } = view.incident;
  const worst = direction === 'up' ? rise : direction === 'down' ? fall : Math.max(rise, fall);
  const deviation = worst - explainedByCallees(context, view);
  const { median, q05, q95, spread } = view.baseline;
  const isUpward = direction === 'up' || (direction === 'either' && rise >= fall);
  const tail = 0.4 * (isUpward ? q95 - median : median - q05);
  const surprise = surpriseOf(view, deviation, Math.max(spread, tail), absoluteFloor(view));
  const isClientSide = view.edge ? view.edge.callee !== view.service : /client/i.test(view.metric);
  const side = view.metricClass === 'latency' && isClientSide ? CLIENT_SIDE / weight : 1;
  return weight * side * Math.min(1, Math.log1p(surprise) / FULL_LOG_SURPRISE);
}

const INHERITED: ReadonlySet<MetricClass> = new Set(['latency', 'error', 'availability']);

/** What the callees of the service that a view describes show on the same metric: on a call edge its own calls on, else the metric of each. */
function explainedByCallees(context: RankContext, view: SeriesView): number {
  if (!INHERITED.has(view.metricClass)) return 0;
  const explaining = view.edge ? callsOnward(context, view, view.edge.callee) : sameMetricOfCallees(context, view);
  return Math.max(
    0,
    largest(explaining.map(({ incident }) => (view.metricClass === 'availability' ? incident.fall : incident.rise))),
  );
}

function sameMetricOfCallees(context: RankContext, view: SeriesView): SeriesView[] {
  const callees = context.model.services.callees(view.service);
  return [...callees].flatMap((callee) =>
    (context.seriesOf.get(callee) ?? []).filter((other) => other.metric === view.metric),
  );
}

function callsOnward(context: RankContext, view: SeriesView, callee: string): SeriesView[] {
  const stem = edgeStem(view.metric);
  return (context.callsOf.get(callee) ?? []).filter((other) => edgeStem(other.metric) === stem);
}

/** `client_p50_from:cart` and `client_p50_from:web` measure the same. */
function edgeStem(metric: string): string {
  return metric.replace(/[:=].*$/, '');
}
