import type { TypedCase } from './rca-types.ts';

/** One recording, ranked. `truth` is the service at fault; undefined when there is no truth to compare with. */
export interface RankedCase extends TypedCase {
  readonly dataset: string;
  readonly id: string;
  readonly ranked: readonly string[];
  readonly confidence: number;
  readonly briefTokens: number;
  readonly rawTokens: number;
  readonly cpuMs: number;
  readonly truth?: string;
  /** Why there is no ranking. Such a case counts as wrong at every k, and in no median. */
  readonly error?: string;
}

export interface Score {
  readonly name: string;
  readonly cases: number;
  readonly errors: number;
  /** Only with truth: accuracies count errors as wrong; `ece` looks at ranked cases. */
  readonly ac1?: number;
  /** Wilson 95 % interval of `ac1`. */
  readonly ac1Low?: number;
  readonly ac1High?: number;
  readonly ac3?: number;
  readonly avg5?: number;
  readonly ece?: number;
  readonly briefTokensMax: number;
  readonly briefTokensMedian: number;
  readonly rawTokensMedian: number;
  /** Share of the raw tokens that the brief saves. */
  readonly reductionMedian: number;
  readonly cpuMsMedian: number;
  readonly cpuMsMax: number;
}

/** AC@k: share of the cases whose true service is among the first k. */
export function accuracyAt(k: number, cases: readonly RankedCase[]): number {
  return mean(cases.map((each) => (each.truth !== undefined && each.ranked.slice(0, k).includes(each.truth) ? 1 : 0)));
}

/** Avg@5: mean of AC@1 … AC@5. */
export function averageAt5(cases: readonly RankedCase[]): number {
  return mean([1, 2, 3, 4, 5].map((k) => accuracyAt(k, cases)));
}

const Z_95 = 1.959964;

/** Wilson score interval (Wilson, JASA 1927) of a share seen in `n` trials, at 95 %. The whole of 0–1 when there are none. */
export function wilsonInterval(share: number, n: number): readonly [low: number, high: number] {
  if (n === 0) return [0, 1];
  const z2 = Z_95 ** 2 / n;
  const centre = (share + z2 / 2) / (1 + z2);
  const reach = (Z_95 * Math.sqrt((share * (1 - share)) / n + z2 / (4 * n))) / (1 + z2);
  return [Math.max(0, centre - reach), Math.min(1, centre + reach)];
}

const BINS = 10;

/** One row of a reliability table: cases whose stated confidence lies from `from` up to `to`. */
export interface ReliabilityBin {
  readonly from: number;
  readonly to: number;
  readonly cases: number;
  /** Mean stated confidence and share of right first places; 0 without cases. */
  readonly confidence: number;
  readonly accuracy: number;
}

/** Ten bins of equal width; the last one holds 1 itself. Cases without a ranking state nothing and are left out. */
export function reliabilityTable(cases: readonly RankedCase[]): readonly ReliabilityBin[] {
  const bins = Array.from({ length: BINS }, () => [] as RankedCase[]);
  const stated = cases.filter(({ error }) => error === undefined);
  for (const each of stated) bins[Math.min(BINS - 1, Math.floor(each.confidence * BINS))]?.push(each);
  return bins.map((bin, i) => ({
    from: i / BINS,
    to: (i + 1) / BINS,
    cases: bin.length,
    confidence: mean(bin.map(({ confidence }) => confidence)),
    accuracy: accuracyAt(1, bin),
  }));
}

/**
 * Expected calibration error (Naeini et al., AAAI 2015): over ten bins of equal width, the distance between mean confidence and
 * share of correct first places, weighed by the number of cases in the bin.
 */
export function calibrationError(cases: readonly RankedCase[]): number {
  const bins = reliabilityTable(cases);
  const total = bins.reduce((sum, bin) => sum + bin.cases, 0);
  return bins.reduce((sum, bin) => sum + (bin.cases / Math.max(total, 1)) * Math.abs(bin.confidence - bin.accuracy), 0);
}

/** Accuracies only when every case has its truth: a share of some cases would look like a share of all. */
export function scoreCases(name: string, cases: readonly RankedCase[]): Score {
  const ranked = cases.filter(({ error }) => error === undefined);
  const briefTokens = ranked.map((each) => each.briefTokens);
  const cpuMs = ranked.map((each) => each.cpuMs);
  const hasTruth = cases.length > 0 && cases.every(({ truth }) => truth !== undefined);
  return {
    name,
    cases: cases.length,
    errors: cases.length - ranked.length,
    ...(hasTruth ? accuracies(cases) : {}),
    briefTokensMax: largest(briefTokens),
    briefTokensMedian: median(briefTokens),
    rawTokensMedian: median(ranked.map((each) => each.rawTokens)),
    reductionMedian: median(ranked.map((each) => (each.rawTokens > 0 ? 1 - each.briefTokens / each.rawTokens : 0))),
    cpuMsMedian: median(cpuMs),
    cpuMsMax: largest(cpuMs),
  };
}

function accuracies(cases: readonly RankedCase[]) {
  const ac1 = accuracyAt(1, cases);
  const [ac1Low, ac1High] = wilsonInterval(ac1, cases.length);
  return { ac1, ac1Low, ac1High, ac3: accuracyAt(3, cases), avg5: averageAt5(cases), ece: calibrationError(cases) };
}

export interface Scores {
  readonly datasets: readonly Score[];
  readonly pooled: Score;
}

/** One score a data set, in order of first appearance, and one over all. */
export function scoreDatasets(cases: readonly RankedCase[]): Scores {
  const names = [...new Set(cases.map(({ dataset }) => dataset))];
  const datasets = names.map((name) =>
    scoreCases(
      name,
      cases.filter(({ dataset }) => dataset === name),
    ),
  );
  return { datasets, pooled: scoreCases('pooled', cases) };
}

/**
 * Every data set split in two by the place of its cases in the order of their names: first, third, … are half A, the others half B. Rules
 * chosen by looking at one half are tested on the other.
 */
export function splitHalves(cases: readonly RankedCase[]): { readonly a: RankedCase[]; readonly b: RankedCase[] } {
  const halves = { a: [] as RankedCase[], b: [] as RankedCase[] };
  for (const dataset of new Set(cases.map((each) => each.dataset))) {
    const byName = cases.filter((each) => each.dataset === dataset).sort((x, y) => (x.id < y.id ? -1 : 1));
    byName.forEach((each, place) => (place % 2 === 0 ? halves.a : halves.b).push(each));
  }
  return halves;
}

function largest(values: readonly number[]): number {
  return values.reduce((a, b) => Math.max(a, b), 0);
}

function mean(values: readonly number[]): number {
  return values.length ? values.reduce((a, b) => a + b, 0) / values.length : 0;
}

function median(values: readonly number[]): number {
  const ascending = [...values].sort((a, b) => a - b);
  const middle = ascending.length >> 1;
  if (ascending.length % 2) return ascending[middle] ?? 0;
  return ((ascending[middle - 1] ?? 0) + (ascending[middle] ?? 0)) / 2;
}
