import { fileURLToPath } from 'node:url';
import { runProgram } from '../../src/platform/run-program.ts';

const BUILD_TIMEOUT_MS = 300_000;

const inCheckout = (path: string) => fileURLToPath(new URL(`../../${path}`, import.meta.url));

/** Brings `dist` up to date (nothing to do in most cases) and returns the path of one of its files, for tests with real processes. */
export async function builtFile(path: string): Promise<string> {
  await runProgram(process.execPath, [inCheckout('scripts/setup.mjs')], { timeoutMs: BUILD_TIMEOUT_MS });
  return inCheckout(`dist/${path}`);
}
