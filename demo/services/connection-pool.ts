import { Gauge, type Registry } from 'prom-client';

/** No connection became free in time. */
export class PoolTimeout extends Error {
  override readonly name = 'PoolTimeout';
}

export interface PoolState {
  readonly inUse: number;
  readonly max: number;
  readonly waiting: number;
}

const GAUGES: readonly { readonly name: string; readonly help: string; readonly read: (state: PoolState) => number }[] =
  [
    { name: 'db_pool_connections_in_use', help: 'Connections handed out.', read: (state) => state.inUse },
    { name: 'db_pool_connections_max', help: 'Most connections at a time.', read: (state) => state.max },
    { name: 'db_pool_waiting_requests', help: 'Requests that wait for a connection.', read: (state) => state.waiting },
  ];

/** Hands out at most `max()` connections at a time, first come first served; publishes its state as metrics. */
export class ConnectionPool {
  #inUse = 0;
  readonly #waiting: (() => void)[] = [];
  readonly #max: () => number;

  constructor(max: () => number, registry: Registry) {
    this.#max = max;
    const state = () => this.state();
    for (const { name, help, read } of GAUGES) {
      const gauge: Gauge = new Gauge({ name, help, registers: [registry], collect: () => gauge.set(read(state())) });
    }
  }

  state(): PoolState {
    return { inUse: this.#inUse, max: this.#max(), waiting: this.#waiting.length };
  }

  /** Runs `work` with a connection. Throws `PoolTimeout` after `timeoutMs` without one. */
  async use<T>(timeoutMs: number, work: () => Promise<T>): Promise<T> {
    await this.#acquire(timeoutMs);
    try {
      return await work();
    } finally {
      this.#inUse -= 1;
      if (this.#inUse < this.#max()) this.#waiting.shift()?.();
    }
  }

  #acquire(timeoutMs: number): Promise<void> {
    if (this.#inUse < this.#max()) {
      this.#inUse += 1;
      return Promise.resolve();
    }
    return new Promise((resolve, reject) => {
      const give = () => {
        clearTimeout(timer);
        this.#inUse += 1;
        resolve();
      };
      const timer = setTimeout(() => {
        this.#waiting.splice(this.#waiting.indexOf(give), 1);
        reject(new PoolTimeout(`no connection within ${timeoutMs} ms`));
      }, timeoutMs);
      this.#waiting.push(give);
    });
  }
}
