import { realpath, stat } from 'node:fs/promises';
import { isAbsolute, relative, resolve } from 'node:path';
import type { Reading } from '../policy/shell/grammar.ts';
import { whyNotRead } from '../policy/shell/paths.ts';

/** What may be read on this machine. */
export interface ReadRules {
  /** Folders that files are read of. Names, sizes and times may be looked at everywhere. */
  readonly roots: readonly string[];
  /** Folders and files that are Rootnote's own. */
  readonly closed: readonly string[];
}

/**
 * Why one of the paths may not be read, by what really stands there, or undefined. A link has a harmless name of its own, so the rules are asked again
 * with the real path; what is no file and no folder (a pipe, a socket, a device) is not read. A path that is not there is the program's to complain about.
 */
export async function whyNotReadable(readings: readonly Reading[], rules: ReadRules): Promise<string | undefined> {
  for (const reading of readings) {
    const why = await whyNotOne(reading, rules);
    if (why !== undefined) return why;
  }
  return undefined;
}

async function whyNotOne({ path, how }: Reading, rules: ReadRules): Promise<string | undefined> {
  // The folder that commands run in is empty: a relative path leads nowhere.
  if (!isAbsolute(path)) return undefined;
  const real = await realpath(path).catch(() => undefined);
  if (real === undefined) return undefined;
  const kind = whyNotRead(real, how);
  if (kind !== undefined) return real === path ? kind : `'${path}' leads to another place: ${kind}`;
  if ((await firstAround(real, rules.closed)) !== undefined) return `'${path}' belongs to Rootnote itself`;
  if (how === 'tree' && (await isAroundOne(real, rules.closed)))
    return `'${path}' holds what belongs to Rootnote itself; name a folder further down`;
  if (how === 'entry' || real === '/dev/null') return undefined;
  if ((await firstAround(real, rules.roots)) === undefined)
    return `'${path}' is not below a folder that may be read (READ_ROOTS: ${rules.roots.join(', ')})`;
  const found = await stat(real).catch(() => undefined);
  return !found || found.isFile() || found.isDirectory() ? undefined : `'${path}' is no file`;
}

async function firstAround(path: string, folders: readonly string[]): Promise<string | undefined> {
  for (const folder of folders) if (isBelow(path, await realOf(folder))) return folder;
  return undefined;
}

async function isAroundOne(path: string, places: readonly string[]): Promise<boolean> {
  for (const place of places) if (isBelow(await realOf(place), path)) return true;
  return false;
}

/** A place that is not there yet has the path it was given, made absolute. */
async function realOf(path: string): Promise<string> {
  return realpath(path).catch(() => resolve(path));
}

/** True for the folder itself, too. */
function isBelow(path: string, folder: string): boolean {
  const way = relative(folder, path);
  return way === '' || (way !== '..' && !way.startsWith('../') && !isAbsolute(way));
}
