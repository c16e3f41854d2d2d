import { describeRules, type RuleCase, type NearMiss } from '../rule-cases.ts';
import { find } from '../shop-cluster.ts';

const problems: readonly RuleCase[] = [
  {
    name: 'a Deployment scaled to zero that others need',
    change: (objects) => void (find(objects, 'Deployment', 'cart')['spec'].replicas = 0),
    reason: 'ScaledToZero',
    type: 'config_change',
    minSeverity: 0.95,
  },
  {
    name: 'a Deployment without available replicas; the API leaves a count of 0 out',
    change: (objects) => void (find(objects, 'Deployment', 'cart')['status'] = { replicas: 1, unavailableReplicas: 1 }),
    reason: 'NoReplicaAvailable',
    minSeverity: 0.8,
  },
  {
    name: 'pods that a quota refuses',
    change: (objects) =>
      void (find(objects, 'ReplicaSet', 'cart')['status'] = {
        conditions: [
          {
            type: 'ReplicaFailure',
            status: 'True',
            reason: 'FailedCreate',
            message: 'pods "cart-x" is forbidden: exceeded quota: tight',
          },
        ],
      }),
    reason: 'FailedCreate',
    type: 'quota',
    minSeverity: 0.95,
  },
  {
    name: 'a quota that is used up, told to the workload that lacks pods',
    change: (objects) => {
      find(objects, 'ReplicaSet', 'cart')['status'] = { replicas: 0 };
      objects.push({
        kind: 'ResourceQuota',
        metadata: { name: 'tight', namespace: 'shop' },
        status: { hard: { 'requests.memory': '2Gi' }, used: { 'requests.memory': '2048Mi' } },
      });
    },
    reason: 'QuotaExhausted',
    service: 'cart',
    type: 'quota',
    minSeverity: 0.9,
  },
  {
    name: 'a daemon set with missing pods',
    change: (objects) =>
      objects.push({
        kind: 'DaemonSet',
        metadata: { name: 'agent', namespace: 'shop' },
        status: { desiredNumberScheduled: 2, numberReady: 1 },
      }),
    reason: 'DaemonPodsMissing',
    service: 'agent',
  },
  {
    name: 'a job that failed',
    change: (objects) =>
      objects.push({
        kind: 'Job',
        metadata: { name: 'migrate', namespace: 'shop' },
        status: { conditions: [{ type: 'Failed', status: 'True', reason: 'BackoffLimitExceeded' }] },
      }),
    reason: 'BackoffLimitExceeded',
    service: 'migrate',
  },
  {
    name: 'an autoscaler at its maximum',
    change: (objects) =>
      objects.push({
        kind: 'HorizontalPodAutoscaler',
        metadata: { name: 'cart-scaler', namespace: 'shop' },
        spec: { maxReplicas: 3, scaleTargetRef: { kind: 'Deployment', name: 'cart' } },
        status: { conditions: [{ type: 'ScalingLimited', status: 'True', reason: 'TooManyReplicas' }] },
      }),
    reason: 'TooManyReplicas',
    service: 'cart',
  },
];

/** One step from a problem, and none: what must not be reported. */
const nearMisses: readonly NearMiss[] = [
  {
    name: 'a Deployment whose status was not recorded',
    change: (objects) => void delete find(objects, 'Deployment', 'cart')['status'],
  },
  {
    name: 'an old ReplicaSet kept for a rollback',
    change: (objects) =>
      objects.push({
        kind: 'ReplicaSet',
        metadata: { name: 'cart-5c4b3a2918', namespace: 'shop' },
        spec: { replicas: 0 },
        status: { replicas: 0 },
      }),
  },
  {
    name: 'conditions of the right polarity',
    change: (objects) =>
      void (find(objects, 'Deployment', 'cart')['status'].conditions = [
        { type: 'Available', status: 'True' },
        { type: 'Progressing', status: 'True', reason: 'NewReplicaSetAvailable' },
        { type: 'ReplicaFailure', status: 'False' },
      ]),
  },
  {
    name: 'a quota that is used up while nobody lacks pods',
    change: (objects) =>
      objects.push({
        kind: 'ResourceQuota',
        metadata: { name: 'tight', namespace: 'shop' },
        status: { hard: { pods: '3' }, used: { pods: '3' } },
      }),
  },
  {
    name: 'a complete daemon set',
    change: (objects) =>
      objects.push({
        kind: 'DaemonSet',
        metadata: { name: 'agent', namespace: 'shop' },
        status: { desiredNumberScheduled: 2, numberReady: 2 },
      }),
  },
  {
    name: 'a job that completed',
    change: (objects) =>
      objects.push({
        kind: 'Job',
        metadata: { name: 'migrate', namespace: 'shop' },
        status: { conditions: [{ type: 'Complete', status: 'True' }] },
      }),
  },
  {
    name: 'an autoscaler at its minimum',
    change: (objects) =>
      objects.push({
        kind: 'HorizontalPodAutoscaler',
        metadata: { name: 'cart', namespace: 'shop' },
        status: {
          conditions: [
            { type: 'ScalingLimited', status: 'True', reason: 'TooFewReplicas' },
            { type: 'ScalingActive', status: 'True' },
          ],
        },
      }),
  },
];

describeRules('workloads', problems, nearMisses);
