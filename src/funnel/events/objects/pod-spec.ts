import type { PodSpec } from '../cluster.ts';
import type { Condition, Rule } from '../condition.ts';
import { at, listAt, numberAt, textAt } from '../json-path.ts';
import { noveltyOf } from './pod-life.ts';

/** Contradictions inside one pod spec. */
export const podSpecs: Rule = (cluster, { triggerMs }) => {
  const novelty = noveltyOf(cluster, triggerMs);
  return cluster.podSpecs.flatMap((podSpec) => {
    const { service } = podSpec.owner;
    // All containers of pods that are ready got their ports.
    const conflicts = cluster.isServing(service) ? [] : portConflicts(podSpec);
    return [...conflicts, ...clusterNames(podSpec, novelty(service))];
  });
};

const problem = (
  { owner }: PodSpec,
  rest: Pick<Condition, 'reason' | 'statement' | 'severity' | 'type' | 'numbers'>,
): Condition => ({ object: owner, service: owner.service, ...rest });

/** Containers of a pod share its network: the second one to open a port fails. */
function portConflicts(podSpec: PodSpec): readonly Condition[] {
  const takenBy = new Map<string, string>();
  const conflicts: Condition[] = [];
  for (const container of listAt(podSpec.spec, 'containers')) {
    const name = textAt(container, 'name') ?? '(unnamed)';
    for (const port of listAt(container, 'ports')) {
      const number = numberAt(port, 'containerPort');
      if (number === undefined) continue;
      const key = `${number}/${textAt(port, 'protocol') ?? 'TCP'}`;
      const other = takenBy.get(key);
      takenBy.set(key, name);
      if (other === undefined || other === name) continue;
      const statement = `containers ${other} and ${name} both open port ${number}`;
      conflicts.push(
        problem(podSpec, {
          reason: 'PortConflict',
          statement,
          severity: 0.8,
          type: 'config_change',
          numbers: [number],
        }),
      );
    }
  }
  return conflicts;
}

/** With `Default` a pod asks the node's name servers, with `None` only those it lists: Services are then unknown names. */
function clusterNames(podSpec: PodSpec, novelty: number): readonly Condition[] {
  const policy = textAt(podSpec.spec, 'dnsPolicy');
  const isOnHostNetwork = at(podSpec.spec, 'hostNetwork') === true;
  const isSystem = podSpec.owner.namespace === 'kube-system';
  if ((policy !== 'Default' && policy !== 'None') || isOnHostNetwork || isSystem) return [];
  return [
    problem(podSpec, {
      reason: 'NoClusterDns',
      statement: `has dnsPolicy ${policy}: names of Services do not resolve in its pods`,
      severity: 0.75 * novelty,
      type: 'dns',
    }),
  ];
}
