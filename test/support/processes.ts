import { builtFile } from './built.ts';
import { startChild, waitUntilReady, type Child } from './child.ts';
import { freePort } from './free-port.ts';

export interface RootnoteProcess extends Child {
  /** Base URL, for roles that listen. */
  readonly url: string;
}

/**
 * Starts a built `rootnote` role as a child process with only the given environment (and PATH), on a free loopback port. Returns when
 * /readyz answers 200. Roles without HTTP (`waitFor: 'start'`) are returned at once.
 */
export async function startRootnote(
  args: readonly string[],
  env: Readonly<Record<string, string>>,
  { cwd, waitFor = 'ready' }: { readonly cwd?: string; readonly waitFor?: 'ready' | 'start' } = {},
): Promise<RootnoteProcess> {
  const main = await builtFile('src/main.js');
  const port = env['PORT'] ?? String(await freePort());
  const child = await startChild(process.execPath, [main, ...args], {
    ...(cwd === undefined ? {} : { cwd }),
    env: { PATH: process.env['PATH'], ...env, PORT: port },
  });
  const url = `http://127.0.0.1:${port}`;
  if (waitFor === 'ready') {
    await waitUntilReady(child, `rootnote ${args.join(' ')}`, async () => (await fetch(`${url}/readyz`)).ok, 60_000);
  }
  return { ...child, url };
}
