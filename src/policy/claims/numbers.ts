import type { Evidence } from '../../domain/evidence.ts';

/** Relative difference that still counts as the same figure: people round. */
const TOLERANCE = 0.03;
const ROUND_SHARE = 0.05;
/** Small whole numbers count things (two replicas, three retries); they are no measurements. */
const SMALLEST_TELLING = 10;
/** Above this, sums, differences and ratios of the evidence hit nearly every number by chance. */
const MOST_FOR_DERIVED = 24;

const TIME_FACTORS = [1, 60, 1000, 3600, 1e6, 1e9];
const BYTE_FACTORS = [1, 1000, 1e6, 1e9, 1024, 1024 ** 2, 1024 ** 3, 1024 ** 4];
/** Ways one figure is written in another unit, by the unit that the claim names. Without one: thousandths, percent, per minute. */
const FACTORS = {
  percent: [1, 100],
  time: TIME_FACTORS,
  bytes: BYTE_FACTORS,
  other: [1, 60, 100, 1000],
} as const;

/** A measured value that a sentence states. */
export interface Measure {
  readonly value: number;
  readonly unit: keyof typeof FACTORS;
  /** How far the value meant may be from the one written: half of the last digit that is. */
  readonly rounding: number;
  /** It may tell how long something took, and not what was measured. */
  readonly isSpan: boolean;
}

const UNIT_AFTER: readonly (readonly [Measure['unit'], RegExp])[] = [
  ['percent', /^\s*(?:%|percent\b|per cent\b)/i],
  ['time', /^\s*(?:ns|[µμu]s|ms|s|sec|secs|seconds?|milliseconds?|microseconds?)\b/i],
  ['bytes', /^\s*(?:[kmgt]i?b?|bytes?|b)\b/i],
];

const BEFORE_SPAN =
  /\b(?:within|after|for|in|over|during|took|takes|lasted|lasting|next|first|last|another)\s+(?:about |some |~)?$/i;
/** Nobody measures that something is so entirely. */
const ALL_PERCENT = 100;

/** Dates, clock times, spans that only say when, and names of percentiles. */
const WHEN = [
  /\d{4}-\d{2}-\d{2}(?:[T ][\d:.]+Z?)?/g,
  /\b\d{1,2}:\d{2}(?::\d{2})?\b/g,
  /\b\d+(?:\.\d+)?\s*(?:ms|s|sec|seconds?)\b(?=\s+(?:before|after|ago|later|earlier|into|of the alert))/gi,
  /\b\d+(?:\.\d+)?\s*(?:min|minutes?|h|hours?|d|days?)\b/gi,
  /\b(?:p|percentile)[\s=:-]*\d+\b/gi,
  /\b(?:in|of|since|until|[A-Z][a-z]{2,8}) (?:19|20)\d{2}\b(?! ?[a-z%])/g,
];
/** And identifiers: none of them is a measured value. Evidence may well be asked for the status code that it names. */
const NOT_MEASURED = [
  ...WHEN,
  /\b(?:HTTP|status|code|port|line)[\s=:-]*\d+s?\b/gi,
  /(?<![\w,.])(?:[45]\d\ds\b|[45]\d\d(?=\s+(?:errors?|responses?|answers?|status)))/gi,
  /\d+(?:\.\d+){2,}\S*/g,
];
/** Neither within a name (`pod-7`, `v2`, `12ab34`, `shop:1.25`) nor the start of one or of a range (`10-30`). */
const NUMBER = /(?<![\w.:–-])[+-]?\d+(?:,\d{3})*(?:\.\d+)?(?![\w-]*[-–]\w)(?![a-z]*\d)/gi;

/** Measured values that a sentence states: no times, ids, status codes or small counts. */
export function claimedMeasures(statement: string): readonly Measure[] {
  const text = without(statement, NOT_MEASURED);
  return [...text.matchAll(NUMBER)]
    .map((match) => {
      const unit = unitAt(text, match.index + match[0].length);
      const isSpan = unit === 'time' && BEFORE_SPAN.test(text.slice(0, match.index));
      return { ...measureOf(match[0].replace(/[+,-]/g, ''), unit), isSpan };
    })
    .filter(({ value, unit }) => {
      if (unit === 'percent' && value === ALL_PERCENT) return false;
      return Number.isFinite(value) && (value >= SMALLEST_TELLING || !Number.isInteger(value));
    });
}

function measureOf(digits: string, unit: Measure['unit']): Omit<Measure, 'isSpan'> {
  const decimals = digits.split('.')[1]?.length ?? 0;
  const zeros = decimals === 0 ? (/0*$/.exec(digits)?.[0].length ?? 0) : 0;
  const value = Number(digits);
  // A round number may stand for many; so round that it says nothing it is not.
  const rounding = decimals > 0 ? 0.5 / 10 ** decimals : Math.min(10 ** zeros / 2, ROUND_SHARE * value);
  return { value, unit, rounding };
}

function unitAt(text: string, index: number): Measure['unit'] {
  const rest = text.slice(index, index + 20);
  return UNIT_AFTER.find(([, pattern]) => pattern.test(rest))?.[0] ?? 'other';
}

/** True when the value stands in the evidence: as it is, rounded, in another unit, or as the sum, difference, ratio, share or change of two figures. */
export function isSupported(claimed: Measure, evidence: readonly Evidence[]): boolean {
  const figures = evidence.flatMap(figuresOf);
  if (isStated(claimed, evidence)) return true;
  if (figures.length > MOST_FOR_DERIVED) return false;
  return figures.some((a) => figures.some((b) => b !== 0 && a !== b && followsOf(claimed, a, b)));
}

/** True when the value itself stands there, rounded or in another unit. */
export function isStated(claimed: Measure, evidence: readonly Evidence[]): boolean {
  return evidence.flatMap(figuresOf).some((figure) => sameFigure(claimed, figure, FACTORS[claimed.unit]));
}

function followsOf(claimed: Measure, a: number, b: number): boolean {
  // Without a unit there is none to change: what counts things counts them.
  const factors = claimed.unit === 'other' ? [1] : FACTORS[claimed.unit];
  if ([Math.abs(a - b), a + b].some((figure) => sameFigure(claimed, figure, factors))) return true;
  // A ratio of two figures is no time and no size.
  if (claimed.unit === 'time' || claimed.unit === 'bytes') return false;
  const ratios = [a / b, (100 * a) / b, (100 * Math.abs(a - b)) / b];
  return ratios.some((value) => near(claimed.value, value, claimed.rounding));
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

function sameFigure({ value, rounding }: Measure, figure: number, factors: readonly number[]): boolean {
  return factors.some(
    (factor) => near(value, figure * factor, rounding) || near(value * factor, figure, rounding * factor),
  );
}

function near(a: number, b: number, rounding: number): boolean {
  return Math.abs(a - b) <= Math.max(TOLERANCE * Math.max(a, b), rounding, 0.005);
}
