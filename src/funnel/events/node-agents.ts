import type { StateFinding } from '../layers.ts';
import type { Cluster } from './cluster.ts';
import { isNetworkPlugin, isStorageDriver } from './components.ts';
import { isReady } from './objects/pod-life.ts';

/** A kubelet calls its node unready until a network plugin has put its configuration there (kubelet: NetworkPluginNotReady). */
const WANTS_NETWORK =
  /NetworkPluginNotReady|network plugin is not ready|cni (plugin not initialized|config uninitialized)/i;
/** A kubelet mounts through the driver that a pod on its own node registered with it (CSI node plugin registration). */
const WANTS_DRIVER = /driver name \S{1,253} not found in the list of registered CSI drivers/i;
/** From this severity on an agent's trouble is more than a restart of long ago. */
const GRAVE = 0.5;

type Said = Pick<StateFinding, 'service' | 'evidence'>;

/** What is said of nodes and services to fail only because the pod that should do it on the node is itself in trouble. */
export interface NodeAgents {
  /** Nodes that are not ready for want of a network plugin, whose pod on that node does not work. */
  readonly withoutNetwork: ReadonlySet<string>;
  /** True for a volume that is not mounted for want of a driver, whose pod on the same node does not work. */
  lackDriver(finding: Said, nodes: ReadonlySet<string>): boolean;
}

export function readNodeAgents(
  findings: readonly Said[],
  gravest: ReadonlyMap<string, number>,
  cluster: Cluster,
): NodeAgents {
  const isBroken = (node: string, isAgent: (service: string) => boolean) =>
    cluster
      .podsOnNode(node)
      .some((pod) => isAgent(pod.service) && !isReady(pod) && (gravest.get(pod.service) ?? 0) >= GRAVE);
  const nodes = new Set(cluster.of('Node').map(({ name }) => name));
  const wanting = findings.filter(
    ({ service, evidence }) => nodes.has(service) && WANTS_NETWORK.test(evidence.statement),
  );
  return {
    withoutNetwork: new Set(wanting.map(({ service }) => service).filter((node) => isBroken(node, isNetworkPlugin))),
    lackDriver: ({ evidence }, on) =>
      WANTS_DRIVER.test(evidence.statement) && [...on].some((node) => isBroken(node, isStorageDriver)),
  };
}
