import { mkdir, readdir, realpath } from 'node:fs/promises';
import { join } from 'node:path';

/** What a program finds around it. */
export interface Surroundings {
  /** Empty, and nobody may write there: relative paths lead nowhere. */
  readonly folder: string;
  readonly env: Readonly<Record<string, string>>;
}

/**
 * Makes the surroundings of all commands. Nothing of Rootnote's own environment is passed on: no key, no token, no loader or pager variable. Throws when
 * the folder that has to be empty is not.
 */
export async function openSurroundings(stateDir: string, kubeconfig: string | undefined): Promise<Surroundings> {
  const path = join(stateDir, 'empty');
  await mkdir(stateDir, { recursive: true });
  await mkdir(path, { mode: 0o555 }).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EEXIST') throw error;
  });
  const folder = await realpath(path);
  if ((await readdir(folder)).length > 0) throw new Error(`${folder} has to be empty: commands run there`);
  const env = {
    PATH: '/usr/bin:/bin:/usr/sbin:/sbin',
    // No folder at all: `top` makes one in it for its settings, whatever the mode when it runs as root.
    HOME: '/dev/null',
    LANG: 'C.UTF-8',
    LC_ALL: 'C.UTF-8',
    TZ: 'UTC',
    TERM: 'dumb',
    PAGER: 'cat',
    SYSTEMD_PAGER: '',
    ...(kubeconfig === undefined ? {} : { KUBECONFIG: kubeconfig }),
  };
  return { folder, env };
}
