import type { keepMistakes } from '../../config/load-config.ts';
import type { Config } from '../../config/schema.ts';
import type { TelemetryProvider } from '../../domain/provider.ts';
import { readAccess } from '../backend/access.ts';
import { createTempoProvider } from './index.ts';

/** The provider that the settings ask for; undefined without an address, and when a file that they name cannot be used. */
export function openTempo(settings: Config, tryTo: ReturnType<typeof keepMistakes>): TelemetryProvider | undefined {
  const access = readAccess('TEMPO', settings, tryTo);
  return access && createTempoProvider({ ...access, maxTraces: settings.TEMPO_MAX_TRACES });
}
