import { readFileSync } from 'node:fs';
import type { keepMistakes } from '../../config/load-config.ts';
import type { Config } from '../../config/schema.ts';
import type { TelemetryProvider } from '../../domain/provider.ts';
import { readAccess } from '../backend/access.ts';
import { readNamed } from '../backend/read-file.ts';
import { createPrometheusProvider, loadDefaultQueries, loadQueryMap } from './index.ts';

/** The provider that the settings ask for; undefined without an address, and when a file that they name cannot be used. */
export function openPrometheus(
  settings: Config,
  tryTo: ReturnType<typeof keepMistakes>,
): TelemetryProvider | undefined {
  if (settings.PROMETHEUS_URL === undefined) return undefined;
  const access = readAccess('PROMETHEUS', settings, tryTo);
  const { QUERIES_FILE: file } = settings;
  const queries = tryTo(() =>
    file === undefined ? loadDefaultQueries() : readNamed('QUERIES_FILE', file, readQueries),
  );
  if (!access || !queries) return undefined;
  return createPrometheusProvider({ ...access, maxSeries: settings.PROMETHEUS_MAX_SERIES, queries });
}

function readQueries(file: string) {
  return loadQueryMap(readFileSync(file, 'utf8'), file);
}
