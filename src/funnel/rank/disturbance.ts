import type { RootCauseType } from '../../domain/root-cause-type.ts';
import { changesOf, metricFact } from '../metrics/metric-evidence.ts';
import { badDirection, type MetricClass } from '../metrics/metric-class.ts';
import type { SeriesView } from '../metrics/series-view.ts';
import type { Clue, RankContext } from './clue.ts';

const SYMPTOMS: ReadonlySet<MetricClass> = new Set(['latency', 'error', 'availability']);
/** A service is judged by this many metrics: one odd metric is common, several at once are not. */
const METRICS = 3;
/** Changes below a fifth of the usual level are everyday life. */
const FLOOR = 0.2;
/** A level is at least this share of the usual one, so that a stop is as finite as a surge. */
const LEAST_LEVEL = 0.01;
/** Sum of ln(1+z) beyond the common one that counts fully: three metrics, each at some 13 times its spread. */
const FULL = 8;

/**
 * Disturbance of a whole resource profile. Measures how far processor, memory, network and disk together depart from
 * usual, on a logarithmic scale on which a stop weighs as much as a surge: a service cut off from the network, starved or killed shows
 * it in several metrics, and in most of them by falling. Speaks only where nothing measures the symptom itself (no latency, errors,
 * availability, traces): there it is the best there is, elsewhere it would blame the victims.
 */
export function disturbanceClues(context: RankContext): Clue[] {
  if (measuresSymptom(context)) return [];
  const disturbances = [...context.seriesOf].map(([service, views]) => measureDisturbance(service, views));
  // What most services show, such as less traffic everywhere, is no sign of one of them.
  const common = lowerMedian(disturbances.map(({ total }) => total));
  return disturbances.flatMap(({ service, views, total }) => {
    const strength = Math.min(1, (total - common) / FULL);
    return strength > 0 ? [disturbanceClue(context, service, views, strength)] : [];
  });
}

interface Disturbance {
  readonly service: string;
  /** The most disturbed metrics, and the sum of their ln(1+z). */
  readonly views: readonly SeriesView[];
  readonly total: number;
}

function measureDisturbance(service: string, views: readonly SeriesView[]): Disturbance {
  const found = views
    .filter(({ metricClass }) => metricClass !== 'node')
    .map((view) => ({ view, surprise: logSurprise(view) }))
    .filter(({ surprise }) => surprise > 0)
    .sort((a, b) => b.surprise - a.surprise)
    .slice(0, METRICS);
  const total = found.reduce((sum, { surprise }) => sum + Math.log1p(surprise), 0);
  return { service, views: found.map(({ view }) => view), total };
}

/** The lower middle, so that of two services the more disturbed one stands out. */
function lowerMedian(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[(values.length - 1) >> 1] ?? 0;
}

function measuresSymptom({ model }: RankContext): boolean {
  if (model.telemetry.spans.length > 0) return true;
  const carriers = model.series.filter(({ metricClass }) => SYMPTOMS.has(metricClass)).map(({ service }) => service);
  return new Set(carriers).size >= 2;
}

/** Departure of the most extreme piece, as a logarithm of its ratio to the usual level, against the usual spread of that. */
function logSurprise({ baseline, incident, constant }: SeriesView): number {
  if (constant || baseline.count === 0 || incident.count === 0) return 0;
  const usual = Math.abs(baseline.median);
  const scale = usual > 0 ? usual : baseline.spread;
  if (scale === 0) return incident.rise > 0 ? 1 / FLOOR : 0;
  const ratio = (deviation: number) => Math.max(LEAST_LEVEL, (scale + deviation) / scale);
  const departure = Math.max(Math.log(ratio(incident.rise)), -Math.log(ratio(-incident.fall)));
  return departure > 0 ? departure / (Math.log1p(baseline.spread / scale) + FLOOR) : 0;
}

function disturbanceClue(context: RankContext, service: string, views: readonly SeriesView[], strength: number): Clue {
  return {
    type: 'disturbance',
    service,
    strength,
    statement: () => `several metrics of ${service} depart from usual at once: ${changesOf(views)}`,
    rootCauseType: meaningOf(views[0]),
    facts: () => views.map((view) => metricFact(view, context.model.triggerMs)),
  };
}

/** Only a rise of processor, memory or disk names a cause; a fall is what many causes look like. */
function meaningOf(view: SeriesView | undefined): RootCauseType {
  if (!view || view.incident.rise < view.incident.fall || badDirection(view.metricClass) === 'down') return 'unknown';
  if (view.metricClass === 'cpu') return 'cpu_saturation';
  return view.metricClass === 'memory' ? 'memory_exhaustion' : 'unknown';
}
