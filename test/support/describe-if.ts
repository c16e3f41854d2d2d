import { describe } from '@jest/globals';
import { ProgramUnavailable, requireProgram, type TestProgram } from './programs.ts';

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
    const skip = (name: string, body: () => void) => describe.skip(`${name} [skipped: ${error.message}]`, body);
    return skip as typeof describe.skip;
  }
}
