import type { Layer, LayerItem } from '../layers.ts';
import type { LogChange } from './log-change.ts';
import { measureLogs, type LogLayerInput, type LogMeasures, type TemplateMeasure } from './log-measures.ts';
import { notesOf } from './log-notes.ts';
import { driftsInWords, templateInWords } from './log-words.ts';
import { findDrifts, type ParameterDrift } from './parameter-drift.ts';

/** Templates shown (SPEC C3); more only when all beyond tell of the incident, and never more than the other numbers. */
const MAX_ITEMS = 5;
const MAX_ERRORS = 15;
const MAX_OTHERS = 6;
const MAX_DRIFTS = 4;
/** As many lines without errors that change alike are no crowd. */
const FEW = 4;
/** What tells less than this is shown only for want of better. */
const LEAST_TELLING = 0.2;

/** How telling a change is, for errors and for other lines: what began or grew with the incident before what is always there. */
const TELLING: Readonly<Record<LogChange, { readonly error: number; readonly other: number }>> = {
  new: { error: 0.9, other: 0.55 },
  burst: { error: 0.8, other: 0.5 },
  uncompared: { error: 0.7, other: 0.15 },
  vanished: { error: 0.1, other: 0.6 },
  fewer: { error: 0.1, other: 0.4 },
  steady: { error: 0.3, other: 0.05 },
};
/** Volume, or to have come first, decides between templates that are equally telling. */
const TIE_SHARE = 0.09;
/**
 * Values that moved inside a line lie below a new error, by how far they moved: times, sizes and shares measure something; bare numbers and
 * words may only belong to what was asked for.
 */
const DRIFT = { measure: { least: 0.55, most: 0.85 }, other: { least: 0.3, most: 0.55 } } as const;

/**
 * Distils logs into at most five templates, best first, and counts everything else in the notes (SPEC C3). What tells of the incident is
 * kept beyond five, however rare: errors that are new or more frequent, lines that are new, more, fewer or gone; the notes then say so. Lines
 * whose values moved stand beside them.
 */
export function readLogs(input: LogLayerInput): Layer {
  const measures = measureLogs(input);
  if (measures.linesInWindow + measures.linesOutside + measures.foldedLines === 0) return { items: [], notes: [] };
  const ranked = measures.templates
    .filter((measure) => measure.count > 0 || measure.change === 'vanished')
    .toSorted((a, b) => weightOf(b, measures) - weightOf(a, measures) || a.template.number - b.template.number);
  const shown = chooseTemplates(ranked, measures);
  const items = [
    ...shown.map((measure) => itemOf(measure, measures)),
    ...driftItems(findDrifts(input, measures), measures),
  ];
  return {
    items: items.toSorted((a, b) => b.weight - a.weight),
    notes: notesOf({ ranked, shown: new Set(shown), most: MAX_ITEMS, measures }),
  };
}

/**
 * The item of one template, wherever it is cited: the same template gives the same key and statement. Throws for a number
 * that is not in `measures`.
 */
export function templateItem(number: number, measures: LogMeasures): LayerItem {
  const measure = measures.templates[number];
  if (!measure) throw new Error(`There is no log template ${number}; there are ${measures.templates.length}.`);
  return itemOf(measure, measures);
}

/** One item a template of which values moved, largest effect first: `log:<template number>/values`. */
export function driftItems(drifts: readonly ParameterDrift[], measures: LogMeasures): LayerItem[] {
  const byTemplate = new Map<number, ParameterDrift[]>();
  for (const drift of drifts)
    byTemplate.set(drift.templateNumber, [...(byTemplate.get(drift.templateNumber) ?? []), drift]);
  return [...byTemplate].slice(0, MAX_DRIFTS).flatMap(([number, group]): LayerItem[] => {
    const measure = measures.templates[number];
    const [first] = group;
    if (!measure || !first) return [];
    const sinceMs = Math.min(...group.map((drift) => drift.sinceMs));
    return [
      {
        key: `log:${number}/values`,
        weight: Math.max(...group.map(driftWeight)),
        evidence: {
          kind: 'log',
          service: first.service || undefined,
          statement: driftsInWords(group, measure, measures.triggerMs),
          atMs: Number.isFinite(sinceMs) ? sinceMs : undefined,
          numbers: group.flatMap(numbersOf),
        },
      },
    ];
  });
}

function driftWeight({ change, effect }: ParameterDrift): number {
  const isMeasure = change.kind === 'shift' && change.dimension !== 'number';
  const { least, most } = isMeasure ? DRIFT.measure : DRIFT.other;
  return least + (most - least) * effect;
}

function numbersOf({ change, linesBefore, linesNow }: ParameterDrift): number[] {
  const moved =
    change.kind === 'shift' ? [change.usual, change.now] : [100 * change.shareBefore, 100 * change.shareNow];
  return [...moved.map((value) => Number(value.toPrecision(3))), linesBefore, linesNow];
}

function chooseTemplates(ranked: readonly TemplateMeasure[], measures: LogMeasures): readonly TemplateMeasure[] {
  const telling = ranked.filter((measure) => isTelling(measure, measures));
  const errors = new Set(telling.filter(({ template }) => template.isError).slice(0, MAX_ERRORS));
  const others = new Set(telling.filter(({ template }) => !template.isError).slice(0, MAX_OTHERS));
  return ranked.filter((measure, place) => place < MAX_ITEMS || errors.has(measure) || others.has(measure));
}

function isTelling(measure: TemplateMeasure, measures: LogMeasures): boolean {
  const { template, change, count } = measure;
  if (template.isError) return count > 0 && (change === 'new' || change === 'burst' || change === 'uncompared');
  return change !== 'uncompared' && tellingOther(measure, measures) >= LEAST_TELLING;
}

function weightOf(measure: TemplateMeasure, measures: LogMeasures): number {
  const { template, change, count, expected } = measure;
  const tier = template.isError ? TELLING[change].error : tellingOther(measure, measures);
  const volume = Math.min(1, Math.log10(1 + Math.max(count, expected ?? 0)) / 6);
  const early = 1 / (1 + (measures.errorPlaces.get(template.number) ?? Infinity));
  return tier + TIE_SHARE * Math.max(volume, early);
}

/**
 * Where many lines without errors change in the same way at once, people do other things than before, and each of them says less. A single new
 * line says little where new lines are usual, and much where none is; every further line of it says more.
 */
function tellingOther({ change, count }: TemplateMeasure, { crowds, usuallyNew }: LogMeasures): number {
  const least = TELLING.steady.other;
  const crowd = Math.max(1, (crowds.get(change) ?? 0) / FEW);
  const certain = change === 'new' ? 1 - (1 - 1 / (1 + usuallyNew)) ** count : 1;
  return least + Math.max(0, TELLING[change].other - least) * (certain / crowd);
}

function itemOf(measure: TemplateMeasure, measures: LogMeasures): LayerItem {
  const { template, count, expected, change, firstMs, lastMs, services } = measure;
  // What is as ever has no moment; what is gone has that of its last line.
  const isPlain = change === 'steady' && !template.isError;
  const atMs = isPlain ? NaN : change === 'vanished' ? lastMs : firstMs;
  return {
    key: `log:${template.number}`,
    weight: weightOf(measure, measures),
    evidence: {
      kind: 'log',
      service: services[0]?.[0],
      statement: templateInWords(measure, measures.triggerMs),
      atMs: Number.isNaN(atMs) ? undefined : atMs,
      numbers: expected === undefined ? [count] : [count, Math.round(expected)],
    },
  };
}
