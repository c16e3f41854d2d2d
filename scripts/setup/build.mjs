import { createHash } from 'node:crypto';
import { copyFileSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { ROOT, run } from './progress.mjs';

const DIST = join(ROOT, 'dist');
const STAMP = join(DIST, '.stamp');
/** What the compiler may read. test/support: the demo's recorder and the fault tests start their programs with it. */
const SOURCE_FOLDERS = ['src', 'bench', 'demo', 'test/support', 'test/faults'];
const CONFIG_FILES = ['tsconfig.json', 'tsconfig.build.json', 'package-lock.json'];

/** True when dist was made from the sources as they are now. Judged by content: git checkouts change times. */
export function isBuilt() {
  return existsSync(STAMP) && readFileSync(STAMP, 'utf8') === hashOf(sources());
}

/** Compiles into dist and copies what the code reads beside itself (src/**, not TypeScript). */
export async function build() {
  const files = sources();
  const hash = hashOf(files);
  rmSync(STAMP, { force: true });
  const compiler = join(ROOT, 'node_modules', 'typescript', 'bin', 'tsc');
  await run('building', process.execPath, [compiler, '-p', 'tsconfig.build.json']);
  const assets = files.filter(isAsset);
  for (const asset of assets) {
    const target = join(DIST, asset);
    mkdirSync(dirname(target), { recursive: true });
    copyFileSync(join(ROOT, asset), target);
  }
  removeLeftovers(files);
  writeFileSync(STAMP, hash);
}

function sources() {
  return [...SOURCE_FOLDERS.flatMap((folder) => filesUnder(join(ROOT, folder))), ...CONFIG_FILES];
}

function filesUnder(folder) {
  if (!existsSync(folder)) return [];
  return readdirSync(folder, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(ROOT, join(entry.parentPath, entry.name)))
    .filter((file) => file.endsWith('.ts') || isAsset(file))
    .toSorted();
}

function isAsset(file) {
  return file.startsWith(`src/`) && !file.endsWith('.ts') && !file.endsWith('.md');
}

function hashOf(files) {
  const hash = createHash('sha256');
  for (const file of files) {
    hash
      .update(`${file}\0`)
      .update(readFileSync(join(ROOT, file)))
      .update('\0');
  }
  return hash.digest('hex');
}

/** A module whose source is gone must not be importable by accident. */
function removeLeftovers(files) {
  const expected = new Set(files.flatMap((file) => [file, file.replace(/\.ts$/, '.js')]));
  for (const entry of readdirSync(DIST, { withFileTypes: true, recursive: true })) {
    if (!entry.isFile()) continue;
    const path = join(entry.parentPath, entry.name);
    if (!expected.has(relative(DIST, path).replace(/\.map$/, ''))) rmSync(path);
  }
}
