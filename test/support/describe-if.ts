import { describe, test } from '@jest/globals';
import { ProgramUnavailable, requireProgram, type TestProgram } from './programs.ts';

/** `describe` for what cannot run here: the suite is skipped, with the reason in its name. */
export function skipSuite(reason: string): typeof describe.skip {
  const skip = (name: string, body: () => void) => describe.skip(`${name} [skipped: ${reason}]`, body);
  return skip as typeof describe.skip;
}

/** The same for a single test. */
export function skipTest(reason: string): typeof test.skip {
  const skip = (name: string, body: () => void) => test.skip(`${name} [skipped: ${reason}]`, body);
  return skip as typeof test.skip;
}

/**
 * `describe` for suites that need real programs. When one cannot be had the suite is skipped, with the reason in its name; with
 * CI set it runs and fails instead, so that nothing goes untested there unnoticed. Call it as
 * `(await describeIf(REDIS, PROMETHEUS))('name', () => …)` at the top of a test file.
 */
export async function describeIf(...programs: readonly TestProgram[]): Promise<typeof describe | typeof describe.skip> {
  try {
    for (const program of programs) await requireProgram(program);
    return describe;
  } catch (error) {
    if (!(error instanceof ProgramUnavailable) || process.env['CI']) return describe;
    return skipSuite(error.message);
  }
}
