import { lstat, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';

/** Names of what Rootnote writes: whatever else somebody keeps in the folder is left alone. */
const OWN =
  /^(?:rep_[\w-]+(?:\.[\w-]+)*|(?:inc|check)_[\w-]+\.first-look|storm_[\w-]+)\.json$|^\.(?:rep|inc|check|storm)_[\w.-]+\.tmp$/;

/** Removes what Rootnote wrote before `beforeMs` (epoch). Never rejects: a file that cannot be removed stays, and is tried again the next time. */
export async function tidyReports(folder: string, beforeMs: number): Promise<void> {
  const names = await readdir(folder).catch(() => []);
  for (const name of names.filter((one) => OWN.test(one))) {
    const path = join(folder, name);
    const written = await lstat(path).catch(() => undefined);
    if (written?.isFile() && written.mtimeMs < beforeMs) await rm(path, { force: true }).catch(() => undefined);
  }
}
