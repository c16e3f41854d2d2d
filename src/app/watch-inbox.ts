import type { Redis } from 'ioredis';
import type { Logger } from '../platform/logger.ts';
import { readInbox } from '../sessions/admission/inbox.ts';

const EVERY_MS = 60_000;
/** Decided within milliseconds, while a worker decides. */
export const LONGEST_IN_INBOX_MS = 60_000;

/**
 * Once a minute, when nobody decides what comes in, the log says so: senders are told that all is well, and a receiver is. Looks with the connection of the
 * caller, which closes it.
 */
export function watchInbox(redis: Redis, prefix: string, log: Logger): { stop(): void } {
  const timer = setInterval(() => void sayUndecided(redis, prefix, log), EVERY_MS);
  return { stop: () => clearInterval(timer) };
}

/** Never rejects: whoever is asked for an alert meanwhile says that Redis is away. */
export async function sayUndecided(redis: Redis, prefix: string, log: Logger): Promise<void> {
  try {
    const { waiting, oldestAgeMs } = await readInbox(redis, prefix);
    if (oldestAgeMs <= LONGEST_IN_INBOX_MS) return;
    log.error({ waiting, oldestAgeMs }, 'no worker decides what comes in; it waits in the inbox');
  } catch {
    return;
  }
}
