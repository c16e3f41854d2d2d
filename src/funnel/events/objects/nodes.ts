import type { RootCauseType } from '../../../domain/root-cause-type.ts';
import { duration } from '../../../domain/relative-time.ts';
import type { Cluster, KubeObject } from '../cluster.ts';
import type { Condition, Rule } from '../condition.ts';
import { largest } from '../extremes.ts';
import { booleanAt, listAt, numberAt, textAt, timeAt } from '../json-path.ts';
import { conditionOf, isUnplaced } from './pod-life.ts';
import { suits } from './scheduling.ts';

/** What a node condition means when it has the value that is a problem: `Ready` is good when True, all others when False. */
const PRESSURES: ReadonlyMap<string, { readonly severity: number; readonly type: RootCauseType }> = new Map(
  Object.entries({
    MemoryPressure: { severity: 0.9, type: 'memory_exhaustion' },
    DiskPressure: { severity: 0.9, type: 'disk_full' },
    PIDPressure: { severity: 0.88, type: 'node_failure' },
    NetworkUnavailable: { severity: 0.92, type: 'node_failure' },
    // Of the node problem detector.
    KernelDeadlock: { severity: 0.9, type: 'node_failure' },
    ReadonlyFilesystem: { severity: 0.9, type: 'node_failure' },
    CorruptDockerOverlay2: { severity: 0.85, type: 'node_failure' },
  }),
);
/** A kubelet renews its lease every 10 s; the control plane gives it up after 40 s. */
const LEASE_LATE_MS = 60_000;
/** A node's trouble explains what its services suffer, which in turn explains only what it costs them. */
const GUEST_FACTOR = 0.55;

/** Nodes that are down or under pressure: they are what is at fault, the services whose pods run there are told that they suffer from it. */
export const nodeConditions: Rule = (cluster) =>
  cluster.of('Node').flatMap((node) =>
    listAt(node.body, 'status', 'conditions').flatMap((condition) => {
      const found = judgeCondition(condition);
      if (!found) return [];
      const message = textAt(condition, 'message');
      return withGuests(node, cluster, {
        ...found,
        statement: `${found.statement}${message ? `: ${message}` : ''}`,
        atMs: timeAt(condition, 'lastTransitionTime'),
      });
    }),
  );

type NodeProblem = Omit<Condition, 'object' | 'service'>;

function judgeCondition(condition: unknown): NodeProblem | undefined {
  const [type, status] = [textAt(condition, 'type') ?? '', textAt(condition, 'status')];
  if (type === 'Ready') {
    if (status === undefined || status === 'True') return undefined;
    const why = textAt(condition, 'reason');
    const statement = `is not ready (Ready=${status}${why ? `, ${why}` : ''})`;
    return { reason: 'NodeNotReady', statement, severity: 0.95, type: 'node_failure' };
  }
  const pressure = PRESSURES.get(type);
  if (!pressure || status !== 'True') return undefined;
  return { reason: type, statement: `has ${type}`, ...pressure };
}

function withGuests(node: KubeObject, cluster: Cluster, problem: NodeProblem): readonly Condition[] {
  const guests = [...new Set(cluster.podsOnNode(node.name).map((pod) => pod.service))];
  const own: Condition = { ...problem, object: node, service: node.name };
  const severity = problem.severity * GUEST_FACTOR;
  return [own, ...guests.map((service) => ({ ...own, service, severity }))];
}

/** A cordoned node takes no new pods. Running ones are untouched, so by itself it explains little; more when a pod waits for want of it. */
export const cordonedNodes: Rule = (cluster) => {
  const isSaid = cluster
    .of('Pod')
    .some((pod) =>
      /were unschedulable|kubernetes\.io\/unschedulable/.test(
        textAt(conditionOf(pod, 'PodScheduled'), 'message') ?? '',
      ),
    );
  const missed = isSaid ? new Set<KubeObject>() : onlyPlaces(cluster);
  return cluster.of('Node').flatMap((node): readonly Condition[] => {
    if (!isCordoned(node)) return [];
    const isMissed = isSaid || missed.has(node);
    const statement = `is cordoned: no new pods are placed there${isMissed ? ', and pods wait for a place' : ''}`;
    const problem = { reason: 'Cordoned', statement, severity: isMissed ? 0.92 : 0.25, type: 'scheduling' as const };
    return isMissed ? [{ ...problem, object: node, service: node.name }] : withGuests(node, cluster, problem);
  });
};

const isCordoned = (node: KubeObject) => booleanAt(node.body, 'spec', 'unschedulable') === true;

/** Where a waiting pod's selector and affinity allow it to run, when all of those nodes are cordoned. */
function onlyPlaces(cluster: Cluster): ReadonlySet<KubeObject> {
  const nodes = cluster.of('Node');
  if (!nodes.some(isCordoned)) return new Set();
  const places = cluster
    .of('Pod')
    .filter(isUnplaced)
    .map((pod) => nodes.filter((node) => suits(pod.body['spec'], node)));
  return new Set(places.filter((suitable) => suitable.every(isCordoned)).flat());
}

/** A node whose lease is older than the newest one stopped reporting before its Ready condition says so. */
export const nodeLeases: Rule = (cluster) => {
  const leases = cluster.of('Lease').filter((lease) => lease.namespace === 'kube-node-lease');
  const renewals = leases.flatMap((lease) => {
    const renewedMs = timeAt(lease.body, 'spec', 'renewTime');
    return renewedMs === undefined ? [] : [{ lease, renewedMs }];
  });
  const newestMs = largest(renewals.map(({ renewedMs }) => renewedMs));
  return renewals.flatMap(({ lease, renewedMs }) => {
    const lateMs = newestMs - renewedMs;
    if (lateMs < Math.max(LEASE_LATE_MS, 2 * 1000 * (numberAt(lease.body, 'spec', 'leaseDurationSeconds') ?? 0)))
      return [];
    const node = cluster.find('Node', '', lease.name) ?? lease;
    return withGuests(node, cluster, {
      reason: 'NodeLeaseExpired',
      statement: `stopped renewing its lease ${duration(lateMs)} before the other nodes' last renewal`,
      severity: 0.95,
      type: 'node_failure',
      atMs: renewedMs,
    });
  });
};

/** Taints that somebody set by hand and that drive pods away at once. Those of the cluster itself tell what a condition tells too. */
export const evictingTaints: Rule = (cluster) =>
  cluster.of('Node').flatMap((node) =>
    listAt(node.body, 'spec', 'taints').flatMap((taint): readonly Condition[] => {
      const key = textAt(taint, 'key') ?? '';
      if (textAt(taint, 'effect') !== 'NoExecute' || key.startsWith('node.kubernetes.io/')) return [];
      return [
        {
          object: node,
          service: node.name,
          reason: `Taint ${key}`,
          statement: `drives pods away by its taint ${key}`,
          severity: 0.6,
          type: 'scheduling',
          atMs: timeAt(taint, 'timeAdded'),
        },
      ];
    }),
  );
