import type { TelemetryProvider } from '../../domain/provider.ts';
import { checkLogs } from './check-logs.ts';
import { findLogs } from './find-logs.ts';
import { gatherLogs, type LogOptions } from './gather-logs.ts';

/** A provider of the lines that a source has. */
export function createLogProvider(options: LogOptions): TelemetryProvider {
  return {
    name: options.source.name.provider,
    gather: (incident, window, signal) => gatherLogs(options, incident, window, signal),
    queryLogs: (query, signal) => findLogs(options, query, signal),
    check: (signal) => checkLogs(options, Date.now(), signal),
  };
}
