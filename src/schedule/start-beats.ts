import { schedule } from 'node-cron';
import type { Logger } from '../platform/logger.ts';
import { redisTrouble } from '../platform/redis-trouble.ts';
import type { Scheduler } from './scheduler.ts';

const RETRY_MS = 2000;
const MINUTE_MS = 60_000;

export interface Beats {
  /** Settles when the beat that is under way has ended. */
  stop(): Promise<void>;
}

/** Lets a scheduler decide now and at the beginning of every minute; after a failure every two seconds until it succeeds. Never throws. */
export function startBeats(scheduler: Scheduler, log: Logger, onDecided: () => void): Beats {
  let underWay: Promise<void> | undefined;
  let retry: NodeJS.Timeout | undefined;
  let isFailing = false;
  let isStopped = false;
  const beatOnce = async () => {
    clearTimeout(retry);
    try {
      await scheduler.beat();
      if (isFailing) log.info('the ticks of scheduled checks are decided again');
      isFailing = false;
      onDecided();
    } catch (error) {
      const err = redisTrouble(error) ?? (error instanceof Error ? error.message : String(error));
      if (!isFailing) log.warn({ err }, 'the ticks of scheduled checks cannot be decided now; this is tried again');
      isFailing = true;
      if (!isStopped) retry = setTimeout(() => void beat(), RETRY_MS);
    }
  };
  const beat = (): Promise<void> => {
    underWay ??= beatOnce().finally(() => (underWay = undefined));
    return underWay;
  };
  // A timer that comes late, of a busy process, still counts: what is due is found by the clock, not by the timer.
  const options = { timezone: 'UTC', missedExecutionTolerance: MINUTE_MS, suppressMissedWarning: true };
  const timer = schedule('* * * * *', beat, options);
  void beat();
  return {
    stop: async () => {
      isStopped = true;
      await timer.destroy();
      await underWay;
      clearTimeout(retry);
    },
  };
}
