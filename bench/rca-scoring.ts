/** One recording, ranked. `truth` is the service at fault; undefined when there is no truth to compare with. */
export interface RankedCase {
  readonly dataset: string;
  readonly id: string;
  readonly ranked: readonly string[];
  readonly confidence: number;
  readonly type: string;
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
  readonly ac3?: number;
  readonly avg5?: number;
  readonly ece?: number;
  readonly briefTokensMax: number;
  readonly briefTokensMedian: number;
  readonly rawTokensMedian: number;
  /** Share of the raw tokens that the brief saves. */
  readonly reductionMedian: number;
  readonly cpuMsMedian: number;
}

/** AC@k: share of the cases whose true service is among the first k. */
export function accuracyAt(k: number, cases: readonly RankedCase[]): number {
  return mean(cases.map((each) => (each.truth !== undefined && each.ranked.slice(0, k).includes(each.truth) ? 1 : 0)));
}

/** Avg@5: mean of AC@1 … AC@5. */
export function averageAt5(cases: readonly RankedCase[]): number {
  return mean([1, 2, 3, 4, 5].map((k) => accuracyAt(k, cases)));
}

const BINS = 10;

/**
 * Expected calibration error (Naeini et al., AAAI 2015): over ten bins of equal width, the distance between mean confidence and
 * share of correct first places, weighed by the number of cases in the bin.
 */
export function calibrationError(cases: readonly RankedCase[]): number {
  const bins = Array.from({ length: BINS }, () => [] as RankedCase[]);
  for (const each of cases) bins[Math.min(BINS - 1, Math.floor(each.confidence * BINS))]?.push(each);
  return bins.reduce((total, bin) => {
    const distance = Math.abs(mean(bin.map(({ confidence }) => confidence)) - accuracyAt(1, bin));
    return total + (bin.length / Math.max(cases.length, 1)) * distance;
  }, 0);
}

/** Accuracies only when every case has its truth: a share of some cases would look like a share of all. */
export function scoreCases(name: string, cases: readonly RankedCase[]): Score {
  const ranked = cases.filter(({ error }) => error === undefined);
  const briefTokens = ranked.map((each) => each.briefTokens);
  const hasTruth = cases.length > 0 && cases.every(({ truth }) => truth !== undefined);
  return {
    name,
    cases: cases.length,
    errors: cases.length - ranked.length,
    ...(hasTruth
      ? {
          ac1: accuracyAt(1, cases),
          ac3: accuracyAt(3, cases),
          avg5: averageAt5(cases),
          ece: calibrationError(ranked),
        }
      : {}),
    briefTokensMax: briefTokens.reduce((a, b) => Math.max(a, b), 0),
    briefTokensMedian: median(briefTokens),
    rawTokensMedian: median(ranked.map((each) => each.rawTokens)),
    reductionMedian: median(ranked.map((each) => (each.rawTokens > 0 ? 1 - each.briefTokens / each.rawTokens : 0))),
    cpuMsMedian: median(ranked.map((each) => each.cpuMs)),
  };
}

/** One score a data set, in order of first appearance, and one over all. */
export function scoreDatasets(cases: readonly RankedCase[]): { datasets: Score[]; pooled: Score } {
  const names = [...new Set(cases.map(({ dataset }) => dataset))];
  const datasets = names.map((name) =>
    scoreCases(
      name,
      cases.filter(({ dataset }) => dataset === name),
    ),
  );
  return { datasets, pooled: scoreCases('pooled', cases) };
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
