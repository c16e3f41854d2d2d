import { constants } from 'node:fs';
import { access, open, realpath, stat } from 'node:fs/promises';
import { join } from 'node:path';

/** In this order. Never the PATH of whoever started Rootnote: what is found there may be anything. */
export const SYSTEM_FOLDERS: readonly string[] = ['/usr/bin', '/bin', '/usr/sbin', '/sbin', '/usr/local/bin'];

/** They reach a cluster, and only with the identity that was given for it. */
export const OF_CLUSTER: ReadonlySet<string> = new Set(['kubectl', 'helm', 'istioctl']);

const SHEBANG = '#!';

/**
 * Where the programs of these names are, as far as they are on this machine. A file that begins with `#!` is no program but a text for an interpreter,
 * most of them for a shell: it is left out, and so is a file that others may write.
 */
export async function findPrograms(
  names: Iterable<string>,
  folders: readonly string[] = SYSTEM_FOLDERS,
): Promise<ReadonlyMap<string, string>> {
  const found = await Promise.all([...names].map(async (name) => [name, await findOne(name, folders)] as const));
  return new Map(found.filter((entry): entry is [string, string] => entry[1] !== undefined));
}

async function findOne(name: string, folders: readonly string[]): Promise<string | undefined> {
  for (const folder of folders) {
    const path = join(folder, name);
    if (await isProgram(path).catch(() => false)) return path;
  }
  return undefined;
}

async function isProgram(path: string): Promise<boolean> {
  const real = await realpath(path);
  const { mode } = await stat(real);
  if ((mode & constants.S_IFMT) !== constants.S_IFREG || (mode & constants.S_IWOTH) !== 0) return false;
  await access(real, constants.X_OK);
  const file = await open(real);
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(SHEBANG.length), 0, SHEBANG.length, 0);
    return bytesRead === SHEBANG.length && buffer.toString('latin1') !== SHEBANG;
  } finally {
    await file.close();
  }
}
