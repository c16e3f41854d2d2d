import type { LogRecord } from '../../domain/telemetry.ts';
import { mayHaveMoved, numericShift, takeover } from './drift-tests.ts';
import { LineSample } from './line-sample.ts';
import { valuesOf, wildcardPlaces, type Dimension, type LineValue } from './line-values.ts';
import type { LogLayerInput, LogMeasures, TemplateMeasure } from './log-measures.ts';
import { FOLDED } from './templated-logs.ts';
import { isOnClock } from './time-span.ts';

/** A value inside the lines of one template and service whose distribution moved between the fault-free time and the window. */
export interface ParameterDrift {
  readonly templateNumber: number;
  readonly service: string;
  /** What stands before the value in the line, and whether it is the name of a field. */
  readonly name: string;
  readonly isField: boolean;
  readonly change: DriftChange;
  /** Lines compared, of the fault-free time and of the window. */
  readonly linesBefore: number;
  readonly linesNow: number;
  /** From here on the unusual values are more frequent than before. */
  readonly sinceMs: number;
  /** 0–1: how far it moved and in how many lines. */
  readonly effect: number;
}

export type DriftChange =
  | {
      /** Numbers that lie beyond what was usual. Times in milliseconds, sizes in bytes. */
      readonly kind: 'shift';
      readonly dimension: Dimension;
      readonly usual: number;
      readonly now: number;
      /** False when `now` is that of the unusual lines only. */
      readonly hasMedianMoved: boolean;
      /** Share of the window's lines beyond the usual range, 0–1. */
      readonly share: number;
    }
  /** One value that most lines now carry. Shares are 0–1. */
  | { readonly kind: 'takeover'; readonly value: string; readonly shareBefore: number; readonly shareNow: number };

/** Fewer lines show no distribution. */
const MIN_LINES_BEFORE = 12;
const MIN_LINES_NOW = 8;
/** Words and bare numbers belong to what was asked for as often as to how it went: a short time does not show all of them. */
const MIN_LINES_OF_OTHERS = 30;
const MAX_PER_TEMPLATE = 3;
/** Templates and services that are looked into, those with most lines first: a bound on the work. */
const MAX_SAMPLES = 1000;
const GLANCE = { before: 24, now: 16 };

/**
 * Finds the values that moved inside lines which come as ever (parameter drift), largest effect first. Looks at bounded samples of each template and
 * service; templates that are new or gone have nothing to compare.
 */
export function findDrifts(input: LogLayerInput, measures: LogMeasures): readonly ParameterDrift[] {
  const found = sampleLines(input, measures).flatMap(driftsOf);
  const ranked = found.toSorted((a, b) => b.effect - a.effect || a.templateNumber - b.templateNumber);
  const perTemplate = new Map<number, number>();
  return ranked.filter(({ templateNumber }) => {
    const taken = (perTemplate.get(templateNumber) ?? 0) + 1;
    perTemplate.set(templateNumber, taken);
    return taken <= MAX_PER_TEMPLATE;
  });
}

interface Samples {
  readonly template: TemplateMeasure;
  readonly service: string;
  readonly before: LineSample;
  readonly now: LineSample;
}

function sampleLines(input: LogLayerInput, measures: LogMeasures): readonly Samples[] {
  const byTemplate = measures.templates.map((measure) =>
    isComparable(measure) ? new Map<string, Samples>() : undefined,
  );
  const offer = (record: LogRecord, number: number | undefined, side: 'before' | 'now') => {
    const byService = byTemplate[number ?? FOLDED];
    const template = measures.templates[number ?? FOLDED];
    if (!byService || !template) return;
    const service = input.services.canonical(record.service);
    const known = byService.get(service) ?? { template, service, before: new LineSample(), now: new LineSample() };
    byService.set(service, known);
    known[side].offer(record);
  };
  const { templated, windowFromMs, windowToMs, triggerMs, reference } = input;
  input.logs.forEach((record, i) => {
    const { timeMs } = record;
    if (timeMs >= windowFromMs && timeMs <= windowToMs) offer(record, templated.current[i], 'now');
    else if (reference.length === 0 && timeMs < windowFromMs && isOnClock(timeMs, triggerMs)) {
      offer(record, templated.current[i], 'before');
    }
  });
  reference.forEach((record, i) => {
    if (!Number.isNaN(record.timeMs)) offer(record, templated.reference[i], 'before');
  });
  const all = byTemplate.flatMap((byService) => [...(byService?.values() ?? [])]);
  return all.length <= MAX_SAMPLES
    ? all
    : all.toSorted((a, b) => b.template.count - a.template.count).slice(0, MAX_SAMPLES);
}

/** Enough lines on both sides, and something in them that may vary: of a structured line the template holds the message only. */
function isComparable({ count, countBefore, template: { text, sample } }: TemplateMeasure): boolean {
  return count >= MIN_LINES_NOW && countBefore >= MIN_LINES_BEFORE && (text.includes('<*>') || /\d/.test(sample));
}

function driftsOf({ template: { template }, service, before, now }: Samples): readonly ParameterDrift[] {
  if (before.size < MIN_LINES_BEFORE || now.size < MIN_LINES_NOW) return [];
  const places = wildcardPlaces(template.text);
  if (!seemsToDiffer(collect(before.lines(GLANCE.before), places), collect(now.lines(GLANCE.now), places))) return [];
  const usual = collect(before.lines(), places);
  return collect(now.lines(), places).flatMap((place): ParameterDrift[] => {
    const calm = usual.find((other) => isSamePlace(other, place));
    if (!calm || calm.values.length < MIN_LINES_BEFORE || place.values.length < MIN_LINES_NOW) return [];
    const found = compare(calm, place);
    if (!found) return [];
    const { change, effect, isUnusual } = found;
    return [
      {
        templateNumber: template.number,
        service,
        name: place.name,
        isField: place.isField,
        change,
        linesBefore: calm.values.length,
        linesNow: place.values.length,
        sinceMs: onsetOf(place.values.map(isUnusual), place.timesMs),
        effect,
      },
    ];
  });
}

/** What one place of the lines held, line by line in the order of time. */
interface Place extends Pick<LineValue, 'name' | 'isField' | 'dimension' | 'nth'> {
  readonly values: (number | string)[];
  readonly timesMs: number[];
}

function isSamePlace(a: Omit<LineValue, 'value'>, b: Omit<LineValue, 'value'>): boolean {
  return a.nth === b.nth && a.dimension === b.dimension && a.name === b.name;
}

function collect(lines: readonly LogRecord[], wildcards: RegExp | undefined): readonly Place[] {
  const places: Place[] = [];
  for (const { message, timeMs } of lines) {
    valuesOf(message, wildcards).forEach((found, i) => {
      // Lines of one template have the same places, mostly in the same order.
      const guess = places[i];
      let place = guess && isSamePlace(guess, found) ? guess : places.find((known) => isSamePlace(known, found));
      if (!place) places.push((place = { ...found, values: [], timesMs: [] }));
      place.values.push(found.value);
      place.timesMs.push(timeMs);
    });
  }
  return places;
}

/** The moment that divides the values best into few and many unusual ones: where the sum of their surplus is least (CUSUM). */
function onsetOf(isUnusual: readonly boolean[], timesMs: readonly number[]): number {
  const mean = isUnusual.filter(Boolean).length / isUnusual.length;
  let [sum, least, onset] = [0, 0, 0];
  isUnusual.forEach((unusual, i) => {
    sum += (unusual ? 1 : 0) - mean;
    if (sum < least - 1e-9) [least, onset] = [sum, i + 1];
  });
  return timesMs[onset] ?? NaN;
}

/** Most lines differ in nothing: a few of them tell, and spare reading the others. */
function seemsToDiffer(usual: readonly Place[], current: readonly Place[]): boolean {
  return current.some((place) => {
    const calm = usual.find((other) => isSamePlace(other, place));
    return calm !== undefined && mayHaveMoved(calm.values, place.values);
  });
}

interface Comparison {
  readonly change: DriftChange;
  readonly effect: number;
  readonly isUnusual: (value: number | string) => boolean;
}

function compare(calm: Place, now: Place): Comparison | undefined {
  if ((now.dimension === 'number' || now.dimension === 'word') && calm.values.length < MIN_LINES_OF_OTHERS)
    return undefined;
  if (now.dimension !== 'word') {
    const [usual, current] = [calm.values, now.values].map((values) => values.map(Number)) as [number[], number[]];
    const shift = numericShift(usual, current, now.dimension);
    if (!shift) return undefined;
    const { direction, border, ...moved } = shift;
    return {
      change: { kind: 'shift', dimension: now.dimension, ...moved },
      effect: moved.share * growth(moved.usual, moved.now),
      isUnusual: (value) => direction * (Number(value) - border) > 0,
    };
  }
  const taken = takeover(calm.values.map(String), now.values.map(String));
  if (!taken) return undefined;
  return {
    change: { kind: 'takeover', ...taken },
    effect: 0.5 * (taken.shareNow - taken.shareBefore),
    isUnusual: (value) => value === taken.value,
  };
}

/** From nothing to something is no factor; it counts as one of five. */
const FROM_ZERO = 0.7;

/** 0.5 for a doubling or halving, near 1 for a hundredfold. */
function growth(usual: number, now: number): number {
  const [small, large] = [Math.abs(usual), Math.abs(now)].toSorted((a, b) => a - b) as [number, number];
  if (small === 0) return large > 0 ? FROM_ZERO : 0;
  const doublings = Math.log2(large / small);
  return doublings / (doublings + 1);
}
