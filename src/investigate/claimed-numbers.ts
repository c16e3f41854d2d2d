import type { Evidence } from '../domain/evidence.ts';

/** Relative difference that still counts as the same figure: people round. */
const TOLERANCE = 0.03;
/** Small whole numbers count things (two replicas, three retries); they are no measurements. */
const SMALLEST_TELLING = 10;
/** Ways one figure is written in another unit: seconds and milliseconds, shares and percent, bytes and their multiples, minutes. */
const UNIT_FACTORS = [1, 1000, 1e6, 1e9, 100, 60, 3600, 1024, 1024 ** 2, 1024 ** 3];
/** Above this, differences and ratios of the evidence hit nearly every number by chance. */
const MOST_FOR_DERIVED = 24;

/** Identifiers, dates and clock times, and spans that only say when: none of them is a measured value. */
const NOT_MEASURED = [
  /\d{4}-\d{2}-\d{2}(?:[T ][\d:.]+Z?)?/g,
  /\b\d{1,2}:\d{2}(?::\d{2})?\b/g,
  /\b\d+(?:\.\d+)?\s*(?:ms|s|sec|seconds?)\b(?=\s+(?:before|after|ago|later|earlier|into|of the alert))/gi,
  /\b\d+(?:\.\d+)?\s*(?:min|minutes?|h|hours?|d|days?)\b/gi,
  /\b(?:HTTP|status|code|port|line|p|percentile)[\s=:-]*\d+\b/gi,
  /\d+(?:\.\d+){2,}\S*/g,
];
/** Neither within a name (`pod-7`, `v2`, `12ab34`) nor the start of one or of a range (`10-30`). */
const NUMBER = /(?<![\w.-])[+-]?\d+(?:,\d{3})*(?:\.\d+)?(?![\w-]*-\w)(?![a-z]*\d)/gi;

/** Measured values that a sentence states: no times, ids, status codes or small counts. */
export function claimedNumbers(statement: string): readonly number[] {
  const text = NOT_MEASURED.reduce((rest, pattern) => rest.replace(pattern, ' '), statement);
  return [...text.matchAll(NUMBER)]
    .map(([digits]) => Math.abs(Number(digits.replaceAll(',', ''))))
    .filter((value) => Number.isFinite(value) && (value >= SMALLEST_TELLING || !Number.isInteger(value)));
}

/** True when the number stands in the evidence: as it is, rounded, in another unit, or as the difference, ratio or change of two figures. */
export function isSupported(claimed: number, evidence: readonly Evidence[]): boolean {
  const figures = evidence.flatMap(figuresOf);
  if (figures.some((figure) => sameFigure(claimed, figure))) return true;
  if (figures.length > MOST_FOR_DERIVED) return false;
  return figures.some((a) =>
    figures.some(
      (b) =>
        b !== 0 &&
        a !== b &&
        [Math.abs(a - b), a / b, (100 * Math.abs(a - b)) / b].some((value) => near(claimed, value)),
    ),
  );
}

/** Every number an item asserts, those of its sentence included. Empty: it says nothing that a number could contradict. */
export function figuresOf(evidence: Evidence): readonly number[] {
  const inWords = [...evidence.statement.matchAll(/\d+(?:,\d{3})*(?:\.\d+)?/g)].map(([digits]) =>
    Number(digits.replaceAll(',', '')),
  );
  return [...(evidence.numbers ?? []), ...inWords].map(Math.abs);
}

function sameFigure(claimed: number, figure: number): boolean {
  return UNIT_FACTORS.some((factor) => near(claimed, figure * factor) || near(claimed * factor, figure));
}

function near(a: number, b: number): boolean {
  // Half of the last digit that a person would write is never a contradiction.
  return Math.abs(a - b) <= Math.max(TOLERANCE * Math.max(a, b), 0.005);
}
