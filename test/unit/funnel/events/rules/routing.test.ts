import { describeRules, container, type RuleCase, type NearMiss } from '../rule-cases.ts';
import { find, service } from '../shop-cluster.ts';

const problems: readonly RuleCase[] = [
  {
    name: 'a selector that matches no pod though the pods exist',
    change: (objects) => void (find(objects, 'Service', 'cart')['spec'].selector = { app: 'kart' }),
    reason: 'SelectorMatchesNoPod',
    type: 'config_change',
    minSeverity: 0.9,
  },
  {
    name: 'a selector that points at another workload',
    change: (objects) => void (find(objects, 'Service', 'cart')['spec'].selector = { app: 'store' }),
    reason: 'SelectorMatchesOtherWorkload',
    minSeverity: 0.9,
  },
  {
    name: 'a Service that was removed though others call its pods',
    change: (objects) => void objects.splice(objects.indexOf(find(objects, 'Service', 'cart')), 1),
    reason: 'NoServiceReachesPods',
    minSeverity: 0.7,
  },
  {
    name: 'a target port that no container opens',
    change: (objects) => void (find(objects, 'Service', 'cart')['spec'].ports = [{ port: 80, targetPort: 9999 }]),
    reason: 'TargetPortNotOpen',
    type: 'config_change',
    minSeverity: 0.9,
  },
  {
    name: 'a Service without ready endpoints',
    change: (objects) =>
      void (find(objects, 'Endpoints', 'cart')['subsets'] = [{ notReadyAddresses: [{ ip: '10.1.0.4' }] }]),
    reason: 'NoReadyEndpoints',
    minSeverity: 0.85,
  },
  {
    name: 'a policy that allows no ingress',
    change: (objects) =>
      objects.push({
        kind: 'NetworkPolicy',
        metadata: { name: 'deny', namespace: 'shop' },
        spec: { podSelector: { matchLabels: { app: 'cart' } }, policyTypes: ['Ingress'] },
      }),
    reason: 'DeniesIngress',
    service: 'cart',
    type: 'network_loss',
    minSeverity: 0.9,
  },
  {
    name: 'a policy that opens other ports than the Service sends to',
    change: (objects) =>
      objects.push({
        kind: 'NetworkPolicy',
        metadata: { name: 'narrow', namespace: 'shop' },
        spec: { podSelector: { matchLabels: { app: 'cart' } }, ingress: [{ ports: [{ port: 9090 }] }] },
      }),
    reason: 'ClosesServicePort',
    service: 'cart',
    minSeverity: 0.8,
  },
];

/** One step from a problem, and none: what must not be reported. */
const nearMisses: readonly NearMiss[] = [
  {
    name: 'pods without a Service that nobody calls',
    change: (objects) => void objects.splice(objects.indexOf(find(objects, 'Service', 'frontend')), 1),
  },
  {
    name: 'a Service without a selector',
    change: (objects) => objects.push(service('external', { selector: undefined })),
  },
  {
    name: 'a selector that cannot be judged: no labels were recorded',
    change: (objects) => {
      for (const object of objects) if (object['kind'] === 'Pod') delete object['metadata'].labels;
    },
  },
  {
    name: 'a target port that cannot be judged: no ports were recorded',
    change: (objects) => {
      delete container(objects, 'cart')['ports'];
      find(objects, 'Service', 'cart')['spec'].ports = [{ port: 80, targetPort: 9999 }];
    },
  },
  {
    name: 'a named target port that cannot be judged: no port names were recorded',
    change: (objects) => {
      for (const kind of ['Pod', 'Deployment']) {
        const spec =
          kind === 'Pod' ? find(objects, kind, 'cart')['spec'] : find(objects, kind, 'cart')['spec'].template.spec;
        spec.containers[0].ports = [{ containerPort: 8080 }];
      }
    },
  },
  {
    name: 'endpoints rebuilt from text without addresses',
    change: (objects) => {
      const endpoints = find(objects, 'Endpoints', 'cart');
      delete endpoints['subsets'];
      endpoints['metadata'].annotations = { 'recording/source': 'get' };
    },
  },
  {
    name: 'policies that deny and allow: they add up',
    change: (objects) =>
      objects.push(
        {
          kind: 'NetworkPolicy',
          metadata: { name: 'deny', namespace: 'shop' },
          spec: { podSelector: {}, policyTypes: ['Ingress'] },
        },
        {
          kind: 'NetworkPolicy',
          metadata: { name: 'allow', namespace: 'shop' },
          spec: { podSelector: {}, ingress: [{}] },
        },
      ),
  },
];

describeRules('routing to pods', problems, nearMisses);
