import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { fetchDebianProgram, REDIS_PACKAGE, type DebianProgram } from '../../src/platform/debian-package.ts';
import { findProgram } from '../../src/platform/find-program.ts';

/** The program is neither on PATH nor to be had from the Debian archive. Suites that need it skip and say so. */
export class ProgramUnavailable extends Error {
  override readonly name = 'ProgramUnavailable';
}

export interface TestProgram {
  readonly names: readonly string[];
  readonly debian: DebianProgram;
}

export const REDIS: TestProgram = { names: ['redis-server', 'valkey-server'], debian: REDIS_PACKAGE };
export const PROMETHEUS: TestProgram = {
  names: ['prometheus'],
  debian: { packages: ['prometheus'], binary: 'usr/bin/prometheus' },
};
export const ALERTMANAGER: TestProgram = {
  names: ['prometheus-alertmanager', 'alertmanager'],
  debian: {
    packages: ['prometheus-alertmanager'],
    binary: 'usr/bin/prometheus-alertmanager',
    dataFolder: '/usr/share/prometheus/alertmanager',
  },
};

/** The checkout; this file may run from its `dist`. */
export function projectRoot(): string {
  let folder = dirname(fileURLToPath(import.meta.url));
  while (!existsSync(join(folder, 'package.json'))) folder = dirname(folder);
  return folder;
}

export const CACHE_DIR = join(projectRoot(), '.rootnote', 'cache');

/** Path of the program: on PATH, else fetched into the checkout's cache. Throws `ProgramUnavailable`. */
export async function requireProgram(program: TestProgram): Promise<string> {
  const found = await findProgram(program.names);
  if (found) return found.command;
  try {
    return await fetchDebianProgram({
      ...program.debian,
      cacheDir: CACHE_DIR,
      onProgress: (line) => process.stderr.write(`${line}\n`),
    });
  } catch (cause) {
    throw new ProgramUnavailable(`${program.names[0]} is not on PATH and cannot be fetched: ${String(cause)}`, {
      cause,
    });
  }
}
