import { open, readdir, realpath, stat } from 'node:fs/promises';
import { join, sep } from 'node:path';
import { isSkillName } from './skill-head.ts';

/** More files in one folder are no shelf of playbooks. */
const MAX_FILES = 500;
/** Most bytes of a character in UTF-8. */
const BYTES_PER_CHARACTER = 4;

export interface SkillFile {
  /** Name by its place: of the file, or of the folder that holds SKILL.md. */
  readonly name: string;
  readonly path: string;
  readonly isFolder: boolean;
}

/**
 * Skills of a folder by name, `<name>.md` before `<name>/SKILL.md`. Paths are made of what the folder lists, never of a name that somebody asked for,
 * and are real paths inside the folder: a link that leads out of it is left out (SPEC B5). A folder that cannot be read holds none.
 */
export async function findSkillFiles(folder: string): Promise<readonly SkillFile[]> {
  const root = await realpath(folder).catch(() => undefined);
  if (root === undefined) return [];
  const entries = (await readdir(root).catch(() => [])).toSorted(byName).slice(0, MAX_FILES);
  const flat = entries.filter((entry) => entry.endsWith('.md')).map((entry) => ({ name: entry.slice(0, -3), entry }));
  const nested = entries.map((entry) => ({ name: entry, entry: join(entry, 'SKILL.md') }));
  const found = new Map<string, SkillFile>();
  for (const { name, entry } of [...flat, ...nested]) {
    if (!isSkillName(name) || found.has(name)) continue;
    const path = await realFileInside(root, entry);
    if (path !== undefined) found.set(name, { name, path, isFolder: entry.endsWith(`${sep}SKILL.md`) });
  }
  return [...found.values()];
}

const byName = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

async function realFileInside(root: string, entry: string): Promise<string | undefined> {
  try {
    const path = await realpath(join(root, entry));
    // A pipe or device would never end.
    return path.startsWith(`${root}${sep}`) && (await stat(path)).isFile() ? path : undefined;
  } catch {
    return undefined;
  }
}

/** At most the first `characters` UTF-16 units of a file; undefined when it cannot be read. */
export async function readBeginning(path: string, characters: number): Promise<string | undefined> {
  try {
    const file = await open(path, 'r');
    try {
      const buffer = Buffer.alloc(characters * BYTES_PER_CHARACTER);
      let length = 0;
      while (length < buffer.length) {
        const { bytesRead } = await file.read(buffer, length, buffer.length - length);
        if (bytesRead === 0) break;
        length += bytesRead;
      }
      return buffer.toString('utf8', 0, length).slice(0, characters);
    } finally {
      await file.close();
    }
  } catch {
    return undefined;
  }
}
