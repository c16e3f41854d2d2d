import type { IncidentModel } from '../incident-model.ts';
import type { Layer, LayerItem } from '../layers.ts';
import type { MetricClass } from './metric-class.ts';
import { findBreaks } from './breaks.ts';
import { saturate } from './effect.ts';
import { badSurprise, isTrifle, MIN_POINTS } from './metric-features.ts';
import { metricFact } from './metric-evidence.ts';
import type { SeriesView } from './series-view.ts';

/** Robust z from which a change is notable. */
const NOTABLE_SURPRISE = 3;
const MAX_ITEMS = 40;
const MAX_PER_SERVICE = 6;
const MAX_BREAKS = 8;

/** How much a change of this class says about a fault, compared at equal surprise. */
const TELLING: Readonly<Record<MetricClass, number>> = {
  latency: 1,
  error: 1,
  availability: 1,
  restart: 1,
  cpu: 1,
  memory: 0.9,
  queue: 0.8,
  disk: 0.7,
  network: 0.5,
  requests: 0.5,
  other: 0.5,
  node: 0.3,
};

/**
 * The metric layer (SPEC C1, C2): hundreds of series become at most 40 sentences. Services stand in the order of their most
 * telling change, each with its own changes together; what is left out is counted in the notes.
 */
export function readMetrics(model: IncidentModel): Layer {
  if (model.series.length === 0) return { items: [], notes: ['no metric series'] };
  const measurable = model.series.filter((view) => view.values.length >= MIN_POINTS && view.incident.count > 0);
  const weighed = measurable
    .map((view) => ({ view, surprise: badSurprise(view), weight: weightOf(view, model) }))
    .filter(({ view, surprise }) => (surprise >= NOTABLE_SURPRISE && !isTrifle(view)) || view.source.fromAlert);
  const changed = new Set(weighed.map(({ view }) => view.key));
  // A step that is in the bad direction is told as a change already.
  const breaks = findBreaks(model).filter(({ key }) => !changed.has(key.replace(/\/step$/, '')));
  const told = breaks.sort((a, b) => b.weight - a.weight || (a.key < b.key ? -1 : 1)).slice(0, MAX_BREAKS);
  const chosen = groupByService(weighed).slice(0, MAX_ITEMS - told.length);
  const items = chosen.map(({ view, weight }): LayerItem => ({ ...metricFact(view, model.triggerMs), weight }));
  const notes = notesFor(model, measurable, weighed.length, items.length);
  const left = breaks.length - told.length;
  return {
    items: [...items, ...told],
    notes:
      left > 0 ? [...notes, `${left} more series that fell silent, started again or stepped are not shown`] : notes,
  };
}

function weightOf(view: SeriesView, model: IncidentModel): number {
  if (view.source.fromAlert) return 1;
  const surprise = badSurprise(view);
  const nearby = model.services.distance(view.service) !== undefined || view.service === model.services.alerting;
  return TELLING[view.metricClass] * saturate(surprise, 6) * (nearby ? 1 : 0.8);
}

interface Weighed {
  readonly view: SeriesView;
  readonly weight: number;
}

/** `latency_p50`, `latency_p99` and `latency_Average` are one family: they move together and say one thing. */
function familyOf({ view }: Weighed): string {
  const family = view.metric.toLowerCase().replace(/p?\d{2,3}(?=\D|$)|average|mean|avg|median|max/g, '');
  return `${view.service}\n${view.edge ? `${view.edge.caller} ${view.edge.callee}` : ''}\n${family}`;
}

/**
 * Best first within a service, one a family; services by their best. The tail of a service with many series gives way to other
 * services.
 */
function groupByService(weighed: readonly Weighed[]): Weighed[] {
  const byService = new Map<string, Weighed[]>();
  const families = new Set<string>();
  for (const item of [...weighed].sort((a, b) => b.weight - a.weight || (a.view.key < b.view.key ? -1 : 1))) {
    const group = byService.get(item.view.service) ?? [];
    if (group.length < MAX_PER_SERVICE && !families.has(familyOf(item))) group.push(item);
    families.add(familyOf(item));
    byService.set(item.view.service, group);
  }
  return [...byService.values()].flat();
}

function notesFor(
  model: IncidentModel,
  measurable: readonly SeriesView[],
  notable: number,
  shown: number,
): readonly string[] {
  const notes: string[] = [];
  if (notable > shown)
    notes.push(
      `${notable - shown} more series with a notable change are not shown: other quantiles of the same metric, or less telling`,
    );
  const constant = measurable.filter((view) => view.constant).length;
  const quiet = measurable.length - notable;
  if (quiet > 0) {
    notes.push(`${quiet} series without a notable change${constant > 0 ? `, ${constant} of them constant` : ''}`);
  }
  const short = model.series.length - measurable.length;
  if (short > 0)
    notes.push(`${short} series with insufficient points (fewer than ${MIN_POINTS}, or none near the alert)`);
  return notes;
}
