import type { Cluster, PodSpec } from '../cluster.ts';
import type { Condition, Rule } from '../condition.ts';
import { at, hasAt, listAt, numberAt, textAt, textsAt } from '../json-path.ts';

/** Contradictions inside one pod spec, and between it and the nodes. */
export const podSpecs: Rule = (cluster) =>
  cluster.podSpecs.flatMap((podSpec) => [
    ...portConflicts(podSpec),
    ...clusterNames(podSpec),
    // Pods that are ready passed their probes and found a node, whatever the spec seems to say.
    ...(cluster.isServing(podSpec.owner.service) ? [] : [...probePorts(podSpec), ...impossibleNodes(podSpec, cluster)]),
  ]);

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

/** A probe that asks a port which the container does not open. Containers without recorded ports are not judged. */
function probePorts(podSpec: PodSpec): readonly Condition[] {
  return listAt(podSpec.spec, 'containers').flatMap((container) => {
    const opened = listAt(container, 'ports').flatMap((port) => [
      String(numberAt(port, 'containerPort') ?? ''),
      textAt(port, 'name') ?? '',
    ]);
    return ['readinessProbe', 'livenessProbe', 'startupProbe'].flatMap((probe) => {
      const asked = probePort(at(container, probe));
      if (asked === undefined || opened.length === 0 || opened.includes(asked)) return [];
      const isNamed = !/^\d+$/.test(asked);
      // Port names may not have been recorded.
      if (isNamed && !opened.some((port) => /[a-z]/i.test(port))) return [];
      return problem(podSpec, {
        reason: `ProbePortNotOpen ${probe}`,
        statement: `${probe} of container ${textAt(container, 'name') ?? '(unnamed)'} asks port ${asked}, which the container does not open`,
        severity: 0.7,
        type: 'probe_failure',
      });
    });
  });
}

function probePort(probe: unknown): string | undefined {
  for (const way of ['httpGet', 'tcpSocket', 'grpc']) {
    const port = textAt(probe, way, 'port') ?? numberAt(probe, way, 'port');
    if (port !== undefined) return String(port);
  }
  return undefined;
}

/** With `Default` a pod asks the node's name servers, with `None` only those it lists: Services are then unknown names. */
function clusterNames(podSpec: PodSpec): readonly Condition[] {
  const policy = textAt(podSpec.spec, 'dnsPolicy');
  const isOnHostNetwork = at(podSpec.spec, 'hostNetwork') === true;
  const isSystem = podSpec.owner.namespace === 'kube-system';
  if ((policy !== 'Default' && policy !== 'None') || isOnHostNetwork || isSystem) return [];
  return [
    problem(podSpec, {
      reason: 'NoClusterDns',
      statement: `has dnsPolicy ${policy}: names of Services do not resolve in it`,
      severity: 0.75,
      type: 'dns',
    }),
  ];
}

/** A node selector or a fixed node name that no recorded node satisfies. */
function impossibleNodes(podSpec: PodSpec, cluster: Cluster): readonly Condition[] {
  const nodes = cluster.of('Node');
  const selector = textsAt(podSpec.spec, 'nodeSelector');
  const wanted = Object.entries(selector);
  const labelled = nodes.filter((node) => Object.keys(node.labels).length > 0);
  if (wanted.length === 0 || labelled.length === 0 || !hasAt(podSpec.spec, 'nodeSelector')) return [];
  if (labelled.some((node) => wanted.every(([name, value]) => node.labels[name] === value))) return [];
  return [
    problem(podSpec, {
      reason: 'NodeSelectorMatchesNoNode',
      statement: `may only run on nodes with ${wanted.map(([name, value]) => `${name}=${value}`).join(', ')}, and there is none`,
      severity: 0.9,
      type: 'scheduling',
    }),
  ];
}
