import type { RootCauseType } from '../../domain/root-cause-type.ts';
import { inSnakeCase, isShare, saysPercent } from '../metrics/metric-class.ts';
import { changeInWords, metricFact } from '../metrics/metric-evidence.ts';
import { measureLevel, surpriseOf, type SeriesView } from '../metrics/series-view.ts';
import { finiteRows, type Samples } from '../metrics/usable-samples.ts';
import { saturate } from '../metrics/effect.ts';
import { type Clue, type RankContext } from './clue.ts';
import { onGrid } from './symptom.ts';

/** Half strength at this many usual spreads. */
const HALF_SURPRISE = 2.5;
/** A resource counts as used up from here on, and not at all below `NEAR`. */
const FULL = 0.97;
const NEAR = 0.85;
/** A rise by this part of the limit counts fully. */
const FULL_RISE = 0.5;
/** Work that waits, on a logarithmic scale: 10 waiting .52, 100 and more 1. */
const FULL_WAITING_DIGITS = 2;

const USED = /(^|_)(in_use|used|usage|active|open|busy|borrowed|current|checked_?out)(_|$)/;
const LIMIT = /(^|_)(max|maximum|limit|capacity|size)(_|$)/;
const WAITING = /(^|_)(waiting|waiters|pending|queued|blocked|backlog|lag|depth)(_|$)|queue_(length|size)/;
const EVENT_LOOP = /event_?loop/;

/** What a used-up resource is called, by the words of its name; first match decides. */
const RESOURCES: readonly (readonly [RegExp, RootCauseType])[] = [
  [/pool|connection|conn(_|$)|socket|(^|_)fds?(_|$)|file_desc/, 'connection_exhaustion'],
  [/(^|_)(io|iops|busy|util)|disk_time/, 'io_saturation'],
  [/disk|filesystem|(^|_)fs(_|$)|inode|volume/, 'disk_full'],
  [/queue|lag|backlog|consumer|thread|worker|pending|executor/, 'queue_backlog'],
];

/**
 * A bounded resource at its limit: connection pool, file handles, disk, queue. Measures how much of the limit the incident took (a share, or
 * a used count against the maximum beside it), or how much work began to wait. Only what is used up speaks: half a pool is no trouble.
 */
export function limitClues(context: RankContext): Clue[] {
  return [...context.seriesOf].flatMap(([service, views]) => {
    const limits = limitsIn(views);
    const found = views
      .flatMap((view) => [...fullness(context, view, limits), ...waiting(view)])
      .sort((a, b) => b.strength - a.strength);
    const best = found[0];
    return best ? [limitClue(context, service, best, found)] : [];
  });
}

interface Tightness {
  readonly view: SeriesView;
  readonly strength: number;
  readonly type: RootCauseType;
}

function limitClue(context: RankContext, service: string, best: Tightness, found: readonly Tightness[]): Clue {
  const views = found.filter(({ type }) => type === best.type).map(({ view }) => view);
  // A used count says little without its maximum; what waits, or a share, says it all.
  const plain = views.filter((view) => !USED.test(nameOf(view)) || isShare(view.metric, view.source.unit));
  const shown = (plain.length > 0 ? plain : views).slice(0, 2);
  return {
    type: 'limit',
    service,
    strength: best.strength,
    statement: () => shown.map(changeInWords).join('; '),
    rootCauseType: best.type,
    facts: () => shown.map((view) => metricFact(view, context.model.triggerMs)),
  };
}

function nameOf(view: SeriesView): string {
  return inSnakeCase(view.metric).replace(/[^a-z0-9]+/g, '_');
}

function resourceOf(view: SeriesView): RootCauseType | undefined {
  if (view.edge || !['queue', 'disk'].includes(view.metricClass)) return undefined;
  return RESOURCES.find(([pattern]) => pattern.test(nameOf(view)))?.[1];
}

/** The maxima among the series of a service, by what they limit. Of several the first holds. */
function limitsIn(views: readonly SeriesView[]): ReadonlyMap<string, SeriesView> {
  const limits = new Map<string, SeriesView>();
  for (const view of views) {
    const name = nameOf(view);
    const key = limitKey(view, name.replace(LIMIT, '_'));
    if (LIMIT.test(name) && !limits.has(key)) limits.set(key, view);
  }
  return limits;
}

/** The same stem of the same instance: `pool_connections` of `pool_connections_in_use` and of `pool_connections_max`. */
function limitKey({ instance }: SeriesView, stem: string): string {
  return `${stem}\n${instance ?? ''}`;
}

function fullness(context: RankContext, view: SeriesView, limits: ReadonlyMap<string, SeriesView>): Tightness[] {
  const type = resourceOf(view);
  const share = type && shareOfLimit(view, limits);
  if (!type || !share || share.values.length < 2) return [];
  const { baseline, incident } = measureLevel(share.timesMs, share.values, context.model.window, view.stepMs);
  if (baseline.count === 0 || incident.count === 0) return [];
  const reached = baseline.median + incident.rise;
  const nearness = Math.min(1, (reached - NEAR) / (FULL - NEAR));
  // A share has no relative floor: two hundredths of a limit are noise for every resource.
  const surprise = incident.rise / (baseline.spread + 0.02);
  const strength = nearness * Math.min(1, incident.rise / FULL_RISE) * saturate(surprise, HALF_SURPRISE);
  return strength > 0 ? [{ view, strength, type }] : [];
}

/** The samples as shares of the limit: of one hundred, of one, or of the maximum that a metric of the same stem tells. */
function shareOfLimit(view: SeriesView, limits: ReadonlyMap<string, SeriesView>): Samples | undefined {
  const { timesMs, values, metric, source } = view;
  if (isShare(metric, source.unit)) {
    const isPercent = saysPercent(metric, source.unit) || view.baseline.q95 > 1.5;
    return { timesMs, values: values.map((value) => value / (isPercent ? 100 : 1)) };
  }
  const name = nameOf(view);
  if (!USED.test(name)) return undefined;
  const limit = limits.get(limitKey(view, name.replace(USED, '_')));
  if (!limit) return undefined;
  const maxima = onGrid(limit, timesMs, view.stepMs);
  const shares = values.map((value, i) => value / (maxima[i] ?? NaN));
  return finiteRows(timesMs, shares);
}

function waiting(view: SeriesView): Tightness[] {
  const type = resourceOf(view);
  const name = nameOf(view);
  if (!type || !WAITING.test(name) || EVENT_LOOP.test(name) || isShare(view.metric, view.source.unit)) return [];
  const { incident, baseline } = view;
  if (incident.count === 0 || baseline.count === 0 || incident.rise <= 0) return [];
  const effect = Math.min(1, Math.log10(1 + incident.rise) / FULL_WAITING_DIGITS);
  const surprise = surpriseOf(
    view,
    incident.rise,
    Math.max(baseline.spread, 0.4 * (baseline.q95 - baseline.median)),
    1,
  );
  return [{ view, strength: effect * saturate(surprise, HALF_SURPRISE), type }];
}
