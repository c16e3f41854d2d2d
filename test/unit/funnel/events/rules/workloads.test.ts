import { describeRules, type RuleCase, type NearMiss } from '../rule-cases.ts';
import { find, at } from '../shop-cluster.ts';

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

  {
    name: 'a rollout that was paused halfway',
    change: (objects) => {
      Object.assign(find(objects, 'Deployment', 'cart')['spec'], { paused: true, replicas: 2 });
      find(objects, 'Deployment', 'cart')['status'] = { replicas: 2, availableReplicas: 2, updatedReplicas: 1 };
    },
    reason: 'RolloutPaused',
    type: 'deployment_change',
  },
  {
    name: 'a rollout that ran out of time',
    change: (objects) =>
      void (find(objects, 'Deployment', 'cart')['status'].conditions = [
        {
          type: 'Progressing',
          status: 'False',
          reason: 'ProgressDeadlineExceeded',
          message: 'ReplicaSet "cart-5c4b3a2918" has timed out progressing.',
          lastTransitionTime: at(-120),
        },
      ]),
    reason: 'ProgressDeadlineExceeded',
    minSeverity: 0.8,
  },
  {
    name: 'a set that waits for its first pod',
    change: (objects) =>
      objects.push({
        kind: 'StatefulSet',
        metadata: { name: 'db', namespace: 'shop' },
        spec: { replicas: 3 },
        status: { replicas: 1, readyReplicas: 0, availableReplicas: 0 },
      }),
    reason: 'OrdinalStuck',
    service: 'db',
  },
  {
    name: 'a quota that wants to be told what pods need',
    change: (objects) => {
      objects.push({
        kind: 'ResourceQuota',
        metadata: { name: 'strict', namespace: 'shop' },
        status: { hard: { 'limits.memory': '4Gi' }, used: { 'limits.memory': '0' } },
      });
      find(objects, 'Deployment', 'cart')['status'] = { observedGeneration: 1, unavailableReplicas: 1 };
    },
    reason: 'QuotaDemandsValues',
    type: 'quota',
    minSeverity: 0.9,
  },
  {
    name: 'containers larger than the namespace allows',
    change: (objects) => {
      objects.push({
        kind: 'LimitRange',
        metadata: { name: 'small', namespace: 'shop' },
        spec: { limits: [{ type: 'Container', max: { cpu: '100m' } }] },
      });
      objects.splice(objects.indexOf(find(objects, 'Pod', 'cart')), 1);
      find(objects, 'Deployment', 'cart')['spec'].template.spec.containers[0].resources = { limits: { cpu: '1' } };
    },
    reason: 'OutsideLimitRange',
    type: 'quota',
    minSeverity: 0.9,
  },
  {
    name: 'an autoscaler whose target is gone',
    change: (objects) =>
      objects.push({
        kind: 'HorizontalPodAutoscaler',
        metadata: { name: 'cart', namespace: 'shop' },
        spec: { scaleTargetRef: { kind: 'Deployment', name: 'cart' } },
        status: { conditions: [{ type: 'AbleToScale', status: 'False', reason: 'FailedGetScale' }] },
      }),
    reason: 'CannotScale',
  },

  {
    name: 'a webhook that does not answer, before the workload whose pods it keeps away',
    change: (objects) =>
      void (find(objects, 'ReplicaSet', 'cart')['status'] = {
        conditions: [
          {
            type: 'ReplicaFailure',
            status: 'True',
            reason: 'FailedCreate',
            message:
              'Internal error occurred: failed calling webhook "check.policy.example": failed to call webhook: Post "https://pod-policy.policy.svc:443/validate?timeout=10s": dial tcp 10.0.0.9:443: connect: connection refused',
          },
        ],
      }),
    reason: 'FailedCreate',
    service: 'pod-policy',
    type: 'dependency_failure',
    minSeverity: 0.9,
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

  {
    name: 'containers within what the namespace allows',
    change: (objects) => {
      objects.push({
        kind: 'LimitRange',
        metadata: { name: 'wide', namespace: 'shop' },
        spec: { limits: [{ type: 'Container', max: { cpu: '2' }, min: { memory: '16Mi' } }] },
      });
      find(objects, 'Deployment', 'cart')['spec'].template.spec.containers[0].resources = {
        limits: { cpu: '1500m', memory: '64Mi' },
      };
    },
  },
];

describeRules('workloads', problems, nearMisses);
