import type { CheckResult } from '../../domain/check-result.ts';
import type { TelemetryProvider } from '../../domain/provider.ts';
import { failedCheck, type BackendName } from '../backend/ask-backend.ts';
import { findTraces } from './find-traces.ts';
import { gatherTraces } from './gather-traces.ts';
import type { TraceServer } from './trace-server.ts';

/** A provider of a server of traces. `mostTraces` are read for one incident, and half of them for a question of the agent. */
export function createTraceProvider(server: TraceServer, name: BackendName, mostTraces: number): TelemetryProvider {
  return {
    name: server.name,
    gather: (incident, window, signal) => gatherTraces(server, mostTraces, incident, window, signal),
    querySpans: (query, signal) => findTraces(server, Math.ceil(mostTraces / 2), query, signal),
    check: async (signal) => {
      try {
        return await check(server, name, signal);
      } catch (error) {
        return failedCheck(name, error);
      }
    },
  };
}

/** Reads a trace: that there are names of services does not prove it. */
async function check(
  server: TraceServer,
  { provider, prefix }: BackendName,
  signal: AbortSignal,
): Promise<CheckResult> {
  const product = await server.product(signal);
  const { names, notes } = await server.services(undefined, signal);
  const [service] = names.toSorted();
  const recent = service === undefined ? undefined : await server.findRecent(service, signal);
  const trace = recent?.traces[0];
  const proof =
    trace === undefined ? '' : `, read trace ${trace[0]?.traceId ?? ''} of ${service ?? ''} with ${trace.length} spans`;
  const value = [`${product}, ${names.length} services with traces${proof}`, ...notes, ...(recent?.notes ?? [])].join(
    '; ',
  );
  if (trace !== undefined) return { name: provider, status: 'ok', value };
  const remedy = `It answers, but gives no trace: check that traces are sent to it, and the tenant in ${prefix}_HEADERS.`;
  return { name: provider, status: 'warn', value, remedy };
}
