import { access, constants, stat } from 'node:fs/promises';
import { delimiter, join } from 'node:path';

/**
 * Absolute path of the first of `names` that is an executable file in `searchPath` (the text of PATH); undefined when none is.
 * The order of names outweighs the order of folders.
 */
export async function findProgram(names: readonly string[], searchPath: string): Promise<string | undefined> {
  const folders = searchPath.split(delimiter).filter(Boolean);
  for (const name of names) {
    for (const folder of folders) {
      const candidate = join(folder, name);
      if (await isExecutableFile(candidate)) return candidate;
    }
  }
  return undefined;
}

async function isExecutableFile(path: string): Promise<boolean> {
  try {
    await access(path, constants.X_OK);
    return (await stat(path)).isFile();
  } catch {
    return false;
  }
}
