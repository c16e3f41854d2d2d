import { constants } from 'node:os';

/** Runs `work`; a signal aborts it, with no report and the exit code that shells give a program which that signal ended. */
export async function interruptible(
  work: (signal: AbortSignal) => Promise<number>,
  say: (line: string) => void,
): Promise<number> {
  const stop = new AbortController();
  let signal: NodeJS.Signals | undefined;
  const interrupt = (name: NodeJS.Signals) => {
    signal = name;
    stop.abort();
  };
  process.once('SIGINT', interrupt);
  process.once('SIGTERM', interrupt);
  try {
    return await work(stop.signal);
  } catch (error) {
    if (signal === undefined) throw error;
    say(`rootnote: stopped by ${signal}; there is no report`);
    return 128 + constants.signals[signal];
  }
}
