import type { Incident } from '../domain/incident.ts';
import type { Telemetry, Topology } from '../domain/telemetry.ts';
import { withDependencies } from '../memory/dependencies.ts';

const NAMED_IN_GAP = 5;

/**
 * The telemetry with the remembered calls that belong to it (SPEC B12). Nobody has observed them, so that they are told under the gaps.
 */
export function addRememberedCalls(
  telemetry: Telemetry,
  remembered: Topology['edges'],
  incident: Pick<Incident, 'service'>,
): Telemetry {
  if (remembered.length === 0) return telemetry;
  const { topology, added } = withDependencies(telemetry.topology, remembered, knownServices(telemetry, incident));
  if (added.length === 0) return telemetry;
  const named = added.slice(0, NAMED_IN_GAP).map(({ from, to }) => `${from} → ${to}`);
  const more = added.length > named.length ? ` and ${added.length - named.length} more` : '';
  const message = `calls known from memory alone, not observed: ${named.join(', ')}${more}.`;
  return { ...telemetry, topology, gaps: [...telemetry.gaps, { source: 'memory', message }] };
}

/** Services that were seen, other than in log lines: there are too many of those. */
function knownServices({ topology, series, spanStats }: Telemetry, { service }: Pick<Incident, 'service'>) {
  const known = new Set(topology.services);
  for (const { from, to } of topology.edges) known.add(from).add(to);
  for (const one of series) known.add(one.service);
  for (const one of spanStats) known.add(one.service);
  return service === undefined ? known : known.add(service);
}
