import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startChild, waitUntilReady } from './child.ts';
import { freePort } from './free-port.ts';
import { requireProgram, type TestProgram } from './programs.ts';

export interface LoopbackProgram {
  readonly url: string;
  readonly pid: number;
  /** Ends it and removes its folder. */
  stop(): Promise<void>;
}

/** A program of the Prometheus family on a loopback port, in a folder of its own that holds `files`. Throws `ProgramUnavailable`. */
export async function startLoopbackProgram(
  program: TestProgram,
  files: Readonly<Record<string, string>>,
  argumentsFor: (folder: string) => readonly string[],
  externalUrl: string | undefined,
): Promise<LoopbackProgram> {
  const name = program.names[0] ?? '';
  const command = await requireProgram(program);
  const folder = await mkdtemp(join(tmpdir(), `rn-${name}-`));
  const address = `127.0.0.1:${await freePort()}`;
  for (const [file, text] of Object.entries(files)) await writeFile(join(folder, file), text);
  const child = await startChild(
    command,
    [
      ...argumentsFor(folder),
      `--web.listen-address=${address}`,
      '--log.level=warn',
      ...(externalUrl === undefined ? [] : [`--web.external-url=${externalUrl}`]),
    ],
    { cwd: folder },
  );
  const url = `http://${address}`;
  await waitUntilReady(child, name, async () => (await fetch(`${url}/-/ready`)).ok);
  return {
    url,
    pid: child.pid,
    stop: async () => {
      await child.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}
