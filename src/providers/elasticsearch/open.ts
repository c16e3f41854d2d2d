import type { keepMistakes } from '../../config/load-config.ts';
import type { Config } from '../../config/schema.ts';
import type { TelemetryProvider } from '../../domain/provider.ts';
import { readAccess } from '../backend/access.ts';
import { readNames } from '../logs/read-names.ts';
import { createElasticsearchProvider } from './index.ts';

/** The provider that the settings ask for; undefined without an address, and when its certificate cannot be used. */
export function openElasticsearch(
  settings: Config,
  tryTo: ReturnType<typeof keepMistakes>,
): TelemetryProvider | undefined {
  const access = readAccess('ELASTICSEARCH', settings, tryTo);
  if (!access) return undefined;
  const { ELASTICSEARCH_API_KEY: key, LOGS_MAX_LINES: maxLines, ELASTICSEARCH_INDEX: index } = settings;
  const names = {
    time: settings.ELASTICSEARCH_TIME_FIELD,
    message: settings.ELASTICSEARCH_MESSAGE_FIELDS,
    ...readNames('ELASTICSEARCH', settings),
  };
  const headers = { ...access.headers, ...(key === undefined ? {} : { authorization: `ApiKey ${key}` }) };
  return createElasticsearchProvider({ ...access, headers, index, names, maxLines });
}
