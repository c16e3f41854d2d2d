import { mkdir, mkdtemp, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { basename, join, resolve } from 'node:path';
import { findProgram } from './find-program.ts';
import { ProgramError, runProgram } from './run-program.ts';

export interface DebianProgram {
  /** Packages that must be unpacked even when dpkg believes them installed; the first names the cache folder. */
  readonly packages: readonly string[];
  /** Path inside the packages, such as `usr/bin/redis-server`. */
  readonly binary: string;
  /**
   * Absolute folder whose path the binary carries in itself and without which it does not start. The unpacked copy is changed to
   * look in its own `files/`, and the launcher runs it there: give it absolute paths.
   */
  readonly dataFolder?: string;
}

export interface FetchOptions extends DebianProgram {
  readonly cacheDir: string;
  readonly onProgress: (line: string) => void;
  /** Environment of apt, dpkg and the program; this process' own when absent. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  readonly signal?: AbortSignal | undefined;
  /** apt's own lists of packages; empty or missing in fresh containers. */
  readonly systemListsDir?: string;
}

export const REDIS_PACKAGE: DebianProgram = {
  packages: ['redis-server', 'redis-tools'],
  binary: 'usr/bin/redis-server',
};

const UPDATE_TIMEOUT_MS = 180_000;
const DOWNLOAD_TIMEOUT_MS = 180_000;
const QUICK_TIMEOUT_MS = 30_000;
/** Shared libraries come in these; the rest of what apt would install (users, scripts, fonts, web assets) a private copy does not need. */
const LIBRARY_PACKAGE = /^lib(?!c6$|js-)/;

/**
 * Unpacks a Debian program and the libraries it misses into `cacheDir`, without root and without installing anything, and returns
 * the absolute path of a launcher that was seen to run (`--version`). A later call finds it there. Two processes may do this at
 * once: each works in a folder of its own, and the first to finish gives it the final name. Throws `ProgramError` when apt or
 * dpkg is missing, no archive is reachable, or the program does not run here.
 */
export async function fetchDebianProgram(options: FetchOptions): Promise<string> {
  const name = options.packages[0] ?? basename(options.binary);
  const home = resolve(options.cacheDir, 'debian');
  const final = join(home, name);
  const launcher = join(final, basename(options.binary));
  if (await findProgram([launcher], options)) return launcher;

  await mkdir(home, { recursive: true });
  const work = await mkdtemp(join(home, `.${name}-`));
  try {
    options.onProgress(`fetching ${name} from the Debian archive (once; kept in ${options.cacheDir})`);
    await unpack(work, home, options);
    if (options.dataFolder !== undefined) await relocate(join(work, 'files', options.binary), options.dataFolder);
    const fresh = await writeLauncher(work, options);
    await runProgram(fresh, ['--version'], { ...options, timeoutMs: QUICK_TIMEOUT_MS });
    await publish(work, final, async () => (await findProgram([launcher], options)) !== undefined);
    options.onProgress(`${name} is ready`);
    return launcher;
  } finally {
    await rm(work, { recursive: true, force: true });
  }
}

/** Gives the work folder its final name. What stands there is kept if it runs (another process was first), else replaced. */
async function publish(work: string, final: string, finalRuns: () => Promise<boolean>): Promise<void> {
  for (let attempt = 0; ; attempt += 1) {
    try {
      return await rename(work, final);
    } catch (error) {
      if (attempt >= 2) throw error;
      if (await finalRuns()) return;
      await rm(final, { recursive: true, force: true });
    }
  }
}

async function unpack(work: string, home: string, options: FetchOptions): Promise<void> {
  const debs = join(work, 'debs');
  await mkdir(debs);
  await download(debs, home, options);
  const files = join(work, 'files');
  await mkdir(files);
  for (const file of await readdir(debs)) {
    if (!file.endsWith('.deb')) continue;
    await runProgram('dpkg', ['-x', join(debs, file), files], { ...options, timeoutMs: QUICK_TIMEOUT_MS });
  }
  await rm(debs, { recursive: true });
}

/** With the machine's own package lists when it has them and they still fit the archive; else with fresh private ones. */
async function download(debs: string, home: string, options: FetchOptions): Promise<void> {
  const configFile = join(debs, 'apt.conf');
  const systemLists = options.systemListsDir ?? '/var/lib/apt/lists';
  if (await hasLists(systemLists)) {
    try {
      await writeFile(configFile, aptConfig(systemLists, join(home, 'apt-cache')));
      return await downloadWith(configFile, debs, options);
    } catch (error) {
      options.signal?.throwIfAborted();
      if (!(error instanceof ProgramError)) throw error;
    }
  }
  // Lists of one's own: apt locks them, so processes that fetch at the same time must not share them.
  const ownLists = join(debs, 'lists');
  options.onProgress('reading the package lists of the Debian archive');
  await mkdir(join(ownLists, 'partial'), { recursive: true });
  await writeFile(configFile, aptConfig(ownLists, join(debs, 'apt-cache')));
  await runProgram('apt-get', ['-c', configFile, '-q', 'update'], { ...options, timeoutMs: UPDATE_TIMEOUT_MS });
  await downloadWith(configFile, debs, options);
}

async function downloadWith(configFile: string, debs: string, options: FetchOptions): Promise<void> {
  const plan = await planInstall(configFile, options);
  const names = [...new Set([...options.packages, ...librariesToInstall(plan)])];
  options.onProgress(`downloading ${names.join(', ')}`);
  await runProgram('apt-get', ['-c', configFile, '-q', 'download', ...names], {
    ...options,
    cwd: debs,
    timeoutMs: DOWNLOAD_TIMEOUT_MS,
  });
}

/** What apt would install. Where half-installed packages forbid any answer it is asked as if nothing were installed. */
async function planInstall(configFile: string, options: FetchOptions): Promise<string> {
  const args = ['-c', configFile, '--simulate', '--no-install-recommends', 'install', ...options.packages];
  const run = { ...options, timeoutMs: QUICK_TIMEOUT_MS };
  try {
    return await runProgram('apt-get', args, run);
  } catch (error) {
    options.signal?.throwIfAborted();
    if (!(error instanceof ProgramError) || !/unmet dependencies/i.test(error.message)) throw error;
    return runProgram('apt-get', ['-o', 'Dir::State::status=/dev/null', ...args], run);
  }
}

/** Names of the library packages in the output of `apt-get --simulate install`: lines `Inst <name> [<old>] (<new> …)`. */
export function librariesToInstall(plan: string): readonly string[] {
  const names = [...plan.matchAll(/^Inst (\S+)/gm)].map((match) => match[1] ?? '');
  return names.filter((name) => LIBRARY_PACKAGE.test(name) || name.startsWith('lua-'));
}

async function hasLists(folder: string): Promise<boolean> {
  const files = await readdir(folder).catch(() => []);
  return files.some((file) => file.includes('_Packages'));
}

/** The machine's sources and keys stay in force; state and hooks (which need root) do not. */
function aptConfig(listsDir: string, cacheDir: string): string {
  return `#clear APT::Update::Pre-Invoke;
#clear APT::Update::Post-Invoke;
#clear APT::Update::Post-Invoke-Success;
#clear DPkg::Post-Invoke;
Dir::State::Lists "${listsDir}";
Dir::Cache "${cacheDir}";
APT::Sandbox::User "";
Acquire::Languages "none";
Acquire::Retries "2";
Acquire::http::Timeout "20";
Debug::NoLocking "1";
`;
}

/** A script beside `files/`, found by its own path so that the folder may be renamed. `exec` keeps the process id. */
async function writeLauncher(work: string, { binary, dataFolder }: DebianProgram): Promise<string> {
  const files = join(work, 'files');
  const folders = await libraryFolders(files);
  const path = join(work, basename(binary));
  const libraries = folders.map((folder) => `$here/files/${folder}`).join(':');
  const script = `#!/bin/sh
here=\${0%/*}
export LD_LIBRARY_PATH="${libraries}\${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}"
${dataFolder === undefined ? '' : 'cd "$here/files" || exit 1\n'}exec "$here/files/${binary}" "$@"
`;
  await writeFile(path, script, { mode: 0o755 });
  return path;
}

/** Replaces the absolute folder by a relative path of the same length (a doubled slash): nothing else in the binary may move. */
async function relocate(binary: string, folder: string): Promise<void> {
  const lastSlash = folder.lastIndexOf('/');
  const relative = `${folder.slice(1, lastSlash)}/${folder.slice(lastSlash)}`;
  const bytes = await readFile(binary);
  for (let at = bytes.indexOf(folder); at >= 0; at = bytes.indexOf(folder, at + folder.length)) {
    bytes.write(relative, at, 'latin1');
  }
  await writeFile(binary, bytes);
}

async function libraryFolders(unpacked: string): Promise<readonly string[]> {
  const found: string[] = [];
  for (const base of ['usr/lib', 'lib']) {
    if (!(await isFolder(join(unpacked, base)))) continue;
    found.push(base);
    for (const entry of await readdir(join(unpacked, base))) {
      if (/^[a-z0-9_]+-linux-/.test(entry)) found.push(`${base}/${entry}`);
    }
  }
  return found;
}

async function isFolder(path: string): Promise<boolean> {
  return stat(path).then(
    (info) => info.isDirectory(),
    () => false,
  );
}
