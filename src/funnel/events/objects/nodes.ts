import type { RootCauseType } from '../../../domain/root-cause-type.ts';
import { duration } from '../../../domain/relative-time.ts';
import type { Cluster, KubeObject } from '../cluster.ts';
import type { Condition, Rule } from '../condition.ts';
import { booleanAt, listAt, textAt, timeAt } from '../json-path.ts';

/** What a node condition means when it has the value that is a problem: `Ready` is good when True, all others when False. */
const PRESSURES: Readonly<Record<string, { severity: number; type: RootCauseType }>> = {
  MemoryPressure: { severity: 0.85, type: 'memory_exhaustion' },
  DiskPressure: { severity: 0.85, type: 'disk_full' },
  PIDPressure: { severity: 0.8, type: 'node_failure' },
  NetworkUnavailable: { severity: 0.85, type: 'node_failure' },
};
/** A kubelet renews its lease every 10 s; the control plane gives it up after 40 s. */
const LEASE_LATE_MS = 60_000;

/** Nodes that are down or under pressure, told to the services whose pods run there. */
export const nodeConditions: Rule = (cluster) =>
  cluster.of('Node').flatMap((node) =>
    listAt(node.body, 'status', 'conditions').flatMap((condition) => {
      const found = judgeCondition(condition);
      if (!found) return [];
      const message = textAt(condition, 'message');
      return forServicesOn(node, cluster, {
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
    return { reason: 'NodeNotReady', statement: `is not ready (Ready=${status})`, severity: 0.9, type: 'node_failure' };
  }
  const pressure = PRESSURES[type];
  if (!pressure || status !== 'True') return undefined;
  return { reason: type, statement: `has ${type}`, ...pressure };
}

function forServicesOn(node: KubeObject, cluster: Cluster, problem: NodeProblem): readonly Condition[] {
  const services = [...new Set(cluster.podsOnNode(node.name).map((pod) => pod.service))];
  return (services.length > 0 ? services : [node.service]).map((service) => ({ ...problem, object: node, service }));
}

/** A cordoned node takes no new pods. Running ones are untouched, so by itself it explains little. */
export const cordonedNodes: Rule = (cluster) =>
  cluster.of('Node').flatMap((node) => {
    if (booleanAt(node.body, 'spec', 'unschedulable') !== true) return [];
    const statement = 'is cordoned: no new pods are placed there';
    return forServicesOn(node, cluster, { reason: 'Cordoned', statement, severity: 0.25, type: 'scheduling' });
  });

/** A node whose lease is older than the newest one stopped reporting before its Ready condition says so. */
export const nodeLeases: Rule = (cluster) => {
  const leases = cluster.of('Lease').filter((lease) => lease.namespace === 'kube-node-lease');
  const renewals = leases.flatMap((lease) => {
    const renewedMs = timeAt(lease.body, 'spec', 'renewTime');
    return renewedMs === undefined ? [] : [{ lease, renewedMs }];
  });
  const newestMs = Math.max(...renewals.map(({ renewedMs }) => renewedMs));
  return renewals.flatMap(({ lease, renewedMs }) => {
    const lateMs = newestMs - renewedMs;
    if (lateMs < LEASE_LATE_MS) return [];
    const node = cluster.find('Node', '', lease.name) ?? lease;
    return forServicesOn(node, cluster, {
      reason: 'NodeLeaseExpired',
      statement: `stopped renewing its lease ${duration(lateMs)} before the other nodes' last renewal`,
      severity: 0.9,
      type: 'node_failure',
      atMs: renewedMs,
    });
  });
};
