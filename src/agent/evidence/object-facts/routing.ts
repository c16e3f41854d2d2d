import { at, listAt, numberAt, textAt } from '../../../funnel/events/json-path.ts';
import { fact, facts, quoted, selectorText, type DescribeObject } from './facts.ts';

export const describeService: DescribeObject = (service) => ({
  state: [
    ...fact('type', textAt(service, 'spec', 'type')),
    ...fact('selector', selectorText(service, 'spec', 'selector')),
    ...facts('ports', listAt(service, 'spec', 'ports').map(portText)),
    ...fact('external name', textAt(service, 'spec', 'externalName')),
  ],
  spec: [
    ...fact('cluster IP', textAt(service, 'spec', 'clusterIP')),
    ...fact('internal traffic policy', textAt(service, 'spec', 'internalTrafficPolicy')),
    ...fact('external traffic policy', textAt(service, 'spec', 'externalTrafficPolicy')),
  ],
  isNotable: false,
});

/** `http 80 → 8080/TCP`. */
function portText(port: unknown): string {
  const target = textAt(port, 'targetPort') ?? numberAt(port, 'targetPort');
  const name = textAt(port, 'name');
  return `${name ? `${name} ` : ''}${numberAt(port, 'port') ?? '?'}${target === undefined ? '' : ` → ${target}`}/${textAt(port, 'protocol') ?? 'TCP'}`;
}

export const describeEndpoints: DescribeObject = (endpoints) => {
  const subsets = listAt(endpoints, 'subsets');
  const count = (field: string) => subsets.reduce((sum: number, subset) => sum + listAt(subset, field).length, 0);
  const ports = subsets.flatMap((subset) => listAt(subset, 'ports').map((port) => `${numberAt(port, 'port') ?? '?'}`));
  return addresses(count('addresses'), count('notReadyAddresses'), [...new Set(ports)]);
};

export const describeEndpointSlice: DescribeObject = (slice) => {
  const endpoints = listAt(slice, 'endpoints');
  const ready = endpoints.filter((endpoint) => at(endpoint, 'conditions', 'ready') !== false).length;
  const ports = listAt(slice, 'ports').map((port) => `${numberAt(port, 'port') ?? '?'}`);
  return addresses(ready, endpoints.length - ready, ports);
};

/** A Service without a ready address answers nobody. */
function addresses(ready: number, notReady: number, ports: readonly string[]) {
  return {
    state: [`${ready} ready addresses, ${notReady} not ready`, ...facts('ports', ports)],
    spec: [],
    isNotable: ready === 0 || notReady > 0,
  };
}

export const describeIngress: DescribeObject = (ingress) => ({
  state: facts(
    'routes',
    listAt(ingress, 'spec', 'rules').flatMap((rule) =>
      listAt(rule, 'http', 'paths').map((path) => {
        const backend = at(path, 'backend', 'service');
        const port = numberAt(backend, 'port', 'number') ?? textAt(backend, 'port', 'name') ?? '?';
        return `${textAt(rule, 'host') ?? '*'}${textAt(path, 'path') ?? '/'} → ${textAt(backend, 'name') ?? '?'}:${port}`;
      }),
    ),
  ),
  spec: [
    ...fact('class', textAt(ingress, 'spec', 'ingressClassName')),
    ...facts(
      'TLS',
      listAt(ingress, 'spec', 'tls').map((tls) => `Secret ${textAt(tls, 'secretName') ?? '?'}`),
    ),
  ],
  isNotable: false,
});

/** Rules as they stand: an empty list lets nothing through, an absent one everything. */
export const describeNetworkPolicy: DescribeObject = (policy) => {
  const rules = (way: 'ingress' | 'egress') => {
    const list = at(policy, 'spec', way);
    if (!Array.isArray(list)) return [];
    return list.length === 0 ? [`no ${way} allowed`] : [`${way} allowed ${JSON.stringify(list)}`];
  };
  return {
    state: [
      `for pods ${selectorText(policy, 'spec', 'podSelector') || 'of the whole namespace'}`,
      ...facts(
        'types',
        listAt(policy, 'spec', 'policyTypes').filter((type) => typeof type === 'string'),
      ),
      ...rules('ingress').map((text) => quoted(text)),
      ...rules('egress').map((text) => quoted(text)),
    ],
    spec: [],
    isNotable: false,
  };
};
