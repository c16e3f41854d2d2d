import type { Evidence } from '../../domain/evidence.ts';

/** Relative difference that still counts as the same figure: people round. */
const TOLERANCE = 0.03;
const ROUND_SHARE = 0.05;
/** Small whole numbers count things (two replicas, three retries); they are no measurements. */
const SMALLEST_TELLING = 10;
/** The funnel shows figures to so many. */
const SHOWN_DIGITS = 3;
/** Above this, sums, differences and ratios of the evidence hit nearly every number by chance. */
const MOST_FOR_DERIVED = 24;

const TIME_FACTORS = [1, 1000, 1e6, 1e9];
/** The last ones turn MiB into MB and GiB into GB. */
const BYTE_FACTORS = [1, 1000, 1e6, 1e9, 1024, 1024 ** 2, 1024 ** 3, 1024 ** 4, 1.024 ** 2, 1.024 ** 3];
/** Ways one figure is written in another unit, by the unit that the claim names. Without one: thousandths, percent. */
const FACTORS = {
  percent: [1, 100],
  time: TIME_FACTORS,
  bytes: BYTE_FACTORS,
  /** Per minute or hour what is measured per second. */
  rate: [1, 60, 3600],
  other: [1, 100, 1000],
} as const;

/** A measured value that a sentence states. */
export interface Measure {
  readonly value: number;
  /** How far what was meant may be from what is written: half of the last digit that is. */
  readonly rounding: number;
  /** Where a bound is stated (`more than 80`), the measured value lies between these shares of it. */
  readonly room: readonly [low: number, high: number];
  readonly unit: keyof typeof FACTORS;
  /** It may tell how long something took, and not what was measured. */
  readonly isSpan: boolean;
}

const MOST_WORDS_TO_UNIT = 40;
const UNIT_AFTER: readonly (readonly [Measure['unit'], RegExp])[] = [
  ['rate', /^\s*(?:[a-z]+ ){0,3}?(?:per |a |an |each |every |\/\s?)(?:min|minute|h|hour)\b/i],
  ['percent', /^\s*(?:%|percent\b|per cent\b)/i],
  ['time', /^\s*(?:ns|[µμu]s|ms|s|sec|secs|seconds?|milliseconds?|microseconds?)\b/i],
  // `15.5k` and `1.2 million` of anything are written like bytes.
  ['bytes', /^\s*(?:[kmgt]i?b?|bytes?|b|thousand|million|billion)\b/i],
];

/** How a bound is said, and between which shares of it the measured value then lies. */
const BOUNDS: readonly (readonly [said: RegExp, room: Measure['room']])[] = [
  [/\b(?:more than|over|above|at least|beyond|exceed(?:s|ed|ing)?)\s+(?:about |some )?$/i, [1, 1.5]],
  [/\b(?:less than|fewer than|under|below|at most|no more than)\s+(?:about |some )?$/i, [0.67, 1]],
  [/\b(?:nearly|almost|close to)\s+$/i, [0.85, 1]],
];
const NO_ROOM: Measure['room'] = [1, 1];

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
  /\b\d+(?:\.\d+)?(?:st|nd|rd|th)\b/gi,
  /\b(?:in|of|since|until|[A-Z][a-z]{2,8}) (?:19|20)\d{2}\b(?! ?[a-z%])/g,
];
/** And identifiers: none of them is a measured value. Evidence may well be asked for the status code that it names. */
const NOT_MEASURED = [
  ...WHEN,
  /\b(?:HTTP|status|code|port|line)[\s=:-]*\d+s?\b/gi,
  /(?<![\w,.])(?:[45]\d\ds\b|[45]\d\d(?=\s+(?:errors?|responses?|answers?|status)))/gi,
  /\d+(?:\.\d+){2,}\S*/g,
  // A range says too little to be held against one figure.
  /\bbetween\s+\d[\d.,]*\s?[^\s\d]{0,12}\s+and\s+\d[\d.,]*/gi,
];
/** Neither within a name (`pod-7`, `v2`, `12ab34`, `shop:1.25`) nor the start of one or of a range (`10-30`). */
const NUMBER = /(?<![\w.:–-])[+-]?\d+(?:,\d{3})*(?:\.\d+)?(?![\w-]*[-–]\w)(?![a-z]*\d)/gi;

/** Measured values that a sentence states: no times, ids, status codes or small counts. */
export function claimedMeasures(statement: string): readonly Measure[] {
  const text = without(statement, NOT_MEASURED);
  return [...text.matchAll(NUMBER)]
    .map((match) => {
      const unit = unitAt(text, match.index + match[0].length);
      const before = text.slice(0, match.index);
      return { unit, isSpan: unit === 'time' && BEFORE_SPAN.test(before), ...meant(match[0], before) };
    })
    .filter(({ value, unit }) => {
      if (unit === 'percent' && value === ALL_PERCENT) return false;
      return Number.isFinite(value) && (value >= SMALLEST_TELLING || !Number.isInteger(value));
    });
}

/** The value that digits write, and what it may stand for by their rounding and the words before them. */
function meant(written: string, before: string): Pick<Measure, 'value' | 'rounding' | 'room'> {
  const digits = written.replace(/[+,-]/g, '');
  const value = Number(digits);
  const decimals = digits.split('.')[1]?.length ?? 0;
  const zeros = decimals === 0 ? (/0*$/.exec(digits)?.[0].length ?? 0) : 0;
  // A round number may stand for many; so round that it says nothing it is not.
  const rounding = decimals > 0 ? 0.5 / 10 ** decimals : Math.min(10 ** zeros / 2, ROUND_SHARE * value);
  const [, room] = BOUNDS.find(([said]) => said.test(before)) ?? [undefined, NO_ROOM];
  return { value, rounding, room };
}

function unitAt(text: string, index: number): Measure['unit'] {
  const rest = text.slice(index, index + MOST_WORDS_TO_UNIT);
  return UNIT_AFTER.find(([, pattern]) => pattern.test(rest))?.[0] ?? 'other';
}

/** True when the value stands in the evidence: as it is, rounded, in another unit, or as the sum, difference, ratio, share or change of two figures. */
export function isSupported(claimed: Measure, evidence: readonly Evidence[]): boolean {
  if (isStated(claimed, evidence)) return true;
  // A bound already leaves room enough.
  const exact = { ...claimed, room: NO_ROOM };
  const figures = evidence.map(foremostOf);
  const total = figures.reduce((sum, [first = 0]) => sum + first, 0);
  if (figures.length > 1 && isMeant(exact, total, [1])) return true;
  const all = [...new Set(figures.flat())];
  return (all.length > MOST_FOR_DERIVED ? figures : [all]).some((some) => followsFrom(exact, some));
}

/** True when the value itself stands there, rounded or in another unit. */
export function isStated(claimed: Measure, evidence: readonly Evidence[]): boolean {
  return evidence.flatMap(figuresOf).some((figure) => isMeant(claimed, figure, FACTORS[claimed.unit]));
}

/** What people reckon with: of a measurement the value before and after as they are shown, and no percentiles. */
function foremostOf(evidence: Evidence): readonly number[] {
  if (evidence.numbers === undefined) return figuresOf(evidence);
  return evidence.numbers.slice(0, 2).map((figure) => Math.abs(Number(figure.toPrecision(SHOWN_DIGITS))));
}

function followsFrom(claimed: Measure, figures: readonly number[]): boolean {
  return figures.some((a) => figures.some((b) => a !== b && followsOf(claimed, a, b)));
}

function followsOf(claimed: Measure, a: number, b: number): boolean {
  // Without a unit there is none to change: what counts things counts them.
  const factors = claimed.unit === 'other' ? [1] : FACTORS[claimed.unit];
  if ([Math.abs(a - b), a + b].some((figure) => isMeant(claimed, figure, factors))) return true;
  // A ratio of two figures is no time and no size; a share says that it is one.
  if (b === 0 || claimed.unit === 'time' || claimed.unit === 'bytes') return false;
  const shares = claimed.unit === 'percent' ? [(100 * a) / b, (100 * Math.abs(a - b)) / b] : [a / b];
  return shares.some((figure) => isMeant(claimed, figure, [1]));
}

/** Every number an item asserts, those of its sentence included, what it measured first. Empty: it says nothing that a number could contradict. */
export function figuresOf(evidence: Evidence): readonly number[] {
  const inWords = [...without(evidence.statement, WHEN).matchAll(/(?<!\w)\d+(?:,\d{3})*(?:\.\d+)?/g)].map(([digits]) =>
    Number(digits.replaceAll(',', '')),
  );
  return [...(evidence.numbers ?? []), ...inWords].map(Math.abs);
}

function without(text: string, patterns: readonly RegExp[]): string {
  return patterns.reduce((rest, pattern) => rest.replace(pattern, ' '), text);
}

function isMeant({ value, rounding, room: [low, high] }: Measure, figure: number, factors: readonly number[]): boolean {
  return factors.some((factor) =>
    [figure * factor, figure / factor].some((measured) => {
      const slack = Math.max(TOLERANCE * Math.max(value, measured), rounding);
      return measured >= low * value - slack && measured <= high * value + slack;
    }),
  );
}
