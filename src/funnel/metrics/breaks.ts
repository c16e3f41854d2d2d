import { duration, relativeTime } from '../../domain/relative-time.ts';
import type { IncidentModel } from '../incident-model.ts';
import type { LayerItem } from '../layers.ts';
import { originOf } from './metric-evidence.ts';
import { nameInWords } from './metric-name.ts';
import { unitOf } from './metric-unit.ts';
import { quantitiesInWords, quantityWord } from './number-words.ts';
import type { SeriesView } from './series-view.ts';

/** Fewer samples before the incident say nothing about how regular a series is. */
const MIN_REGULAR = 20;
const MIN_SILENCE_MS = 60_000;
const MIN_SILENT_STEPS = 3;
/** When more of all series pause at once, it is the collection that paused. */
const COLLECTION_SHARE = 0.2;
const MIN_COLLECTION = 10;
/** A break is certain, yet seldom the cause: it stands among changes of middling weight. A restart tells most, for something made it. */
const SILENCE_WEIGHT = 0.5;
const RESTART_WEIGHT = 0.6;
const STEP_WEIGHT = 0.45;
/** A drop of a counter to less than this part of its value is a new start, no correction. */
const STARTED_AGAIN = 0.5;
const MAX_NAMED = 3;
/** A smaller part of a level that never moved is growth at last, no other setting. */
const LEAST_STEP = 0.01;

/**
 * What a level cannot show: a regular series that falls silent, a counter that starts again from zero because its process did, a series that never
 * moved and now stands elsewhere (a limit, a setting, a number of replicas). One item a service and kind of break, by key.
 */
export function findBreaks(model: IncidentModel): LayerItem[] {
  const endMs = model.series.reduce((latest, { timesMs }) => Math.max(latest, timesMs.at(-1) ?? 0), 0);
  const silent = groupByService(model, (view) => silenceOf(model, view, endMs));
  const isCollection = silent.flat().length >= Math.max(MIN_COLLECTION, COLLECTION_SHARE * model.series.length);
  return [
    ...(isCollection ? [] : silent.map((breaks) => silenceItem(model, breaks))),
    ...groupByService(model, (view) => restartOf(model, view)).map((breaks) => restartItem(model, breaks)),
    ...model.series.flatMap((view) => stepItem(model, view)),
  ];
}

interface Break {
  readonly view: SeriesView;
  readonly fromMs: number;
  /** Undefined when it lasts. */
  readonly toMs?: number;
}

/** Breaks of one kind, a list a service, in the order of the series. */
function groupByService(model: IncidentModel, find: (view: SeriesView) => Break | undefined): (readonly Break[])[] {
  const byService = new Map<string, Break[]>();
  for (const view of model.series) {
    const found = find(view);
    if (!found) continue;
    const known = byService.get(view.service);
    if (known) known.push(found);
    else byService.set(view.service, [found]);
  }
  return [...byService.values()];
}

/** The longest silence around the alert of a series that had none before. `endMs`: last sample of all series. */
function silenceOf({ window }: IncidentModel, view: SeriesView, endMs: number): Break | undefined {
  const { timesMs, stepMs, incidentRows } = view;
  if (incidentRows.from < MIN_REGULAR) return undefined;
  const leastMs = Math.max(MIN_SILENCE_MS, MIN_SILENT_STEPS * stepMs);
  for (let row = 1; row < incidentRows.from; row++) {
    if ((timesMs[row] ?? 0) - (timesMs[row - 1] ?? 0) >= leastMs) return undefined;
  }
  let found: Break | undefined;
  for (let row = incidentRows.from; row < timesMs.length; row++) {
    const [fromMs, toMs] = [timesMs[row - 1] ?? 0, timesMs[row] ?? 0];
    const longestMs = found ? (found.toMs ?? 0) - found.fromMs : 0;
    if (toMs - fromMs >= leastMs && toMs - fromMs > longestMs) found = { view, fromMs, toMs };
  }
  const lastMs = timesMs.at(-1) ?? 0;
  const isOver = endMs - lastMs >= leastMs && lastMs >= window.fromMs - leastMs;
  return isOver ? { view, fromMs: lastMs } : found;
}

function restartOf({ window }: IncidentModel, view: SeriesView): Break | undefined {
  if (!view.isRate) return undefined;
  const { timesMs, values } = view.source;
  for (let row = values.length - 1; row > 0; row--) {
    const fromMs = timesMs[row] ?? 0;
    if (fromMs < window.fromMs) return undefined;
    if (fromMs <= window.toMs && (values[row] ?? 0) < STARTED_AGAIN * (values[row - 1] ?? 0)) return { view, fromMs };
  }
  return undefined;
}

function silenceItem({ triggerMs }: IncidentModel, breaks: readonly Break[]): LayerItem {
  const [first] = breaks;
  if (!first) throw new Error('A group of breaks has at least one.');
  const { view, fromMs, toMs } = first;
  const last = view.values[view.timesMs.indexOf(fromMs)];
  const usual = last === undefined ? '' : ` (last ${quantityWord(last, unitOf(view))})`;
  const length = toMs === undefined ? '' : `, for ${duration(toMs - fromMs)}`;
  const others = breaks.length > 1 ? `; ${breaks.length - 1} more series of ${view.service} likewise` : '';
  const statement = `${nameInWords(view)}: no samples since ${relativeTime(fromMs, triggerMs)}${length}${usual}${others}`;
  return itemOf(view, 'silence', statement, fromMs, SILENCE_WEIGHT);
}

function restartItem({ triggerMs }: IncidentModel, breaks: readonly Break[]): LayerItem {
  const [first] = breaks;
  if (!first) throw new Error('A group of breaks has at least one.');
  const { view, fromMs } = first;
  const names = [...new Set(breaks.map((each) => each.view.metric))];
  const more = names.length > MAX_NAMED ? ` and ${names.length - MAX_NAMED} more` : '';
  const statement = `${view.service} ${names.slice(0, MAX_NAMED).join(', ')}${more}: started again from zero ${relativeTime(fromMs, triggerMs)}, as counters do when their process restarts`;
  return itemOf(view, 'restart', statement, fromMs, RESTART_WEIGHT);
}

/** A series without any movement before the incident that stands elsewhere to its end. */
function stepItem({ triggerMs }: IncidentModel, view: SeriesView): LayerItem[] {
  const { values, timesMs, incidentRows, isRate } = view;
  const [usual, now] = [values[0], values.at(-1)];
  if (isRate || incidentRows.from < MIN_REGULAR || usual === undefined || now === undefined || now === usual) return [];
  for (let row = 1; row < incidentRows.from; row++) if (values[row] !== usual) return [];
  const from = values.findIndex((value) => value !== usual);
  const isLarge = Math.abs(now - usual) >= LEAST_STEP * Math.max(Math.abs(now), Math.abs(usual));
  const isStep = isLarge && from < values.length - 1 && values.subarray(from).every((value) => value === now);
  const fromMs = timesMs[from] ?? 0;
  if (!isStep || fromMs > triggerMs) return [];
  const change = quantitiesInWords([usual, now], unitOf(view), ' → ');
  const statement = `${nameInWords(view)}: ${change} since ${relativeTime(fromMs, triggerMs)}; never moved before`;
  return [itemOf(view, 'step', statement, fromMs, STEP_WEIGHT, [usual, now])];
}

function itemOf(
  view: SeriesView,
  kind: string,
  statement: string,
  atMs: number,
  weight: number,
  numbers?: number[],
): LayerItem {
  const evidence = {
    kind: 'metric' as const,
    service: view.service,
    statement,
    atMs,
    ...(numbers === undefined ? {} : { numbers }),
    ...originOf(view),
  };
  return { key: `${view.key}/${kind}`, evidence, weight };
}
