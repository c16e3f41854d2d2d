import { inSnakeCase, type MetricClass } from '../metrics/metric-class.ts';
import type { SeriesView } from '../metrics/series-view.ts';
import { largest, lowerBound, median } from '../metrics/statistics.ts';
import type { RankContext } from './clue.ts';

/**
 * What a metric tells of a service. Metrics of one facet measure the same thing (resident and working set; bytes and packets) and count once. `held` is what
 * is occupied while something is waited for: threads, connections, sockets.
 */
export type Facet =
  | 'cpu'
  | 'memory'
  | 'received'
  | 'sent'
  | 'reads'
  | 'writes'
  | 'held'
  | 'requests'
  | 'failures'
  | 'latency'
  | 'restarts'
  | 'other';

const FACET_OF_CLASS: Readonly<Record<MetricClass, Facet | undefined>> = {
  cpu: 'cpu',
  memory: 'memory',
  latency: 'latency',
  error: 'failures',
  availability: undefined,
  restart: 'restarts',
  queue: 'held',
  disk: 'writes',
  network: 'sent',
  requests: 'requests',
  node: undefined,
  other: 'other',
};

function facetOf({ metric, metricClass, edge }: SeriesView): Facet | undefined {
  if (edge) return undefined;
  const name = inSnakeCase(metric);
  if (/socket|thread|process/.test(name) && metricClass !== 'cpu' && metricClass !== 'memory') return 'held';
  if (metricClass === 'network' && /drop|err|retrans|discard/.test(name)) return 'failures';
  if (metricClass === 'network') return /(^|_)(rx|in|ingress)(_|$)|rece?i/.test(name) ? 'received' : 'sent';
  if (metricClass === 'disk') return /read/.test(name) ? 'reads' : 'writes';
  return FACET_OF_CLASS[metricClass];
}

/** How far a facet moved around the alert, as logarithms of the ratio to its usual level, and how far it usually moves. */
export interface Movement {
  readonly view: SeriesView;
  readonly rise: number;
  readonly fall: number;
  readonly noise: number;
}

export type Profile = ReadonlyMap<Facet, Movement>;

/** The movements of all services: of each facet the metric that moved most in relation to its noise. */
export function profilesOf({ seriesOf, model }: RankContext): ReadonlyMap<string, Profile> {
  const profiles = new Map<string, Profile>();
  for (const [service, views] of seriesOf) {
    const profile = new Map<Facet, Movement>();
    for (const view of views) {
      const facet = facetOf(view);
      const movement = facet && movementOf(view, model.triggerMs, facet === 'held' ? HELD_ANYWAY : 0);
      if (facet && movement && surpriseOf(movement) >= surpriseOf(profile.get(facet))) profile.set(facet, movement);
    }
    profiles.set(service, profile);
  }
  return profiles;
}

/** The larger of rise and fall in units of noise. */
export function surpriseOf(movement: Movement | undefined): number {
  return movement ? Math.max(movement.rise, movement.fall) / movement.noise : 0;
}

/** What causes an alert is under way when it fires: only this stretch around the alert counts, so that a burst that was over before does not. */
const NEAR_MS = 120_000;
/** The middle of so long a stretch, three samples at least, is a level: shorter bursts are everyday life. */
const LEVEL_MS = 45_000;
const LEVEL_ROWS = 3;
/** Changes by less than a fifth are everyday life too, however rare they are for the series. */
const FLOOR = 0.2;
/** A level is at least this part of the usual one, so that a stop is as finite as a surge. */
const LEAST_LEVEL = 0.01;
/** One thread or socket more is none to speak of, whatever the ratio. */
const HELD_ANYWAY = 2;
/** A logarithm knows no way up from zero: the noise that makes a first rise telling, yet no proof. */
const FROM_ZERO: Pick<Movement, 'rise' | 'noise'> = { rise: 0.5, noise: FLOOR };

/** `offset` is added to every level, so that small counts do not double by one. */
function movementOf(view: SeriesView, triggerMs: number, offset: number): Movement | undefined {
  const { baseline, constant } = view;
  // A quantity that is usually below zero (an offset, a balance) has no ratio to its usual level.
  if (constant || baseline.count === 0 || baseline.median < 0) return undefined;
  const { high, low } = levelsNear(view, triggerMs) ?? {};
  if (high === undefined || low === undefined) return undefined;
  const usual = baseline.median + offset;
  if (usual === 0) {
    const before = largest(view.values.subarray(0, view.incidentRows.from));
    return high > before ? { view, fall: 0, ...FROM_ZERO } : undefined;
  }
  return {
    view,
    rise: Math.max(0, Math.log(Math.max(LEAST_LEVEL, (high + offset) / usual))),
    fall: Math.max(0, -Math.log(Math.max(LEAST_LEVEL, (low + offset) / usual))),
    noise: Math.log1p(baseline.spread / usual) + FLOOR,
  };
}

/** Highest and lowest median of a stretch near the alert; coarse series count with all of the incident. */
function levelsNear(view: SeriesView, triggerMs: number): { high: number; low: number } | undefined {
  const { timesMs, values, incidentRows, stepMs } = view;
  const from = Math.max(incidentRows.from, lowerBound(timesMs, triggerMs - Math.max(NEAR_MS, LEVEL_ROWS * stepMs)));
  const to = Math.min(incidentRows.to, lowerBound(timesMs, triggerMs + Math.max(NEAR_MS, LEVEL_ROWS * stepMs)));
  if (to <= from) return undefined;
  const rows = Math.min(to - from, Math.max(LEVEL_ROWS, Math.round(LEVEL_MS / stepMs)));
  const stride = Math.max(1, Math.floor(rows / 5));
  let [high, low] = [-Infinity, Infinity];
  for (let start = from; start + rows <= to; start += stride) {
    const level = median(values.subarray(start, start + rows));
    high = Math.max(high, level);
    low = Math.min(low, level);
  }
  return { high, low };
}
