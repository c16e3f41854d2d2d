import type { Gap } from '../../domain/telemetry.ts';
import { BackendError } from './backend-error.ts';

/** After so many timeouts the server is taken to be overloaded, and the rest is not asked. */
const MAX_TIMEOUTS = 4;

/** Counts what went wrong over many questions to one server, so that one cause makes one gap however often it struck. */
export class Ledger {
  readonly provider: string;
  /** Size of what was read, as text. */
  characters = 0;
  readonly #notes = new Set<string>();
  readonly #failures = new Map<string, { first: string; count: number }>();
  #timeouts = 0;
  #skipped = 0;

  constructor(provider: string) {
    this.provider = provider;
  }

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
      if (!(error instanceof BackendError)) throw error;
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
    const skipped =
      this.#skipped > 0 ? [`${this.#skipped} queries were not asked after ${MAX_TIMEOUTS} timeouts.`] : [];
    return [...failed, ...this.#notes, ...skipped, ...this.counted()].map((message) => ({
      source: this.provider,
      message,
    }));
  }

  /** What a provider counts beside. */
  protected counted(): readonly string[] {
    return [];
  }
}
