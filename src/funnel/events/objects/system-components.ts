import { isNetworkPlugin, isVital } from '../components.ts';
import type { Cluster, KubeObject } from '../cluster.ts';
import type { Condition, Rule, RuleContext } from '../condition.ts';
import type { RootCauseType } from '../../../domain/root-cause-type.ts';
import { booleanAt, hasAt, listAt, numberAt, textAt } from '../json-path.ts';
import { conditionOf, createdMsOf, isLeaving, isUnplaced, phaseOf } from './pod-life.ts';

const SYSTEM = 'kube-system';
const MINUTE_MS = 60_000;
/** A scheduler looks at a new pod within seconds. */
const UNSEEN_AFTER_MS = MINUTE_MS;

/** What stops in the cluster when a part of it does not run. */
const LOSS: Readonly<Record<string, { readonly type: RootCauseType; readonly means: string }>> = {
  'kube-scheduler': { type: 'scheduling', means: 'new pods are not placed on any node' },
  'kube-controller-manager': { type: 'node_failure', means: 'pods are not replaced and endpoints not updated' },
  'kube-apiserver': { type: 'node_failure', means: 'nothing can be changed in the cluster' },
  etcd: { type: 'node_failure', means: 'the cluster can store no change' },
  coredns: { type: 'dns', means: 'names of Services do not resolve' },
  'kube-proxy': { type: 'network_loss', means: 'addresses of Services lead nowhere' },
};

/** Parts of the cluster itself that should run as pods of kube-system and do not. Judged where enough of that namespace was read. */
export const systemComponents: Rule = (cluster) => {
  const pods = cluster.of('Pod').filter(({ namespace }) => namespace === SYSTEM);
  if (!pods.some(isListed)) return brokenPods(pods);
  return [
    ...expected(pods)
      .filter((name) => !pods.some((pod) => pod.service === name))
      .map((name) => missing(name, cluster)),
    ...brokenPods(pods),
    ...uncoveredNodes(pods, cluster),
  ];
};

/** Read in a list of all. A pod may also be known from the description of its node, which says nothing of pods elsewhere. */
function isListed(pod: KubeObject): boolean {
  const source = textAt(pod.body, 'metadata', 'annotations', 'recording/source');
  return source === undefined ? hasAt(pod.body, 'status') : source === 'get';
}

/** Managed clusters hide their control plane, so its parts are expected only where one of them shows. */
function expected(pods: readonly KubeObject[]): readonly string[] {
  const runs = (name: string) => pods.some((pod) => pod.service === name);
  const showsControlPlane = ['kube-apiserver', 'kube-scheduler', 'kube-controller-manager', 'etcd'].some(runs);
  const hasOtherProxy = pods.some((pod) => /cilium|kube-router|antrea|ovn/.test(pod.service));
  return [
    ...(showsControlPlane ? ['kube-scheduler', 'kube-controller-manager'] : []),
    ...(showsControlPlane && !hasOtherProxy ? ['kube-proxy'] : []),
    // Some distributions put their own name before it.
    ...(pods.some((pod) => /coredns|kube-dns/.test(pod.service)) ? [] : ['coredns']),
  ];
}

const namespaceObject = (component: string): KubeObject => ({
  kind: 'Namespace',
  name: SYSTEM,
  namespace: '',
  labels: {},
  service: component,
  body: {},
});

/** Pods are made by the controller manager and placed by the scheduler: without either some pod is missing or waits. */
function isFelt(component: string, cluster: Cluster): boolean {
  if (component === 'kube-scheduler') return cluster.of('Pod').some(isUnplaced);
  if (component !== 'kube-controller-manager') return true;
  return ['Deployment', 'StatefulSet', 'ReplicaSet']
    .flatMap((kind) => cluster.of(kind))
    .some(({ body }) => {
      const isBehind =
        (numberAt(body, 'metadata', 'generation') ?? 0) > (numberAt(body, 'status', 'observedGeneration') ?? 0);
      return isBehind || (numberAt(body, 'spec', 'replicas') ?? 0) > (numberAt(body, 'status', 'readyReplicas') ?? 0);
    });
}

function missing(component: string, cluster: Cluster): Condition {
  const loss = LOSS[component];
  return {
    object: namespaceObject(component),
    service: component,
    reason: `NoPodOf ${component}`,
    statement: `runs no pod of ${component}${loss ? `: ${loss.means}` : ''}`,
    severity: isFelt(component, cluster) ? 0.92 : 0.6,
    type: loss?.type ?? 'node_failure',
  };
}

/** A vital part none of whose pods is in order. What ails the pods is told by other rules; this says what it means. */
function brokenPods(pods: readonly KubeObject[]): readonly Condition[] {
  const vital = new Set(pods.map(({ service }) => service).filter(isVital));
  return [...vital].flatMap((component) => {
    const own = pods.filter((pod) => pod.service === component && !isLeaving(pod));
    const broken = own.filter(isBroken);
    const [first] = broken;
    if (!first) return [];
    const isAll = broken.length === own.length;
    const loss = LOSS[component];
    return {
      object: first,
      service: component,
      reason: `${component} down`,
      statement: `of ${component} is not working${isAll && loss ? `: ${loss.means}` : ''}`,
      severity: isAll ? 0.92 : 0.72,
      type: loss?.type ?? (isNetworkPlugin(component) ? 'network_loss' : 'node_failure'),
    };
  });
}

function isBroken(pod: KubeObject): boolean {
  const statuses = listAt(pod.body, 'status', 'containerStatuses');
  const ready = textAt(pod.body, 'metadata', 'annotations', 'recording/ready');
  if (statuses.length === 0)
    return phaseOf(pod) === 'Pending' || phaseOf(pod) === 'Failed' || /^0\/[1-9]/.test(ready ?? '');
  return statuses.some((status) => booleanAt(status, 'ready') === false);
}

/** Parts that run once on each node, and are missing on some. */
function uncoveredNodes(pods: readonly KubeObject[], cluster: Cluster): readonly Condition[] {
  const nodes = cluster.of('Node').map(({ name }) => name);
  const proxies = pods.filter(({ service }) => service === 'kube-proxy');
  const covered = new Set(proxies.map((pod) => textAt(pod.body, 'spec', 'nodeName')));
  const bare = nodes.filter((node) => !covered.has(node));
  if (covered.has(undefined) || covered.size === 0 || bare.length === 0) return [];
  return [
    {
      object: namespaceObject('kube-proxy'),
      service: 'kube-proxy',
      reason: 'NodesWithoutProxy',
      statement: `runs no pod of kube-proxy on ${bare.slice(0, 4).join(', ')}: addresses of Services lead nowhere from there`,
      // Nodes of a special kind may do without.
      severity: 0.65,
      type: 'network_loss',
    },
  ];
}

/** Pods that no scheduler has looked at: they bear no verdict, not even that no node fits. */
export const idleScheduler: Rule = (cluster, context) => {
  const unseen = cluster.of('Pod').filter((pod) => isUnseen(pod, context));
  const [first] = unseen;
  const judgesOthers = cluster.of('Pod').some((pod) => conditionOf(pod, 'PodScheduled') !== undefined);
  if (!first || !judgesOthers) return [];
  const names = [...new Set(unseen.map(({ service }) => service))].slice(0, 4).join(', ');
  return [
    {
      object: first,
      service: 'kube-scheduler',
      reason: 'PodsNotScheduled',
      statement: `has not been looked at by any scheduler (waiting: ${names}): kube-scheduler does not work`,
      severity: 0.9,
      type: 'scheduling',
      atMs: createdMsOf(first, context.triggerMs),
    },
  ];
};

function isUnseen(pod: KubeObject, { triggerMs }: RuleContext): boolean {
  const createdMs = createdMsOf(pod, triggerMs);
  const scheduler = textAt(pod.body, 'spec', 'schedulerName') ?? 'default-scheduler';
  return (
    phaseOf(pod) === 'Pending' &&
    scheduler === 'default-scheduler' &&
    textAt(pod.body, 'spec', 'nodeName') === undefined &&
    conditionOf(pod, 'PodScheduled') === undefined &&
    createdMs !== undefined &&
    triggerMs - createdMs > UNSEEN_AFTER_MS
  );
}

/** Workloads whose newest specification no controller has read: `generation` is the specification's, `observedGeneration` the one acted on. */
export const idleControllers: Rule = (cluster) => {
  const stale = ['Deployment', 'StatefulSet', 'DaemonSet', 'ReplicaSet'].flatMap((kind) =>
    cluster.of(kind).filter((workload) => {
      const wanted = numberAt(workload.body, 'metadata', 'generation');
      const seen = numberAt(workload.body, 'status', 'observedGeneration');
      return wanted !== undefined && seen !== undefined && wanted > seen;
    }),
  );
  const [first] = stale;
  if (!first) return [];
  return [
    {
      object: first,
      service: 'kube-controller-manager',
      reason: 'SpecNotActedOn',
      statement: `has a specification that no controller has acted on${stale.length > 1 ? `, as ${stale.length - 1} others` : ''}: kube-controller-manager does not work`,
      // A single one may have been changed at the moment of reading.
      severity: stale.length > 1 ? 0.85 : 0.65,
      type: 'node_failure',
    },
  ];
};
