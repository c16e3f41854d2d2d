import type { Logger } from '../platform/logger.ts';

interface Step {
  readonly name: string;
  readonly stop: () => Promise<void> | void;
}

/** What has been started and how to stop it: last in, first out, each step bounded, the whole bounded by the grace period. */
export interface Lifetime {
  onStop(name: string, stop: () => Promise<void> | void): void;
  /** Safe to call twice: the second call waits for the first. Never rejects; a failing or hanging step is logged by name. */
  stop(): Promise<void>;
}

export function createLifetime(log: Logger, graceMs: number): Lifetime {
  const steps: Step[] = [];
  let stopping: Promise<void> | undefined;

  const stopAll = async () => {
    const deadline = Date.now() + graceMs;
    for (let step = steps.pop(); step !== undefined; step = steps.pop()) {
      const outcome = await bounded(step, Math.max(500, deadline - Date.now()));
      if (outcome !== 'stopped') log.error({ step: step.name, reason: outcome }, 'could not stop this part cleanly');
    }
  };
  return {
    onStop: (name, stop) => void steps.push({ name, stop }),
    stop: () => (stopping ??= stopAll()),
  };
}

/** `stopped`, or why not. */
async function bounded(step: Step, limitMs: number): Promise<string> {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<string>((resolve) => {
    timer = setTimeout(() => resolve(`not stopped within ${limitMs} ms`), limitMs);
  });
  const stopped = Promise.resolve()
    .then(() => step.stop())
    .then(
      () => 'stopped',
      (error: unknown) => (error instanceof Error ? error.message : String(error)),
    );
  const outcome = await Promise.race([stopped, timeout]);
  clearTimeout(timer);
  return outcome;
}

/** Signals that come before a role has started. */
export interface Start {
  /** From now on there may be something to finish: a signal waits until the role has started and can be stopped. */
  takesWork(): void;
  /** Whoever hears signals now (`exitOnSignal`) hears the one that came meanwhile. */
  dispose(): void;
}

/**
 * Until a role takes work there is nothing to finish: a signal ends the process at once, and with it the embedded Redis. A start that hangs afterwards is
 * ended after the grace period, or by a second signal.
 */
export function exitWhileStarting(graceMs: number): Start {
  let takesWork = false;
  let waiting: NodeJS.Signals | undefined;
  let hanging: NodeJS.Timeout | undefined;
  const exit = () => process.exit(0);
  const onSignal = (signal: NodeJS.Signals) => {
    if (!takesWork || waiting) return exit();
    waiting = signal;
    hanging = setTimeout(exit, graceMs).unref();
  };
  process.on('SIGTERM', onSignal);
  process.on('SIGINT', onSignal);
  return {
    takesWork: () => {
      takesWork = true;
    },
    dispose: () => {
      process.off('SIGTERM', onSignal);
      process.off('SIGINT', onSignal);
      clearTimeout(hanging);
      if (waiting) process.kill(process.pid, waiting);
    },
  };
}

/**
 * Waits for SIGTERM or SIGINT, stops everything and ends the process with 0. A second signal, or a part that keeps the process alive past
 * the grace period (BullMQ's close never settles when Redis was never reachable), ends it at once: also with 0, since what was
 * not finished is handed back by the queue.
 */
export function exitOnSignal(lifetime: Lifetime, log: Logger, graceMs: number): void {
  let signals = 0;
  const onSignal = (signal: NodeJS.Signals) => {
    signals += 1;
    if (signals > 1) process.exit(0);
    log.info({ signal }, 'stopping: no new work is taken, running work is finished or handed back');
    setTimeout(() => process.exit(0), graceMs + 1000).unref();
    void lifetime.stop().then(() => {
      log.info('stopped');
      process.exit(0);
    });
  };
  process.on('SIGTERM', onSignal);
  process.on('SIGINT', onSignal);
}
