#!/usr/bin/env node
// Makes a fresh clone ready to run: dependencies, then the build. Does nothing, quickly, when nothing is to do.
// Speaks on stderr only: `rootnote investigate --json | jq .` must see JSON alone. Plain JavaScript, no dependencies.
import { realpathSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { build, isBuilt } from './setup/build.mjs';
import { install, isInstalled } from './setup/install.mjs';
import { withLock } from './setup/lock.mjs';
import { SetupError, say } from './setup/progress.mjs';

const OLDEST_NODE = [20, 19];

/** Installs and builds what is missing or stale. Throws SetupError with a message for people. Safe in two processes at once. */
export async function ensureReady() {
  checkNodeVersion(process.versions.node);
  if (isInstalled() && isBuilt()) return;
  await withLock(async () => {
    // Another process may have done it while this one waited.
    if (!isInstalled()) await install();
    if (!isBuilt()) await build();
  });
}

export function checkNodeVersion(version) {
  const [major, minor] = version.split('.').map(Number);
  if (major > OLDEST_NODE[0] || (major === OLDEST_NODE[0] && minor >= OLDEST_NODE[1])) return;
  throw new SetupError(
    `Rootnote needs Node ${OLDEST_NODE.join('.')} or newer; this is ${version}. See https://nodejs.org`,
  );
}

const startedAsScript = process.argv[1] && realpathSync(process.argv[1]) === fileURLToPath(import.meta.url);
if (startedAsScript) {
  try {
    await ensureReady();
  } catch (error) {
    if (!(error instanceof SetupError)) throw error;
    say(error.message);
    process.exitCode = 1;
  }
}
