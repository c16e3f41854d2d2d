import { describeRules, type RuleCase, type NearMiss } from '../rule-cases.ts';
import { at, find, type Json } from '../shop-cluster.ts';

/** The pod of `cart` as it waits for a node, with what its specification asks for. */
const unplaced = (spec: Json) => (objects: Json[]) => {
  const pod = find(objects, 'Pod', 'cart');
  pod['spec'] = { ...pod['spec'], nodeName: undefined, ...spec };
  pod['status'] = {
    phase: 'Pending',
    conditions: [{ type: 'PodScheduled', status: 'False', message: 'no node fits' }],
  };
};

const problems: readonly RuleCase[] = [
  {
    name: 'a pod that no node takes',
    change: (objects) => {
      find(objects, 'Pod', 'cart')['status'] = {
        phase: 'Pending',
        conditions: [
          { type: 'PodScheduled', status: 'False', message: '0/2 nodes are available: 2 Insufficient cpu.' },
        ],
      };
    },
    reason: 'Unschedulable',
    type: 'scheduling',
    minSeverity: 0.9,
  },
  {
    name: 'a node selector that no node satisfies',
    change: unplaced({ nodeSelector: { disk: 'tape' } }),
    reason: 'NodeSelectorMatchesNoNode',
    type: 'scheduling',
    minSeverity: 0.9,
  },
  {
    name: "a node that is not ready, which is the node's own fault",
    change: (objects) =>
      void (find(objects, 'Node', 'node-b')['status'].conditions = [{ type: 'Ready', status: 'Unknown' }]),
    reason: 'NodeNotReady',
    service: 'node-b',
    type: 'node_failure',
    minSeverity: 0.9,
  },
  {
    name: 'a node with a full disk',
    change: (objects) =>
      find(objects, 'Node', 'node-b')['status'].conditions.push({ type: 'DiskPressure', status: 'True' }),
    reason: 'DiskPressure',
    service: 'node-b',
    type: 'disk_full',
  },
  {
    name: 'a cordoned node',
    change: (objects) => void (find(objects, 'Node', 'node-b')['spec'].unschedulable = true),
    reason: 'Cordoned',
    service: 'store',
  },
  {
    name: 'a node whose lease ran out before its condition says so',
    change: (objects) => void (find(objects, 'Lease', 'node-b')['spec'].renewTime = at(-200)),
    reason: 'NodeLeaseExpired',
    service: 'node-b',
    type: 'node_failure',
    minSeverity: 0.9,
  },

  {
    name: 'an affinity that no node satisfies',
    change: unplaced({
      affinity: {
        nodeAffinity: {
          requiredDuringSchedulingIgnoredDuringExecution: {
            nodeSelectorTerms: [{ matchExpressions: [{ key: 'disk', operator: 'In', values: ['nvme'] }] }],
          },
        },
      },
    }),
    reason: 'AffinityMatchesNoNode',
    type: 'scheduling',
    minSeverity: 0.9,
  },
  {
    name: 'a request that is larger than any node',
    change: (objects) => {
      for (const name of ['node-a', 'node-b']) find(objects, 'Node', name)['status'].allocatable = { memory: '8Gi' };
      unplaced({ containers: [{ name: 'server', resources: { requests: { memory: '64Gi' } } }] })(objects);
    },
    reason: 'RequestExceedsNodes memory',
    minSeverity: 0.95,
  },
  {
    name: 'taints that the pod does not tolerate',
    change: (objects) => {
      for (const name of ['node-a', 'node-b']) {
        find(objects, 'Node', name)['spec'].taints = [{ key: 'gpu', value: 'yes', effect: 'NoSchedule' }];
      }
      unplaced({ tolerations: [{ key: 'gpu', operator: 'Equal', value: 'no' }] })(objects);
    },
    reason: 'ToleratesNoNode',
  },
  {
    name: 'a scheduler of which no pod runs',
    change: unplaced({ schedulerName: 'batch-scheduler' }),
    reason: 'UnknownScheduler',
    minSeverity: 0.95,
  },
  {
    name: 'a host port that another pod holds',
    change: (objects) => {
      find(objects, 'Pod', 'store')['spec'].containers[0].ports = [{ containerPort: 8080, hostPort: 80 }];
      unplaced({ containers: [{ name: 'server', ports: [{ containerPort: 8080, hostPort: 80 }] }] })(objects);
    },
    reason: 'HostPortTaken 80',
  },
  {
    name: 'a cordoned node for which a pod waits',
    change: (objects) => {
      find(objects, 'Node', 'node-b')['spec'].unschedulable = true;
      unplaced({})(objects);
      find(objects, 'Pod', 'cart')['status'].conditions[0].message =
        '0/2 nodes are available: 2 node(s) were unschedulable.';
    },
    reason: 'Cordoned',
    service: 'node-b',
    minSeverity: 0.9,
  },

  {
    name: 'a cordoned node that is the only one for a waiting pod, though nothing says so',
    change: (objects) => {
      Object.assign(find(objects, 'Node', 'node-b')['spec'], { unschedulable: true });
      find(objects, 'Node', 'node-b')['metadata'].labels = { disk: 'fast' };
      unplaced({ nodeSelector: { disk: 'fast' } })(objects);
    },
    reason: 'Cordoned',
    service: 'node-b',
    minSeverity: 0.9,
  },
];

/** One step from a problem, and none: what must not be reported. */
const nearMisses: readonly NearMiss[] = [
  {
    name: 'a node selector that a node satisfies',
    change: (objects) => void (find(objects, 'Pod', 'cart')['spec'].nodeSelector = { disk: 'ssd' }),
  },
  {
    name: 'a node without pressure',
    change: (objects) =>
      find(objects, 'Node', 'node-b')['status'].conditions.push({ type: 'MemoryPressure', status: 'False' }),
  },
  {
    name: 'a lease that is a few seconds older than another',
    change: (objects) => void (find(objects, 'Lease', 'node-b')['spec'].renewTime = at(-20)),
  },

  {
    name: 'a taint that the pod tolerates',
    change: (objects) => {
      for (const name of ['node-a', 'node-b']) {
        find(objects, 'Node', name)['spec'].taints = [{ key: 'gpu', effect: 'NoSchedule' }];
      }
      find(objects, 'Pod', 'cart')['spec'].tolerations = [{ operator: 'Exists' }];
    },
  },
];

describeRules('nodes and scheduling', problems, nearMisses);
