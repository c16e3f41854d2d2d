const FAILURES_IN_A_ROW = 3;
const REST_MS = 60_000;

/** Keeps a server that failed several times in a row from costing every investigation its patience: it is left alone for a minute, then tried once. */
export class Breaker {
  readonly #now: () => number;
  #failures = 0;
  #restsUntilMs = 0;

  constructor(now: () => number) {
    this.#now = now;
  }

  /** Why it is not to be used now; undefined when it may be. */
  refusal(): string | undefined {
    const leftMs = this.#restsUntilMs - this.#now();
    if (leftMs <= 0) return undefined;
    return `it failed ${this.#failures} times in a row and is tried again in ${Math.ceil(leftMs / 1000)} s`;
  }

  succeed(): void {
    this.#failures = 0;
  }

  fail(): void {
    this.#failures += 1;
    if (this.#failures >= FAILURES_IN_A_ROW) this.#restsUntilMs = this.#now() + REST_MS;
  }
}
