import { templateOf, type Cluster, type KubeObject } from '../cluster.ts';
import type { Rule } from '../condition.ts';
import { groupBy } from '../group-by.ts';
import { hasAt, listAt, numberAt, textsAt } from '../json-path.ts';
import { parseQuantity } from '../quantity.ts';

/** Quotas that leave no room, told to the workloads of the namespace that lack replicas: others do not feel it. */
export const exhaustedQuotas: Rule = (cluster) => {
  const short = groupBy(shortOfPods(cluster), ({ namespace }) => namespace);
  return cluster.of('ResourceQuota').flatMap((quota) => {
    const full = fullResources(quota);
    return (short.get(quota.namespace) ?? []).flatMap((workload) => {
      const { service } = workload;
      const lacking = full.length > 0 ? [] : unstated(workload, quota);
      if (full.length + lacking.length === 0) return [];
      return {
        object: quota,
        service,
        reason: full.length > 0 ? 'QuotaExhausted' : 'QuotaDemandsValues',
        statement:
          full.length > 0
            ? `is used up: ${full.join(', ')}; ${service} has fewer pods than it wants`
            : `takes only pods that state ${lacking.join(', ')}, which those of ${service} do not`,
        severity: 0.92,
        type: 'quota' as const,
      };
    });
  });
};

/** A quota on a resource refuses pods that do not say how much of it they want. */
function unstated(workload: KubeObject, quota: KubeObject): readonly string[] {
  const hard = Object.keys({ ...textsAt(quota.body, 'spec', 'hard'), ...textsAt(quota.body, 'status', 'hard') });
  const containers = listAt(templateOf(workload), 'spec', 'containers');
  return hard.flatMap((name) => {
    const [, side, resource] = /^(?:(requests|limits)\.)?(cpu|memory)$/.exec(name) ?? [];
    if (resource === undefined) return [];
    // A limit stands for a request that is not given.
    const isStated = (container: unknown) =>
      hasAt(container, 'resources', 'limits', resource) ||
      (side !== 'limits' && hasAt(container, 'resources', 'requests', resource));
    return containers.length > 0 && !containers.every(isStated) ? [name] : [];
  });
}

function fullResources(quota: KubeObject): readonly string[] {
  const hard = { ...textsAt(quota.body, 'spec', 'hard'), ...textsAt(quota.body, 'status', 'hard') };
  const used = textsAt(quota.body, 'status', 'used');
  return Object.entries(hard).flatMap(([resource, limit]) => {
    const use = used[resource];
    if (use === undefined || !(parseQuantity(use) >= parseQuantity(limit))) return [];
    return `${resource} ${use} of ${limit}`;
  });
}

/** At least as many as are ready, where the number itself was not recorded; the API leaves a count of 0 out. */
function createdPods({ body }: KubeObject): number {
  const counts = ['replicas', 'readyReplicas', 'availableReplicas'].map((name) => numberAt(body, 'status', name));
  return counts.find((count) => count !== undefined) ?? 0;
}

/** One workload a service and namespace. */
function shortOfPods(cluster: Cluster): readonly KubeObject[] {
  const workloads = ['Deployment', 'StatefulSet', 'ReplicaSet'].flatMap((kind) => cluster.of(kind));
  const short = workloads.filter((workload) => {
    const wanted = numberAt(workload.body, 'spec', 'replicas') ?? 0;
    return hasAt(workload.body, 'status') && createdPods(workload) < wanted;
  });
  return [
    ...new Map(short.toReversed().map((workload) => [`${workload.namespace}/${workload.service}`, workload])).values(),
  ];
}
