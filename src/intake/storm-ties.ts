import type { Incident } from '../domain/incident.ts';
import { namespaceOf, type Labels } from '../domain/labels.ts';
import type { Topology } from '../domain/telemetry.ts';

/** Labels that name the machine. `instance` is none: it names the exporter as often. */
const NODE_LABELS = ['node', 'kubernetes_node', 'kubernetes_io_hostname', 'nodename', 'hostname', 'host'] as const;

/** What connects an incident with others. */
export interface Ties {
  /** What others are connected with by being in reach of it: its service, its node, its namespace of a cluster. */
  readonly own: readonly string[];
  /** Its own, and the services that call it or that it calls. */
  readonly reach: readonly string[];
}

/**
 * Only what connects beyond doubt: one service, one call between services, one node, one namespace of one cluster. Neighbours of neighbours are not connected:
 * two incidents that are wrongly joined cost more than two investigations.
 */
export function tiesOf(incident: Incident, topology: Topology): Ties {
  const labels = labelsOf(incident);
  const { service } = incident;
  const node = NODE_LABELS.map((name) => labels[name]).find(Boolean);
  const namespace = namespaceOf(labels);
  const own = [
    ...(service ? [tie('service', service)] : []),
    ...(node ? [tie('node', node)] : []),
    ...(namespace ? [tie('namespace', labels['cluster'] ?? '', namespace)] : []),
  ];
  const near = service ? neighboursOf(service, topology) : [];
  return { own, reach: [...own, ...near.map((name) => tie('service', name))] };
}

function tie(...parts: readonly string[]): string {
  return JSON.stringify(parts);
}

/** Those that all its alerts share, else those of the gravest. */
function labelsOf({ labels, alerts }: Incident): Labels {
  return { ...alerts.find((alert) => alert.status === 'firing')?.labels, ...labels };
}

function neighboursOf(service: string, { edges }: Topology): readonly string[] {
  const near = edges.flatMap(({ from, to }) => (from === service ? [to] : to === service ? [from] : []));
  return [...new Set(near)].filter((name) => name !== service);
}
