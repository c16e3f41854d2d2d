export interface Turn {
  /** Undefined: go ahead. Otherwise too many wait already; come back after so many milliseconds. */
  readonly afterMs: number | undefined;
}

export interface Pacer {
  /** Waits for the channel's next turn, first come first served; refuses at once when the wait would be long. */
  turn(channel: string, signal: AbortSignal): Promise<Turn>;
  /** The other side asked for a pause of the channel (`Retry-After`): those who wait already wait longer. */
  pause(channel: string, ms: number): void;
}

export interface PacerOptions {
  readonly intervalMs: number;
  readonly maxWaitMs: number;
  readonly now: () => number;
  readonly sleep: (ms: number, signal: AbortSignal) => Promise<void>;
}

interface Line {
  freeAtMs: number;
  waiting: number;
  last: Promise<unknown>;
}

/** One post an interval and channel, in this process. Several processes share a channel by obeying `Retry-After`. */
export function createPacer({ intervalMs, maxWaitMs, now, sleep }: PacerOptions): Pacer {
  const lines = new Map<string, Line>();
  const lineOf = (channel: string): Line => {
    const line = lines.get(channel) ?? { freeAtMs: 0, waiting: 0, last: Promise.resolve() };
    lines.set(channel, line);
    return line;
  };
  const takeTurn = async (line: Line, signal: AbortSignal) => {
    // A pause may come while this one sleeps, so the time is looked at again.
    while (now() < line.freeAtMs) await sleep(line.freeAtMs - now(), signal);
    line.freeAtMs = now() + intervalMs;
  };
  return {
    turn: async (channel, signal) => {
      const line = lineOf(channel);
      const waitMs = Math.max(0, line.freeAtMs - now()) + line.waiting * intervalMs;
      if (waitMs > maxWaitMs) return { afterMs: waitMs };
      line.waiting++;
      const mine = line.last.then(() => takeTurn(line, signal));
      line.last = mine.catch(() => undefined);
      await mine.finally(() => line.waiting--);
      return { afterMs: undefined };
    },
    pause: (channel, ms) => {
      const line = lineOf(channel);
      line.freeAtMs = Math.max(line.freeAtMs, now() + ms);
    },
  };
}
