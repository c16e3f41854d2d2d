import type { Incident } from '../../domain/incident.ts';
import type { ClusterEvent } from '../../domain/telemetry.ts';
import type { ServiceMap } from '../services.ts';
import { isSystemNamespace, type Cluster, type KubeObject } from './cluster.ts';
import { isVital } from './components.ts';
import { alertedNode, nodesTouched } from './nodes-touched.ts';

/** Add-ons of the cluster, such as dashboards and metrics collectors: no application waits for them. */
const ADD_ON_WEIGHT = 0.4;
/** What other teams run in namespaces of their own. */
const ELSEWHERE_WEIGHT = 0.35;
/** In a large cluster some node is always in trouble: one on which nothing of the alert's is, was or could be is no lead. */
const UNTOUCHED_WEIGHT = 0;
/** An alert about a node asks what ails the node: what its guests suffer is a hint at most. */
const GUEST_WEIGHT = 0.05;

/** How much trouble of an object can matter to the alert by where it lives. */
export type WeighPlace = (object: Pick<KubeObject, 'kind' | 'name' | 'namespace' | 'service'>) => number;

/**
 * 1 at home, in the call graph, for vital parts of the cluster and for nodes that touch the alert. For an alert about a node: 1
 * for the node and vital parts, little for what runs there, nothing for the rest.
 */
export function weighPlaces(
  cluster: Cluster,
  services: ServiceMap,
  incident: Incident,
  events: readonly ClusterEvent[],
): WeighPlace {
  const alerted = alertedNode(incident, cluster.of('Node'));
  if (alerted !== undefined) return aroundNode(alerted, cluster);
  const touched = nodesTouched(cluster, services, events);
  return ({ kind, name, namespace, service }) => {
    if (isOfNode(kind, namespace)) return touched?.has(name) === false ? UNTOUCHED_WEIGHT : 1;
    if (namespace === '' || cluster.home === undefined || namespace === cluster.home) return 1;
    if (services.inTopology(service)) return 1;
    if (isSystemNamespace(namespace)) return isVital(service) ? 1 : ADD_ON_WEIGHT;
    return ELSEWHERE_WEIGHT;
  };
}

function aroundNode(node: string, cluster: Cluster): WeighPlace {
  const guests = new Set(cluster.podsOnNode(node).map(({ service }) => service));
  return ({ kind, name, namespace, service }) => {
    if (isOfNode(kind, namespace)) return name === node ? 1 : UNTOUCHED_WEIGHT;
    if (isVital(service) || service === node) return 1;
    return guests.has(service) ? GUEST_WEIGHT : 0;
  };
}

const isOfNode = (kind: string, namespace: string) => kind === 'Node' || namespace === 'kube-node-lease';
