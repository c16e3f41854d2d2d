import { referredVariable } from '../config/load-config.ts';
import type { Config } from '../config/schema.ts';
import { readSourcesFile, SourcesFileError, type SourcesFile } from '../sources/generic/settings.ts';
import { createSources } from '../sources/index.ts';
import type { Source } from '../sources/source.ts';
import { readSettingFile, refuseFile } from './setting-file.ts';

/** Every sender that alerts are taken from. Throws `ConfigError` that names the file, the line and the path. */
export function openSources(config: Config): readonly Source[] {
  return createSources(config, sourcesFileOf(config).senders);
}

/** The same for a trial, which needs no secrets: a sender whose variable is not set says so, and takes nothing. */
export function openSourcesForTrial(config: Config): readonly Source[] {
  return createSources(config, sourcesFileOf(config, { mayLackSecrets: true }).senders);
}

/** For redaction, which goes on where the file is broken: whoever opens the sources tells that. */
export function sourceSecretsOf(config: Config): readonly string[] {
  try {
    return sourcesFileOf(config, { mayLackSecrets: true }).secrets.filter((secret) => secret !== '');
  } catch {
    return [];
  }
}

function sourcesFileOf(
  { SOURCES_FILE: file }: Config,
  options: { readonly mayLackSecrets?: boolean } = {},
): SourcesFile {
  if (file === undefined) return { senders: [], secrets: [] };
  const text = readSettingFile('SOURCES_FILE', file);
  try {
    return readSourcesFile(text, file, referredVariable, options);
  } catch (error) {
    throw error instanceof SourcesFileError ? refuseFile('SOURCES_FILE', error.message, error) : error;
  }
}
