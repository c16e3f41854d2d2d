import type { keepMistakes } from '../../config/load-config.ts';
import type { Config } from '../../config/schema.ts';
import type { TelemetryProvider } from '../../domain/provider.ts';
import { readAccess } from '../backend/access.ts';
import { createJaegerProvider } from './index.ts';

/** The provider that the settings ask for; undefined without an address, and when a file that they name cannot be used. */
export function openJaeger(settings: Config, tryTo: ReturnType<typeof keepMistakes>): TelemetryProvider | undefined {
  const access = readAccess('JAEGER', settings, tryTo);
  return access && createJaegerProvider({ ...access, maxTraces: settings.JAEGER_MAX_TRACES });
}
