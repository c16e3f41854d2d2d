import type { TelemetryProvider } from '../../domain/provider.ts';
import type { BackendAccess } from '../backend/access.ts';
import { createLogProvider } from '../logs/create-log-provider.ts';
import type { LogFieldNames } from '../logs/log-source.ts';
import { createVictoriaLogsSource } from './source.ts';

export interface VictoriaLogsOptions extends BackendAccess {
  readonly names: LogFieldNames;
  readonly maxLines: number;
}

/** VictoriaLogs, single node or cluster (its vlselect). */
export function createVictoriaLogsProvider({ names, maxLines, ...access }: VictoriaLogsOptions): TelemetryProvider {
  return createLogProvider({ source: createVictoriaLogsSource(access, names), names, maxLines });
}
