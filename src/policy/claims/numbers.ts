import type { Evidence } from '../../domain/evidence.ts';

/** Relative difference that still counts as the same figure: people round. */
const TOLERANCE = 0.03;
/** Small whole numbers count things (two replicas, three retries); they are no measurements. */
const SMALLEST_TELLING = 10;
/** Above this, differences and ratios of the evidence hit nearly every number by chance. */
const MOST_FOR_DERIVED = 24;

const TIME_FACTORS = [1, 60, 1000, 3600, 1e6, 1e9];
const BYTE_FACTORS = [1, 1000, 1e6, 1e9, 1024, 1024 ** 2, 1024 ** 3, 1024 ** 4];
/** Ways one figure is written in another unit, by the unit that the claim names. Without one, every way is open. */
const FACTORS = {
  percent: [1, 100],
  time: TIME_FACTORS,
  bytes: BYTE_FACTORS,
  other: [...new Set([...TIME_FACTORS, ...BYTE_FACTORS, 100])],
} as const;

/** A measured value that a sentence states. */
export interface Measure {
  readonly value: number;
  readonly unit: keyof typeof FACTORS;
}

const UNIT_AFTER: readonly (readonly [Measure['unit'], RegExp])[] = [
  ['percent', /^\s*(?:%|percent\b|per cent\b)/i],
  ['time', /^\s*(?:ns|[µμu]s|ms|s|sec|secs|seconds?|milliseconds?|microseconds?)\b/i],
  ['bytes', /^\s*(?:[kmgt]i?b?|bytes?|b)\b/i],
];

/** Dates, clock times, spans that only say when, and names of percentiles. */
const WHEN = [
  /\d{4}-\d{2}-\d{2}(?:[T ][\d:.]+Z?)?/g,
  /\b\d{1,2}:\d{2}(?::\d{2})?\b/g,
  /\b\d+(?:\.\d+)?\s*(?:ms|s|sec|seconds?)\b(?=\s+(?:before|after|ago|later|earlier|into|of the alert))/gi,
  /\b\d+(?:\.\d+)?\s*(?:min|minutes?|h|hours?|d|days?)\b/gi,
  /\b(?:p|percentile)[\s=:-]*\d+\b/gi,
];
/** And identifiers: none of them is a measured value. Evidence may well be asked for the status code that it names. */
const NOT_MEASURED = [...WHEN, /\b(?:HTTP|status|code|port|line)[\s=:-]*\d+\b/gi, /\d+(?:\.\d+){2,}\S*/g];
/** Neither within a name (`pod-7`, `v2`, `12ab34`, `shop:1.25`) nor the start of one or of a range (`10-30`). */
const NUMBER = /(?<![\w.:-])[+-]?\d+(?:,\d{3})*(?:\.\d+)?(?![\w-]*-\w)(?![a-z]*\d)/gi;

/** Measured values that a sentence states: no times, ids, status codes or small counts. */
export function claimedMeasures(statement: string): readonly Measure[] {
  const text = without(statement, NOT_MEASURED);
  return [...text.matchAll(NUMBER)]
    .map((match) => ({
      value: Math.abs(Number(match[0].replaceAll(',', ''))),
      unit: unitAt(text, match.index + match[0].length),
    }))
    .filter(({ value }) => Number.isFinite(value) && (value >= SMALLEST_TELLING || !Number.isInteger(value)));
}

function unitAt(text: string, index: number): Measure['unit'] {
  const rest = text.slice(index, index + 20);
  return UNIT_AFTER.find(([, pattern]) => pattern.test(rest))?.[0] ?? 'other';
}

/** True when the value stands in the evidence: as it is, rounded, in another unit, or as the difference, ratio, share or change of two figures. */
export function isSupported(claimed: Measure, evidence: readonly Evidence[]): boolean {
  const figures = evidence.flatMap(figuresOf);
  if (figures.some((figure) => sameFigure(claimed, figure))) return true;
  if (figures.length > MOST_FOR_DERIVED) return false;
  return figures.some((a) => figures.some((b) => b !== 0 && a !== b && followsOf(claimed, a, b)));
}

function followsOf(claimed: Measure, a: number, b: number): boolean {
  if (sameFigure(claimed, Math.abs(a - b))) return true;
  // A ratio of two figures is no time and no size.
  if (claimed.unit === 'time' || claimed.unit === 'bytes') return false;
  return [a / b, (100 * a) / b, (100 * Math.abs(a - b)) / b].some((value) => near(claimed.value, value));
}

/** Every number an item asserts, those of its sentence included. Empty: it says nothing that a number could contradict. */
export function figuresOf(evidence: Evidence): readonly number[] {
  const inWords = [...without(evidence.statement, WHEN).matchAll(/(?<!\w)\d+(?:,\d{3})*(?:\.\d+)?/g)].map(([digits]) =>
    Number(digits.replaceAll(',', '')),
  );
  return [...(evidence.numbers ?? []), ...inWords].map(Math.abs);
}

function without(text: string, patterns: readonly RegExp[]): string {
  return patterns.reduce((rest, pattern) => rest.replace(pattern, ' '), text);
}

function sameFigure({ value, unit }: Measure, figure: number): boolean {
  return FACTORS[unit].some((factor) => near(value, figure * factor) || near(value * factor, figure));
}

function near(a: number, b: number): boolean {
  // Half of the last digit that a person would write is never a contradiction.
  return Math.abs(a - b) <= Math.max(TOLERANCE * Math.max(a, b), 0.005);
}
