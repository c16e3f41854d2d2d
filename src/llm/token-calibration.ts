/** As many of the newest requests count. */
const REMEMBERED = 200;
/** Fewer say nothing about the rare ones. */
const LEAST_SAMPLES = 10;
/** An estimate is never trusted further than this below, nor a count further above. */
const LEAST_FACTOR = 1.1;
const MOST_FACTOR = 4;
const PERCENTILE = 0.95;

/**
 * Learns how far the offline tokenizer is from what one model counts: of `counted ÷ tokens of the tokenizer` the 95th percentile of the newest requests, at
 * least 1.1. In this process only: a new one learns again.
 */
export class TokenCalibration {
  readonly #margin: number;
  #ratios: readonly number[] = [];

  /** `margin` is what estimates already add to the tokenizer's count. */
  constructor(margin: number) {
    this.#margin = margin;
  }

  /** Returns counted ÷ estimated; undefined when the other side counted nothing. */
  observe(estimatedTokens: number, countedTokens: number): number | undefined {
    if (estimatedTokens <= 0 || countedTokens <= 0) return undefined;
    const ratio = countedTokens / estimatedTokens;
    this.#ratios = [...this.#ratios.slice(1 - REMEMBERED), ratio];
    return ratio;
  }

  /** What to multiply an estimate with. 1 until enough is known. */
  get factor(): number {
    if (this.#ratios.length < LEAST_SAMPLES) return 1;
    const sorted = this.#ratios.toSorted((a, b) => a - b);
    const ratio = sorted[Math.ceil(PERCENTILE * sorted.length) - 1] ?? 1;
    const factor = Math.min(MOST_FACTOR, Math.max(LEAST_FACTOR, ratio * this.#margin));
    return factor / this.#margin;
  }
}
