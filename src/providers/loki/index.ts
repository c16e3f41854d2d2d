import type { TelemetryProvider } from '../../domain/provider.ts';
import type { BackendAccess } from '../backend/access.ts';
import { createLogProvider } from '../logs/create-log-provider.ts';
import type { LogFieldNames } from '../logs/log-source.ts';
import { createLokiApi } from './api.ts';
import { createLokiSource } from './source.ts';

export interface LokiOptions extends BackendAccess {
  /** Labels, and structured metadata for level and trace. */
  readonly names: LogFieldNames;
  readonly maxLines: number;
}

/** Grafana Loki 2 or 3: whatever speaks its HTTP API under `url`. */
export function createLokiProvider({ names, maxLines, ...access }: LokiOptions): TelemetryProvider {
  return createLogProvider({ source: createLokiSource(createLokiApi(access), names), names, maxLines });
}
