import type { Cluster, KubeObject, PodSpec } from '../cluster.ts';
import type { Condition, Rule } from '../condition.ts';
import { largest } from '../extremes.ts';
import { at, booleanAt, hasAt, listAt, numberAt, textAt, textsAt } from '../json-path.ts';
import { parseQuantity } from '../quantity.ts';
import { matches, matchesTerm } from '../selectors.ts';

/** What a pod spec demands and no recorded node offers. Pods that are ready found a node, whatever the spec seems to say. */
export const placements: Rule = (cluster) =>
  cluster.podSpecs.flatMap((podSpec) => {
    if (cluster.isServing(podSpec.owner.service) || isPlaced(podSpec.owner)) return [];
    const nodes = cluster.of('Node');
    const labelled = nodes.filter((node) => Object.keys(node.labels).length > 0);
    return [
      ...unmatchedSelector(podSpec, labelled),
      ...unmatchedAffinity(podSpec, labelled),
      ...untolerated(podSpec, nodes),
      ...tooLarge(podSpec, nodes),
      ...foreignScheduler(podSpec, cluster),
      ...missingPriority(podSpec, cluster),
    ];
  });

const isPlaced = (owner: KubeObject) => owner.kind === 'Pod' && hasAt(owner.body, 'spec', 'nodeName');

const problem = (
  { owner }: PodSpec,
  reason: string,
  statement: string,
  severity = 0.92,
  numbers: readonly number[] = [],
): readonly Condition[] => [
  { object: owner, service: owner.service, reason, statement, severity, type: 'scheduling', numbers },
];

function unmatchedSelector(podSpec: PodSpec, nodes: readonly KubeObject[]): readonly Condition[] {
  const selector = textsAt(podSpec.spec, 'nodeSelector');
  const wanted = Object.entries(selector);
  if (wanted.length === 0 || nodes.length === 0 || nodes.some((node) => matches(node.labels, selector))) return [];
  const text = wanted.map(([name, value]) => `${name}=${value}`).join(', ');
  return problem(podSpec, 'NodeSelectorMatchesNoNode', `may only run on nodes with ${text}, and there is none`);
}

function unmatchedAffinity(podSpec: PodSpec, nodes: readonly KubeObject[]): readonly Condition[] {
  if (termsOf(podSpec.spec).length === 0 || nodes.length === 0) return [];
  if (nodes.some((node) => meetsAffinity(podSpec.spec, node))) return [];
  return problem(podSpec, 'AffinityMatchesNoNode', 'requires by its node affinity a kind of node that does not exist');
}

const termsOf = (spec: unknown) =>
  listAt(spec, 'affinity', 'nodeAffinity', 'requiredDuringSchedulingIgnoredDuringExecution', 'nodeSelectorTerms');

/** Terms are alternatives; the expressions of one must all hold. */
function meetsAffinity(spec: unknown, node: KubeObject): boolean {
  const terms = termsOf(spec);
  return terms.length === 0 || terms.some((term) => matchesTerm(term, node.labels, { 'metadata.name': node.name }));
}

/** True when the node has what the pod's selector and affinity ask for. */
export function suits(spec: unknown, node: KubeObject): boolean {
  return matches(node.labels, textsAt(spec, 'nodeSelector')) && meetsAffinity(spec, node);
}

/** Every node repels the pod. Taints that the cluster sets by itself tell of the node, not of the pod. */
function untolerated(podSpec: PodSpec, nodes: readonly KubeObject[]): readonly Condition[] {
  const tolerations = listAt(podSpec.spec, 'tolerations');
  const repelling = nodes.map((node) =>
    listAt(node.body, 'spec', 'taints').find(
      (taint) => repels(taint) && !tolerations.some((one) => tolerates(one, taint)),
    ),
  );
  const keys = [...new Set(repelling.map((taint) => textAt(taint, 'key') ?? ''))];
  if (nodes.length === 0 || repelling.includes(undefined)) return [];
  if (keys.every((key) => key.startsWith('node.kubernetes.io/') || key.startsWith('node-role.kubernetes.io/')))
    return [];
  return problem(podSpec, 'ToleratesNoNode', `tolerates the taints of no node (${keys.slice(0, 4).join(', ')})`, 0.85);
}

function repels(taint: unknown): boolean {
  const effect = textAt(taint, 'effect');
  return effect === 'NoSchedule' || effect === 'NoExecute';
}

/** An empty key with `Exists` tolerates everything, an empty effect every effect (API reference, Toleration). */
function tolerates(toleration: unknown, taint: unknown): boolean {
  const [key, effect] = [textAt(toleration, 'key'), textAt(toleration, 'effect')];
  if (effect !== undefined && effect !== textAt(taint, 'effect')) return false;
  const isAny = textAt(toleration, 'operator') === 'Exists';
  if (key === undefined) return isAny;
  return (
    key === textAt(taint, 'key') && (isAny || (textAt(toleration, 'value') ?? '') === (textAt(taint, 'value') ?? ''))
  );
}

/** Requests that exceed what any node has in all, so that no amount of free space would help. */
function tooLarge(podSpec: PodSpec, nodes: readonly KubeObject[]): readonly Condition[] {
  return ['cpu', 'memory', 'ephemeral-storage'].flatMap((resource) => {
    const offers = nodes
      .map((node) => parseQuantity(at(node.body, 'status', 'allocatable', resource)))
      .filter((offer) => offer > 0);
    const asked = requestOf(podSpec.spec, resource);
    if (offers.length < nodes.length || offers.length === 0 || !(asked > largest(offers))) return [];
    const shown = listAt(podSpec.spec, 'containers').flatMap(
      (one) => textAt(one, 'resources', 'requests', resource) ?? [],
    );
    const text = `requests ${resource} ${shown.join(' + ') || asked}, more than any node has`;
    return problem(podSpec, `RequestExceedsNodes ${resource}`, text, 0.95);
  });
}

/** Sum over the containers; a limit stands for a request that is not given. */
function requestOf(spec: unknown, resource: string): number {
  return listAt(spec, 'containers').reduce<number>((total, container) => {
    const asked = at(container, 'resources', 'requests', resource) ?? at(container, 'resources', 'limits', resource);
    const value = parseQuantity(asked);
    return total + (value > 0 ? value : 0);
  }, 0);
}

/** A pod that asks another scheduler than the cluster's waits for ever when no such one runs. */
function foreignScheduler(podSpec: PodSpec, cluster: Cluster): readonly Condition[] {
  const wanted = textAt(podSpec.spec, 'schedulerName');
  if (wanted === undefined || wanted === 'default-scheduler') return [];
  if (cluster.of('Pod').some((pod) => pod.service === wanted || pod.name.startsWith(wanted))) return [];
  return problem(podSpec, 'UnknownScheduler', `asks to be placed by scheduler ${wanted}, of which no pod runs`, 0.95);
}

function missingPriority(podSpec: PodSpec, cluster: Cluster): readonly Condition[] {
  const wanted = textAt(podSpec.spec, 'priorityClassName');
  const isKnown = wanted === undefined || wanted.startsWith('system-') || cluster.find('PriorityClass', '', wanted);
  if (isKnown || !cluster.wasRead('PriorityClass', '')) return [];
  return problem(podSpec, 'MissingPriorityClass', `names priority class ${wanted}, which does not exist`);
}

/** Ports on the node itself: two pods that want the same one cannot share a node. */
export const hostPorts: Rule = (cluster) => {
  const holders = new Map<string, KubeObject>();
  const waiting: { readonly pod: KubeObject; readonly port: number }[] = [];
  for (const pod of cluster.of('Pod')) {
    const node = textAt(pod.body, 'spec', 'nodeName');
    for (const container of listAt(pod.body, 'spec', 'containers')) {
      for (const entry of listAt(container, 'ports')) {
        const port = numberAt(entry, 'hostPort');
        if (port === undefined || port === 0 || booleanAt(pod.body, 'spec', 'hostNetwork') === true) continue;
        if (node === undefined) waiting.push({ pod, port });
        else holders.set(String(port), pod);
      }
    }
  }
  return waiting.flatMap(({ pod, port }) => {
    const holder = holders.get(String(port));
    if (!holder) return [];
    return {
      object: pod,
      service: pod.service,
      reason: `HostPortTaken ${port}`,
      statement: `wants host port ${port}, which pod ${holder.name} holds`,
      severity: 0.9,
      type: 'scheduling' as const,
      numbers: [port],
    };
  });
};
