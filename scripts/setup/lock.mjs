import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { ROOT, SetupError, say } from './progress.mjs';

const FOLDER = join(ROOT, '.rootnote');
const LOCK = join(FOLDER, 'setup.lock');
const WAIT_MS = 600_000;
const POLL_MS = 100;

/** Runs `work` in one process at a time. A lock whose owner is gone is taken over. */
export async function withLock(work) {
  mkdirSync(FOLDER, { recursive: true });
  for (let waited = 0; !tryLock(); waited += POLL_MS) {
    if (waited === 0) say('another process is setting up; waiting for it');
    if (waited > WAIT_MS)
      throw new SetupError(`set-up waited ${WAIT_MS / 60_000} minutes for ${LOCK}; remove it and try again`);
    await sleep(POLL_MS);
  }
  try {
    return await work();
  } finally {
    rmSync(LOCK, { force: true });
  }
}

function tryLock() {
  try {
    writeFileSync(LOCK, String(process.pid), { flag: 'wx' });
    return true;
  } catch (error) {
    if (error.code !== 'EEXIST') throw error;
  }
  if (!ownerLives()) rmSync(LOCK, { force: true });
  return false;
}

function ownerLives() {
  try {
    const owner = readFileSync(LOCK, 'utf8');
    // Empty: its owner is just writing its number.
    if (owner === '') return true;
    process.kill(Number(owner), 0);
    return true;
  } catch (error) {
    return error.code === 'EPERM';
  }
}
