import { ConfigError } from '../../config/load-config.ts';
import { whyUnreadable } from '../../platform/settings-file.ts';

/** Several mistakes of one file, a line each; `readNamed` names the setting and the file before each. */
export class FileMistakes extends Error {
  override readonly name: string = 'FileMistakes';
}

/** Reads a file that a setting names. Throws `ConfigError`; what goes wrong names both. */
export function readNamed<T>(setting: string, file: string, read: (file: string) => T): T {
  try {
    return read(file);
  } catch (error) {
    const problems = problemsOf(file, error).map((problem) => `${setting}: ${problem}`);
    throw new ConfigError(problems.join('\n'), { cause: error });
  }
}

function problemsOf(file: string, error: unknown): readonly string[] {
  if (error instanceof FileMistakes) return error.message.split('\n');
  // The same words as those of the check that it is there: told twice they are one mistake.
  const origin = [error, error instanceof Error && error.cause].find(isOfFileSystem);
  if (origin !== undefined) return [`${file} ${whyUnreadable(origin)}`];
  return [`${file} cannot be used: ${error instanceof Error ? error.message : String(error)}`];
}

function isOfFileSystem(error: unknown): boolean {
  return typeof error === 'object' && error !== null && 'syscall' in error;
}
