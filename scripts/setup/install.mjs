import { createHash } from 'node:crypto';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT, run } from './progress.mjs';

const LOCK_FILE = join(ROOT, 'package-lock.json');
const STAMP = join(ROOT, 'node_modules', '.rootnote-install');
/** npm's own note of what it put there. */
const INSTALLED = join(ROOT, 'node_modules', '.package-lock.json');

/** True when node_modules holds what package-lock.json asks for, for this kind of machine. */
export function isInstalled() {
  const wanted = stampText();
  if (readOrNothing(STAMP) === wanted) return true;
  if (!matchesLockFile()) return false;
  // Somebody ran npm by hand; that is as good.
  writeFileSync(STAMP, wanted);
  return true;
}

/** `npm ci`, with the development packages even where NODE_ENV says production: the build needs them. */
export async function install() {
  rmSync(STAMP, { force: true });
  const args = ['ci', '--include=dev', '--no-audit', '--no-fund', '--loglevel=error'];
  const title = 'installing dependencies (npm ci)';
  const npm = process.env.npm_execpath;
  if (npm && /\bnpm(-cli)?\.c?js$/.test(npm)) await run(title, process.execPath, [npm, ...args]);
  else await run(title, 'npm', args);
  writeFileSync(STAMP, stampText());
}

function stampText() {
  const hash = createHash('sha256').update(readFileSync(LOCK_FILE)).digest('hex');
  return `${hash} ${process.platform}-${process.arch}\n`;
}

function matchesLockFile() {
  const installed = JSON.parse(readOrNothing(INSTALLED) || '{}').packages;
  if (!installed) return false;
  const locked = JSON.parse(readFileSync(LOCK_FILE, 'utf8')).packages;
  const required = Object.entries(locked).filter(([path, entry]) => path !== '' && !entry.optional);
  return (
    required.every(([path, entry]) => installed[path]?.version === entry.version) &&
    Object.entries(installed).every(([path, entry]) => locked[path]?.version === entry.version)
  );
}

function readOrNothing(file) {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}
