import {
  describeBinding,
  describeClaim,
  describeConfigMap,
  describeLease,
  describeNode,
  describeOther,
  describeQuota,
  describeVolume,
} from './cluster.ts';
import type { DescribeObject } from './facts.ts';
import { describeAutoscaler, describeDisruptionBudget, describeJob, describePod, describeWorkload } from './pods.ts';
import {
  describeEndpoints,
  describeEndpointSlice,
  describeIngress,
  describeNetworkPolicy,
  describeService,
} from './routing.ts';

/** How each kind is told in facts; kinds that are not listed are told by `describeOther`. */
const DESCRIBERS: ReadonlyMap<string, DescribeObject> = new Map([
  ['Pod', describePod],
  ['Deployment', describeWorkload],
  ['StatefulSet', describeWorkload],
  ['DaemonSet', describeWorkload],
  ['ReplicaSet', describeWorkload],
  ['Job', describeJob],
  ['CronJob', describeJob],
  ['HorizontalPodAutoscaler', describeAutoscaler],
  ['PodDisruptionBudget', describeDisruptionBudget],
  ['Service', describeService],
  ['Endpoints', describeEndpoints],
  ['EndpointSlice', describeEndpointSlice],
  ['Ingress', describeIngress],
  ['NetworkPolicy', describeNetworkPolicy],
  ['Node', describeNode],
  ['PersistentVolumeClaim', describeClaim],
  ['PersistentVolume', describeVolume],
  ['ResourceQuota', describeQuota],
  ['ConfigMap', describeConfigMap],
  ['RoleBinding', describeBinding],
  ['ClusterRoleBinding', describeBinding],
  ['Lease', describeLease],
]);

export function describerOf(kind: string): DescribeObject {
  return DESCRIBERS.get(kind) ?? describeOther;
}
