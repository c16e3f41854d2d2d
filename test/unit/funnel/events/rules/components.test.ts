import { describeRules, type NearMiss, type RuleCase } from '../rule-cases.ts';
import { at, find, type Json } from '../shop-cluster.ts';

/** A pod of the cluster's own, as kubeadm sets it up. */
function systemPod(name: string, labels: Json, ownerReferences: Json[]): Json {
  return {
    kind: 'Pod',
    metadata: { name, namespace: 'kube-system', labels, ownerReferences, creationTimestamp: at(-86_400) },
    spec: { nodeName: 'node-a', containers: [{ name: 'main' }] },
    status: {
      phase: 'Running',
      conditions: [{ type: 'PodScheduled', status: 'True' }],
      containerStatuses: [
        { name: 'main', ready: true, restartCount: 0, state: { running: { startedAt: at(-86_000) } } },
      ],
    },
  };
}

const staticPod = (name: string) =>
  systemPod(`${name}-node-a`, { component: name, tier: 'control-plane' }, [{ kind: 'Node', name: 'node-a' }]);

const proxyOn = (node: string): Json => {
  const pod = systemPod(`kube-proxy-${node === 'node-a' ? 'x2x4z' : 'q8w7r'}`, { 'k8s-app': 'kube-proxy' }, [
    { kind: 'DaemonSet', name: 'kube-proxy', controller: true },
  ]);
  pod['spec'].nodeName = node;
  return pod;
};

const withSystem = (change: (objects: Json[]) => void) => (objects: Json[]) => {
  objects.push(
    ...['etcd', 'kube-apiserver', 'kube-controller-manager', 'kube-scheduler'].map(staticPod),
    proxyOn('node-a'),
    proxyOn('node-b'),
    systemPod('coredns-5d78c9869d-hk2lp', { 'k8s-app': 'kube-dns' }, [
      { kind: 'ReplicaSet', name: 'coredns-5d78c9869d', controller: true },
    ]),
  );
  change(objects);
};

const without = (name: string) =>
  withSystem((objects) => void objects.splice(objects.indexOf(find(objects, 'Pod', name)), 1));

const crashing = (name: string) =>
  withSystem((objects) =>
    Object.assign(find(objects, 'Pod', name)['status'].containerStatuses[0], {
      ready: false,
      restartCount: 6,
      state: { waiting: { reason: 'CrashLoopBackOff' } },
    }),
  );

/** A pod that was made five minutes ago and that nobody has looked at. */
const unseen = (objects: Json[]) => {
  const pod = find(objects, 'Pod', 'cart');
  pod['metadata'].creationTimestamp = at(-300);
  delete pod['spec'].nodeName;
  pod['status'] = { phase: 'Pending' };
};

const problems: readonly RuleCase[] = [
  {
    name: 'a cluster without a scheduler, in which a pod waits',
    change: (objects) => {
      without('kube-scheduler')(objects);
      unseen(objects);
    },
    reason: 'NoPodOf kube-scheduler',
    service: 'kube-scheduler',
    type: 'scheduling',
    minSeverity: 0.9,
  },
  {
    name: 'a cluster without a name server',
    change: without('coredns'),
    reason: 'NoPodOf coredns',
    service: 'coredns',
    type: 'dns',
    minSeverity: 0.9,
  },
  {
    name: 'a node without its proxy',
    change: without('kube-proxy-q8w7r'),
    reason: 'NodesWithoutProxy',
    service: 'kube-proxy',
    type: 'network_loss',
  },
  {
    name: 'a controller manager that crashes',
    change: crashing('kube-controller-manager'),
    reason: 'kube-controller-manager down',
    service: 'kube-controller-manager',
    minSeverity: 0.9,
  },
  {
    name: 'a scheduler that runs and looks at no pod',
    change: withSystem(unseen),
    reason: 'PodsNotScheduled',
    service: 'kube-scheduler',
    minSeverity: 0.9,
  },
  {
    name: 'controllers that do not act on a new specification',
    change: withSystem((objects) => {
      find(objects, 'Deployment', 'cart')['metadata'].generation = 4;
      find(objects, 'Deployment', 'cart')['status'].observedGeneration = 3;
    }),
    reason: 'SpecNotActedOn',
    service: 'kube-controller-manager',
  },
  {
    name: 'a name server that was told to know no Services',
    change: withSystem((objects) =>
      objects.push({
        kind: 'ConfigMap',
        metadata: { name: 'coredns', namespace: 'kube-system' },
        data: { Corefile: '.:53 {\n    errors\n    forward . /etc/resolv.conf\n}\n' },
      }),
    ),
    reason: 'Corefile',
    service: 'coredns',
    type: 'dns',
  },
];

/** One step from a problem, and none: what must not be reported. */
const nearMisses: readonly NearMiss[] = [
  { name: 'a complete control plane', change: withSystem(() => undefined) },
  {
    name: 'a managed cluster that hides its control plane',
    change: withSystem((objects) => {
      for (const name of ['etcd', 'kube-apiserver', 'kube-controller-manager', 'kube-scheduler']) {
        objects.splice(objects.indexOf(find(objects, 'Pod', name)), 1);
      }
    }),
  },
  {
    name: 'pods of the cluster that are known from the description of one node',
    change: (objects) =>
      ['kube-proxy-x2x4z', 'kube-flannel-ds-b6hkj'].forEach((name) =>
        objects.push({
          kind: 'Pod',
          metadata: { name, namespace: 'kube-system', annotations: { 'recording/source': 'describe' } },
          spec: { nodeName: 'node-a' },
        }),
      ),
  },
];

describeRules('parts of the cluster itself', problems, nearMisses);
