import type { ServiceMap } from '../services.ts';
import { isSystemNamespace, type Cluster, type KubeObject } from './cluster.ts';
import { isVital } from './components.ts';

/** Add-ons of the cluster, such as dashboards and metrics collectors: no application waits for them. */
const ADD_ON_WEIGHT = 0.4;
/** What other teams run in namespaces of their own. */
const ELSEWHERE_WEIGHT = 0.35;

/** How much trouble of an object can matter to the alert by where it lives: 1 at home, in the call graph and for vital parts of the cluster. */
export function placeWeight({ namespace, service }: KubeObject, cluster: Cluster, services: ServiceMap): number {
  if (namespace === '' || cluster.home === undefined || namespace === cluster.home) return 1;
  if (services.inTopology(service)) return 1;
  if (namespace === 'kube-node-lease') return 1;
  if (isSystemNamespace(namespace)) return isVital(service) ? 1 : ADD_ON_WEIGHT;
  return ELSEWHERE_WEIGHT;
}
