import { readFileSync } from 'node:fs';
import type { TelemetryProvider } from '../domain/provider.ts';
import { NO_TELEMETRY, type Telemetry, type Topology } from '../domain/telemetry.ts';
import { toTopology } from './topology-json.ts';

/** Who calls whom, from a JSON file that the operator keeps. Throws an `Error` that says what is wrong with the file. */
export function createTopologyFileProvider(file: string): TelemetryProvider {
  const { topology, ignored } = readTopologyFile(file);
  const gaps = ignored > 0 ? [{ source: 'topology', message: `${ignored} entries of ${file} name no service.` }] : [];
  const telemetry: Telemetry = { ...NO_TELEMETRY, topology, gaps };
  return {
    name: 'topology',
    gather: (_incident, _window, signal) =>
      signal.aborted ? Promise.reject(new Error('cancelled')) : Promise.resolve(telemetry),
    check: () => {
      const value = `${topology.services.length} services, ${topology.edges.length} calls`;
      if (topology.edges.length > 0) return Promise.resolve({ name: 'topology', status: 'ok', value });
      const remedy = 'Add edges {from, to} to the file in TOPOLOGY_FILE.';
      return Promise.resolve({ name: 'topology', status: 'warn', value, remedy });
    },
  };
}

/** Throws an `Error` that says what is wrong with the file. */
export function readTopologyFile(file: string): { readonly topology: Topology; readonly ignored: number } {
  const value: unknown = JSON.parse(readFileSync(file, 'utf8'));
  const read = toTopology(value);
  if (!read) throw new Error('not of the form {"services": [...], "edges": [{"from": "a", "to": "b"}]}');
  return read;
}
