import type { keepMistakes } from '../../config/load-config.ts';
import type { Config } from '../../config/schema.ts';
import type { TelemetryProvider } from '../../domain/provider.ts';
import { readAccess } from '../backend/access.ts';
import { readNames } from '../logs/read-names.ts';
import { createLokiProvider } from './index.ts';

/** The provider that the settings ask for; undefined without an address, and when its certificate cannot be used. */
export function openLoki(settings: Config, tryTo: ReturnType<typeof keepMistakes>): TelemetryProvider | undefined {
  const access = readAccess('LOKI', settings, tryTo);
  if (!access) return undefined;
  const names = readNames('LOKI', settings);
  return createLokiProvider({ ...access, names, maxLines: settings.LOGS_MAX_LINES });
}
