import type { Cluster, KubeObject, PodSpec } from './cluster.ts';
import { groupBy, groupByEach } from './group-by.ts';
import { textAt, textsAt } from './json-path.ts';
import { isFinished, isReady } from './objects/pod-life.ts';
import { claimNamesOf } from './objects/volumes.ts';
import { matches } from './selectors.ts';

export type PodsIndex = Pick<
  Cluster,
  'podsMatching' | 'podsOfService' | 'podsOnNode' | 'mounting' | 'routesTo' | 'isServing'
>;

/** Pods by everything that rules look them up by, so that no rule walks all of them for each of another kind. */
export function indexPods(
  pods: readonly KubeObject[],
  podSpecs: readonly PodSpec[],
  services: readonly KubeObject[],
): PodsIndex {
  const byLabel = groupByEach(pods, ({ namespace, labels }) =>
    Object.entries(labels).map((pair) => labelKey(namespace, ...pair)),
  );
  const byService = groupBy(pods, (pod) => pod.service);
  const byNode = groupBy(pods, (pod) => textAt(pod.body, 'spec', 'nodeName') ?? '');
  const mounts = byClaim(pods, podSpecs);
  const podsMatching: PodsIndex['podsMatching'] = (namespace, selector) => {
    // Every selector asked for here has a pair; its first one narrows the search from all pods to a few.
    const [first] = Object.entries(selector);
    const some = first ? (byLabel.get(labelKey(namespace, ...first)) ?? []) : [];
    return some.filter((pod) => matches(pod.labels, selector));
  };
  const routes = new Map<KubeObject, KubeObject[]>();
  for (const service of services) {
    for (const pod of podsMatching(service.namespace, textsAt(service.body, 'spec', 'selector'))) {
      routes.set(pod, [...(routes.get(pod) ?? []), service]);
    }
  }
  const serving = new Map<string, boolean>();
  return {
    podsMatching,
    podsOfService: (service) => byService.get(service) ?? [],
    podsOnNode: (node) => byNode.get(node) ?? [],
    mounting: (namespace, claim) => (mounts.get(`${namespace}/${claim}`) ?? []).map(({ owner }) => owner),
    routesTo: (pod) => routes.get(pod) ?? [],
    isServing: (service) => {
      const isServing = serving.get(service) ?? areServing(byService.get(service) ?? []);
      serving.set(service, isServing);
      return isServing;
    },
  };
}

/** `podSpecs` hold one pod of each revision; claims of a set differ from pod to pod. */
function byClaim(pods: readonly KubeObject[], podSpecs: readonly PodSpec[]): ReadonlyMap<string, readonly PodSpec[]> {
  const ofWorkloads = podSpecs.filter(({ owner }) => owner.kind !== 'Pod');
  const ofPods = pods.map((owner) => ({ owner, spec: owner.body['spec'] }));
  return groupByEach([...ofWorkloads, ...ofPods], ({ owner, spec }) =>
    claimNamesOf(spec).map((claim) => `${owner.namespace}/${claim}`),
  );
}

/** What evictions and jobs leave behind, or what just makes room for the next, is no pod of the service any more. */
function areServing(pods: readonly KubeObject[]): boolean {
  const staying = pods.filter((pod) => !isFinished(pod));
  return staying.length > 0 && staying.every(isReady);
}

const labelKey = (namespace: string, name: string, value: string) => `${namespace}\n${name}=${value}`;
