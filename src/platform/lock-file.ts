import { link, open, readFile, rename, rm, stat } from 'node:fs/promises';
import { hostname } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';

const POLL_MS = 50;

/** `host:pid` of this process, and whether such an owner still lives. An owner on another host is taken to live. */
export const OWN_NAME = `${hostname()}:${process.pid}`;
export function ownerLives(name: string): boolean {
  const split = name.lastIndexOf(':');
  if (name.slice(0, split) !== hostname()) return name.length > 0;
  try {
    process.kill(Number(name.slice(split + 1)), 0);
    return true;
  } catch (error) {
    // EPERM: it lives under another user.
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

export interface LockOptions {
  readonly waitMs: number;
  readonly signal?: AbortSignal | undefined;
  /**
   * Work takes far less: an older lock is taken over, whoever holds it. For folders that several hosts share, where nobody can tell whether an owner
   * on another host still lives, and a restarted container is another host.
   */
  readonly staleAfterMs?: number;
}

/**
 * Runs `work` while holding a lock file, so that of several processes one at a time does it. The lock of a process that was killed
 * is taken over. Throws when it cannot be had within `waitMs`.
 */
export async function withLockFile<T>(
  path: string,
  { waitMs, signal, staleAfterMs }: LockOptions,
  work: () => Promise<T>,
): Promise<T> {
  for (let waited = 0; !(await tryLock(path, staleAfterMs)); waited += POLL_MS) {
    if (waited >= waitMs) throw new Error(`${path} is held by ${await readOwner(path)}`);
    await sleep(POLL_MS, undefined, { signal });
  }
  try {
    return await work();
  } finally {
    await rm(path, { force: true });
  }
}

async function tryLock(path: string, staleAfterMs: number | undefined): Promise<boolean> {
  try {
    const file = await open(path, 'wx', 0o600);
    await file.writeFile(OWN_NAME);
    await file.close();
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
  if (await isStale(path, staleAfterMs)) await removeStale(path, staleAfterMs);
  return false;
}

async function isStale(path: string, staleAfterMs: number | undefined): Promise<boolean> {
  const owner = await readOwner(path);
  // Empty: its owner is just writing its name.
  if (owner !== '' && !ownerLives(owner)) return true;
  if (staleAfterMs === undefined) return false;
  const written = await stat(path).catch(() => undefined);
  return written !== undefined && Date.now() - written.mtimeMs > staleAfterMs;
}

/** By moving it away first: of two processes that see the same stale lock, the slower must not remove the new lock of the faster. */
async function removeStale(path: string, staleAfterMs: number | undefined): Promise<void> {
  const moved = `${path}.${hostname()}.${process.pid}`;
  try {
    await rename(path, moved);
  } catch {
    return;
  }
  if (!(await isStale(moved, staleAfterMs))) await link(moved, path).catch(() => undefined);
  await rm(moved, { force: true });
}

export async function readOwner(path: string): Promise<string> {
  return readFile(path, 'utf8').catch(() => '');
}
