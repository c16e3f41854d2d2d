import { readFileSync } from 'node:fs';
import { ConfigError, referredVariable } from '../config/load-config.ts';
import type { Config } from '../config/schema.ts';
import { readSourcesFile, SourcesFileError, type SourcesFile } from '../sources/generic/settings.ts';
import { createSources } from '../sources/index.ts';
import type { Source } from '../sources/source.ts';

/** Every sender that alerts are taken from. Throws `ConfigError` that names the file, the line and the path. */
export function openSources(config: Config): readonly Source[] {
  return createSources(config, sourcesFileOf(config).senders);
}

/** For redaction, which goes on where the file is broken: whoever opens the sources tells that. */
export function sourceSecretsOf(config: Config): readonly string[] {
  try {
    return sourcesFileOf(config).secrets;
  } catch {
    return [];
  }
}

function sourcesFileOf({ SOURCES_FILE: file }: Config): SourcesFile {
  if (file === undefined) return { senders: [], secrets: [] };
  try {
    return readSourcesFile(readFileSync(file, 'utf8'), file, referredVariable);
  } catch (error) {
    const isRefusal = error instanceof SourcesFileError;
    const reason = error instanceof Error ? error.message : String(error);
    throw new ConfigError(`SOURCES_FILE: ${isRefusal ? '' : `${file} cannot be read: `}${reason}`, { cause: error });
  }
}
