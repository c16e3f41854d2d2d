import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { ownerLives, OWN_NAME, withLockFile } from '../../../src/platform/lock-file.ts';
import { startChild } from '../../support/child.ts';

let folder: string;
let path: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'rn-lock-'));
  path = join(folder, 'lock');
});
afterEach(() => rm(folder, { recursive: true, force: true }));

/** `host:pid` of a process that has ended. */
async function deadOwner(): Promise<string> {
  const child = await startChild('true', []);
  await child.kill();
  return `${hostname()}:${child.pid}`;
}

describe('a lock file', () => {
  test('lets one at a time in', async () => {
    let inside = 0;
    let most = 0;
    const work = async () => {
      inside += 1;
      most = Math.max(most, inside);
      await new Promise((resolve) => setImmediate(resolve));
      inside -= 1;
    };
    await Promise.all(Array.from({ length: 5 }, () => withLockFile(path, { waitMs: 30_000 }, work)));
    expect(most).toBe(1);
    expect(await readdir(folder)).toEqual([]);
  });

  test('of a process that is gone is taken over', async () => {
    await writeFile(path, await deadOwner());
    expect(await withLockFile(path, { waitMs: 10_000 }, async () => 'done')).toBe('done');
  });

  test('of a living process is respected, and the error names its owner', async () => {
    await writeFile(path, OWN_NAME);
    await expect(withLockFile(path, { waitMs: 100 }, async () => 'done')).rejects.toThrow(OWN_NAME);
  });

  test('is released when the work fails', async () => {
    const failing = withLockFile(path, { waitMs: 100 }, () => Promise.reject(new Error('no')));
    await expect(failing).rejects.toThrow('no');
    expect(await readdir(folder)).toEqual([]);
  });
});

test('an owner on another host counts as living: its process numbers mean nothing here', async () => {
  expect(ownerLives('another-host:1')).toBe(true);
  expect(ownerLives(await deadOwner())).toBe(false);
  expect(ownerLives(OWN_NAME)).toBe(true);
  expect(ownerLives('')).toBe(false);
});
