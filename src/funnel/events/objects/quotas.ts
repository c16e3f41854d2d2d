import type { Cluster, KubeObject } from '../cluster.ts';
import type { Rule } from '../condition.ts';
import { numberAt, textsAt } from '../json-path.ts';

/** Quotas that leave no room, told to the workloads of the namespace that lack replicas: others do not feel it. */
export const exhaustedQuotas: Rule = (cluster) =>
  cluster.of('ResourceQuota').flatMap((quota) => {
    const full = fullResources(quota);
    if (full.length === 0) return [];
    return shortOfPods(quota.namespace, cluster).map((service) => ({
      object: quota,
      service,
      reason: 'QuotaExhausted',
      statement: `is used up: ${full.join(', ')}; ${service} has fewer pods than it wants`,
      severity: 0.9,
      type: 'quota' as const,
    }));
  });

function fullResources(quota: KubeObject): readonly string[] {
  const hard = { ...textsAt(quota.body, 'spec', 'hard'), ...textsAt(quota.body, 'status', 'hard') };
  const used = textsAt(quota.body, 'status', 'used');
  return Object.entries(hard).flatMap(([resource, limit]) => {
    const use = used[resource];
    if (use === undefined || !(parseQuantity(use) >= parseQuantity(limit))) return [];
    return `${resource} ${use} of ${limit}`;
  });
}

function shortOfPods(namespace: string, cluster: Cluster): readonly string[] {
  const workloads = ['Deployment', 'StatefulSet', 'ReplicaSet'].flatMap((kind) => cluster.of(kind));
  const short = workloads.filter((workload) => {
    const wanted = numberAt(workload.body, 'spec', 'replicas') ?? 0;
    const created = numberAt(workload.body, 'status', 'replicas') ?? (wanted > 0 ? 0 : wanted);
    return workload.namespace === namespace && created < wanted;
  });
  return [...new Set(short.map((workload) => workload.service))];
}

const FACTORS: Readonly<Record<string, number>> = {
  '': 1,
  m: 1e-3,
  k: 1e3,
  M: 1e6,
  G: 1e9,
  T: 1e12,
  P: 1e15,
  Ki: 2 ** 10,
  Mi: 2 ** 20,
  Gi: 2 ** 30,
  Ti: 2 ** 40,
  Pi: 2 ** 50,
};

/** A Kubernetes quantity (`500m`, `2Gi`, `3`) as a number; NaN when it is none, which compares as "not full". */
export function parseQuantity(text: string): number {
  const match = /^(\d+(?:\.\d+)?)(|m|[kMGTP]|[KMGTP]i)$/.exec(text);
  return match ? Number(match[1]) * (FACTORS[match[2] ?? ''] ?? Number.NaN) : Number.NaN;
}
