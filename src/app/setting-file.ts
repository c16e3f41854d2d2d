import { ConfigError } from '../config/load-config.ts';
import { readNamedFile } from '../platform/settings-file.ts';

/** Text of the file that a setting names. Throws `ConfigError`. */
export function readSettingFile(setting: string, file: string): string {
  try {
    return readNamedFile(file);
  } catch (error) {
    throw refuseFile(setting, `${file} ${error instanceof Error ? error.message : String(error)}`, error);
  }
}

/** What is wrong with such a file, a line a mistake, each with the setting before it. */
export function refuseFile(setting: string, problems: string, cause?: unknown): ConfigError {
  const lines = problems.split('\n').map((line) => `${setting}: ${line}`);
  return new ConfigError(lines.join('\n'), { cause });
}
