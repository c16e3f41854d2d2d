import type { Gap } from '../../domain/telemetry.ts';
import { PrometheusError } from './api.ts';

/** After so many timeouts the server is taken to be overloaded, and the rest is not asked. */
const MAX_TIMEOUTS = 4;

/** Counts what went wrong over many queries, so that one cause makes one gap however often it struck. */
export class Ledger {
  characters = 0;
  /** Queries for values. */
  answered = 0;
  /** Samples that were no finite number. */
  dropped = 0;
  /** Series whose labels name no service. */
  unnamed = 0;
  readonly #notes = new Set<string>();
  readonly #failures = new Map<string, { first: string; count: number }>();
  #timeouts = 0;
  #skipped = 0;

  note(text: string): void {
    this.#notes.add(text);
  }

  /** The result, or undefined when the server could not answer; that becomes a gap. Other errors pass through. */
  async attempt<T>(ask: () => Promise<T>): Promise<T | undefined> {
    if (this.#timeouts >= MAX_TIMEOUTS) {
      this.#skipped += 1;
      return undefined;
    }
    try {
      return await ask();
    } catch (error) {
      if (!(error instanceof PrometheusError)) throw error;
      if (error.timedOut) this.#timeouts += 1;
      const known = this.#failures.get(error.problem);
      if (known) known.count += 1;
      else this.#failures.set(error.problem, { first: error.message, count: 1 });
      return undefined;
    }
  }

  get gaps(): readonly Gap[] {
    const failed = [...this.#failures.values()].map(({ first, count }) =>
      count === 1 ? `a query failed. ${first}` : `${count} queries failed in the same way. The first: ${first}`,
    );
    const counted = [
      ...(this.#skipped > 0 ? [`${this.#skipped} queries were not asked after ${MAX_TIMEOUTS} timeouts.`] : []),
      ...(this.dropped > 0 ? [`${this.dropped} samples were not finite numbers (NaN, Inf) and were dropped.`] : []),
      ...(this.unnamed > 0 ? [`${this.unnamed} series name no service and were left out.`] : []),
    ];
    return [...failed, ...this.#notes, ...counted].map((message) => ({ source: 'prometheus', message }));
  }
}
