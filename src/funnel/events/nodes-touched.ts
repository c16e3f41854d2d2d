import type { Incident } from '../../domain/incident.ts';
import type { ClusterEvent } from '../../domain/telemetry.ts';
import type { ServiceMap } from '../services.ts';
import type { Cluster, KubeObject } from './cluster.ts';
import { isVital } from './components.ts';
import { listAt, textAt } from './json-path.ts';
import { isFinished, isUnplaced } from './objects/pod-life.ts';
import { suits } from './objects/scheduling.ts';
import { ownerReferences } from './ownership.ts';

const ABOUT_NODES = /node|kubelet/i;

/** The node that the alert itself is about, not one that it mentions beside a workload; undefined for all other alerts. */
export function alertedNode({ labels, service }: Incident, nodes: readonly KubeObject[]): string | undefined {
  const isMeant = ABOUT_NODES.test(labels['alertname'] ?? '') || service === undefined || service === labels['node'];
  if (!isMeant) return undefined;
  const named = [labels['node'], labels['nodename'], labels['instance']?.replace(/:\d+$/, '')];
  return nodes.find(({ name, body }) => {
    const addresses = listAt(body, 'status', 'addresses').map((address) => textAt(address, 'address'));
    return [name, ...addresses].some((own) => own !== undefined && named.includes(own));
  })?.name;
}

/**
 * Nodes whose trouble can matter to the alert: its pods run there or did, wait for a place that could be there, or what all stand on runs there. Undefined
 * where that is not known, because no pods of the alert's namespace were recorded, or some without their nodes.
 */
export function nodesTouched(
  cluster: Cluster,
  services: ServiceMap,
  events: readonly ClusterEvent[],
): ReadonlySet<string> | undefined {
  const pods = cluster.of('Pod');
  const own = pods.filter((pod) => pod.namespace === cluster.home || services.inTopology(pod.service));
  const placed = own.filter((pod) => !isUnplaced(pod) && !isFinished(pod));
  if (own.length === 0 || placed.some((pod) => nodeOf(pod) === undefined)) return undefined;
  const vital = pods.filter(({ service, body }) => isVital(service) && ownerReferences(body)[0]?.kind !== 'DaemonSet');
  const waiting = own.filter(isUnplaced);
  return new Set([
    ...[...own, ...vital].flatMap((pod) => nodeOf(pod) ?? []),
    ...cluster.of('Node').flatMap((node) => (waiting.some((pod) => suits(pod.body['spec'], node)) ? [node.name] : [])),
    ...events.flatMap(({ namespace, node }) => (node !== undefined && namespace === cluster.home ? [node] : [])),
  ]);
}

const nodeOf = (pod: KubeObject) => textAt(pod.body, 'spec', 'nodeName');
