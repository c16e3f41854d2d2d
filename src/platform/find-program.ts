import { ProgramError, runProgram, type RunOptions } from './run-program.ts';

export interface FoundProgram {
  readonly command: string;
  /** What it prints for `--version`, trimmed. */
  readonly versionText: string;
}

/**
 * The first of `names` (looked up on PATH, or a path) that runs, judged by `--version`: a file that is there but built for another
 * system does not count. Undefined when none runs.
 */
export async function findProgram(
  names: readonly string[],
  options: Pick<RunOptions, 'env' | 'signal'> = {},
): Promise<FoundProgram | undefined> {
  for (const command of names) {
    try {
      const versionText = await runProgram(command, ['--version'], { ...options, timeoutMs: VERSION_TIMEOUT_MS });
      return { command, versionText: versionText.trim() };
    } catch (error) {
      options.signal?.throwIfAborted();
      if (!(error instanceof ProgramError)) throw error;
    }
  }
  return undefined;
}

const VERSION_TIMEOUT_MS = 30_000;
