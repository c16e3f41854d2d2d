import { setTimeout as sleep } from 'node:timers/promises';
import type { TetheredChild } from './tethered-child.ts';

export interface KeepRunningOptions {
  readonly first: TetheredChild;
  readonly start: () => Promise<TetheredChild>;
  readonly name: string;
  readonly log: (line: string) => void;
}

const MAX_RESTARTS = 5;
const PERIOD_MS = 600_000;
const BACKOFF_MS = 200;

/** Starts a child again when it ends by itself, at most 5 times within 10 minutes. `stop` ends it for good. */
export function keepRunning(options: KeepRunningOptions): { stop(graceMs: number): Promise<void> } {
  const { start, name, log } = options;
  let child = options.first;
  let stopping = false;

  const watch = async (): Promise<void> => {
    const restartsAtMs: number[] = [];
    for (;;) {
      const code = await child.ended;
      if (stopping) return;
      const now = Date.now();
      while (restartsAtMs[0] !== undefined && now - restartsAtMs[0] > PERIOD_MS) restartsAtMs.shift();
      if (restartsAtMs.length >= MAX_RESTARTS) {
        log(`${name} ended ${MAX_RESTARTS + 1} times within 10 minutes and stays down: ${child.output()}`);
        return;
      }
      log(`${name} ended with code ${code}; starting it again`);
      await sleep(BACKOFF_MS * restartsAtMs.length);
      restartsAtMs.push(now);
      child = await start();
      if (stopping) await child.stop(0);
    }
  };
  const watching = watch().catch((error: unknown) => log(`${name} did not start again: ${String(error)}`));

  return {
    stop: async (graceMs) => {
      stopping = true;
      await child.stop(graceMs);
      await watching;
    },
  };
}
