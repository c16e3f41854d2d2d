import { setImmediate as nextTurn } from 'node:timers/promises';

/** Items looked at before others get their turn on the event loop. */
const TURN = 20_000;

/** Looks at every item in order without holding up the process; rejects when the signal aborts meanwhile. */
export async function inTurns<T>(items: readonly T[], signal: AbortSignal, look: (item: T) => void): Promise<void> {
  for (const [place, item] of items.entries()) {
    if (place % TURN === TURN - 1) {
      await nextTurn();
      signal.throwIfAborted();
    }
    look(item);
  }
}
