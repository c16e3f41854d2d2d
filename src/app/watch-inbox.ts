import type { Redis } from 'ioredis';
import type { Logger } from '../platform/logger.ts';
import { duration } from '../domain/relative-time.ts';
import type { InboxBacklog } from '../http/app.ts';
import { readInbox } from '../sessions/admission/inbox.ts';

const EVERY_MS = 60_000;
/** Decided within milliseconds, while a worker decides; a restart of the only worker is no trouble yet. */
export const LONGEST_IN_INBOX_MS = 60_000;
/** Whoever asks is told sooner. */
const SHORTEST_TOLD_MS = 5000;

/** What came in and waits although a worker would have decided it by now; undefined when nothing does. */
export async function readUndecided(redis: Redis, prefix: string): Promise<InboxBacklog | undefined> {
  const { waiting, oldestAgeMs } = await readInbox(redis, prefix);
  return oldestAgeMs < SHORTEST_TOLD_MS ? undefined : { notifications: waiting, oldestAgeSeconds: oldestAgeMs / 1000 };
}

/** The same in words. */
export function sayWaiting({ notifications, oldestAgeSeconds }: InboxBacklog): string {
  const wait = notifications === 1 ? '1 notification waits' : `${notifications} notifications wait`;
  return `${wait} to be decided, the first for ${duration(oldestAgeSeconds * 1000)}: no worker decides what comes in`;
}

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
