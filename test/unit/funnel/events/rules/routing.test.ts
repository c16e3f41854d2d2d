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

  {
    name: 'a Service that lost its selector',
    change: (objects) => {
      delete find(objects, 'Service', 'cart')['spec'].selector;
      find(objects, 'Pod', 'cart')['status'].podIP = '10.1.0.9';
    },
    reason: 'NoSelector',
    type: 'config_change',
    minSeverity: 0.9,
  },
  {
    name: 'a Service that was turned into a name outside',
    change: (objects) =>
      void (find(objects, 'Service', 'cart')['spec'] = { type: 'ExternalName', externalName: 'cart.example.com' }),
    reason: 'ExternalNameForPods',
    minSeverity: 0.9,
  },
  {
    name: 'a Service of another name whose selector matches nothing, told to its workload',
    change: (objects) => {
      const routed = find(objects, 'Service', 'cart');
      routed['metadata'].name = 'cart-svc';
      routed['spec'].selector = { app: 'cart', version: 'v2' };
    },
    reason: 'SelectorMatchesNoPod',
    minSeverity: 0.95,
  },
  {
    name: 'a Service that sends UDP to a TCP port',
    change: (objects) => {
      container(objects, 'cart')['ports'] = [{ containerPort: 8080, name: 'http', protocol: 'TCP' }];
      find(objects, 'Service', 'cart')['spec'].ports = [{ port: 80, targetPort: 8080, protocol: 'UDP' }];
    },
    reason: 'ProtocolMismatch',
  },
  {
    name: 'a policy that lets only strangers in',
    change: (objects) =>
      objects.push({
        kind: 'NetworkPolicy',
        metadata: { name: 'cart-only', namespace: 'shop' },
        spec: {
          podSelector: { matchExpressions: [{ key: 'app', operator: 'In', values: ['cart'] }] },
          policyTypes: ['Ingress'],
          ingress: [{ from: [{ podSelector: { matchLabels: { role: 'admin' } } }] }],
        },
      }),
    reason: 'BarsCallers',
    type: 'network_loss',
    minSeverity: 0.9,
  },
  {
    name: 'a policy that lets nothing out but one port, the name server left out',
    change: (objects) =>
      objects.push({
        kind: 'NetworkPolicy',
        metadata: { name: 'cart-out', namespace: 'shop' },
        spec: {
          podSelector: { matchLabels: { app: 'cart' } },
          policyTypes: ['Egress'],
          egress: [{ ports: [{ port: 8080, protocol: 'TCP' }] }],
        },
      }),
    reason: 'BarsDns',
    type: 'dns',
  },
  {
    name: 'an Ingress that leads to a port which the Service lacks',
    change: (objects) =>
      objects.push({
        kind: 'Ingress',
        metadata: { name: 'shop', namespace: 'shop' },
        spec: {
          rules: [{ http: { paths: [{ path: '/', backend: { service: { name: 'cart', port: { number: 8081 } } } }] } }],
        },
      }),
    reason: 'IngressPort cart',
    type: 'config_change',
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

  {
    name: 'a policy that lets the callers in by an expression',
    change: (objects) =>
      objects.push({
        kind: 'NetworkPolicy',
        metadata: { name: 'cart-in', namespace: 'shop' },
        spec: {
          podSelector: { matchLabels: { app: 'cart' } },
          ingress: [
            { from: [{ podSelector: { matchExpressions: [{ key: 'app', operator: 'In', values: ['frontend'] }] } }] },
          ],
        },
      }),
  },
  {
    name: 'a policy that lets in whole namespaces of unknown labels',
    change: (objects) =>
      objects.push({
        kind: 'NetworkPolicy',
        metadata: { name: 'cart-in', namespace: 'shop' },
        spec: {
          podSelector: { matchLabels: { app: 'cart' } },
          ingress: [{ from: [{ namespaceSelector: { matchLabels: { team: 'shop' } } }] }],
        },
      }),
  },
  {
    name: 'an Ingress that leads where it should',
    change: (objects) =>
      objects.push({
        kind: 'Ingress',
        metadata: { name: 'shop', namespace: 'shop' },
        spec: { defaultBackend: { service: { name: 'frontend', port: { number: 80 } } } },
      }),
  },
  {
    name: 'a Service of another name in front of a workload',
    change: (objects) => void (find(objects, 'Service', 'cart')['metadata'].name = 'cart-svc'),
  },
];

describeRules('routing to pods', problems, nearMisses);
