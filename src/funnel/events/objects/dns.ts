import type { Rule } from '../condition.ts';
import { listAt, textAt, textsAt } from '../json-path.ts';

/** The plugin that answers for Services, for whatever domain the cluster has. Blanks within the line only: a file of them stays cheap. */
const SERVICE_NAMES = /^[ \t]*kubernetes\b/m;
/** Names of Services as what is asked for; as the answer for another name they are common. */
const OVERRULED =
  /^[ \t]*(template\b[^\n]*|rewrite[ \t]+((stop|continue)[ \t]+)?name[ \t]+((exact|prefix|suffix|substring|regex)[ \t]+)?\S*)(svc|cluster)\b/m;

/** The cluster's name server, when its configuration was read: without the `kubernetes` plugin it knows no Service. */
export const nameServerConfig: Rule = (cluster) =>
  cluster.of('ConfigMap').flatMap((map) => {
    const corefile = textsAt(map.body, 'data')['Corefile'];
    if (map.namespace !== 'kube-system' || map.name !== 'coredns' || corefile === undefined) return [];
    const isKubernetes = SERVICE_NAMES.test(corefile);
    const isOverruled = OVERRULED.test(corefile);
    if (isKubernetes && !isOverruled) return [];
    return {
      object: map,
      service: 'coredns',
      reason: 'Corefile',
      statement: isKubernetes
        ? 'rewrites names of Services before they are looked up'
        : 'has no kubernetes plugin: names of Services do not resolve',
      severity: isKubernetes ? 0.7 : 0.9,
      type: 'dns' as const,
    };
  });

/** The Service that all pods ask for names, without endpoints. */
export const nameServerEndpoints: Rule = (cluster) => {
  const endpoints = cluster.find('Endpoints', 'kube-system', 'kube-dns');
  const subsets = listAt(endpoints?.body, 'subsets');
  const source = textAt(endpoints?.body, 'metadata', 'annotations', 'recording/source');
  const isEmpty = subsets.every((subset) => listAt(subset, 'addresses').length === 0);
  if (!endpoints || source !== undefined || !isEmpty) return [];
  return [
    {
      object: endpoints,
      service: 'coredns',
      reason: 'NoNameServer',
      statement: 'lists no ready address: names of Services do not resolve',
      severity: 0.92,
      type: 'dns',
    },
  ];
};
