import { describeRules, justRestarted, container, whileStarting, type RuleCase, type NearMiss } from '../rule-cases.ts';
import { find } from '../shop-cluster.ts';

const problems: readonly RuleCase[] = [
  {
    name: 'a config map that is not there',
    change: whileStarting(
      (objects) => void (container(objects, 'cart')['envFrom'] = [{ configMapRef: { name: 'gone' } }]),
    ),
    reason: 'MissingConfigMap gone',
    type: 'config_change',
    minSeverity: 1,
  },
  {
    name: 'a key that its config map lacks',
    change: whileStarting(
      (objects) =>
        void (container(objects, 'cart')['env'] = [
          { name: 'MODE', valueFrom: { configMapKeyRef: { name: 'settings', key: 'colour' } } },
        ]),
    ),
    reason: 'MissingConfigMap settings',
    minSeverity: 1,
  },
  {
    name: 'a service account that is not there',
    change: whileStarting((objects) => void (find(objects, 'Pod', 'cart')['spec'].serviceAccountName = 'cart-runner')),
    reason: 'MissingServiceAccount cart-runner',
    type: 'permission',
    minSeverity: 0.9,
  },
  {
    name: 'an address that names no Service, when nothing of that name exists',
    change: justRestarted(
      (objects) => void (container(objects, 'cart')['env'] = [{ name: 'STORE_ADDR', value: 'stoer:80' }]),
    ),
    reason: 'NoService stoer',
    service: 'cart',
    type: 'config_change',
    minSeverity: 0.7,
  },
  {
    name: 'an address whose Service was removed blames the workload of that name',
    change: (objects) => {
      container(objects, 'cart')['env'] = [{ name: 'STORE_URL', value: 'http://store.shop.svc.cluster.local:80/v1' }];
      objects.splice(objects.indexOf(find(objects, 'Service', 'store')), 1);
    },
    reason: 'NoService store',
    service: 'store',
    minSeverity: 0.9,
  },
  {
    name: 'an address with a port that the Service does not offer',
    change: justRestarted(
      (objects) => void (container(objects, 'cart')['env'] = [{ name: 'STORE_ADDR', value: 'store:8081' }]),
    ),
    reason: 'WrongPort store',
    minSeverity: 0.8,
  },
  {
    name: 'a claim that waits for a storage class that does not exist',
    change: whileStarting((objects) => {
      find(objects, 'Pod', 'cart')['spec'].volumes = [
        { name: 'data', persistentVolumeClaim: { claimName: 'cart-data' } },
      ];
      objects.push(
        {
          kind: 'PersistentVolumeClaim',
          metadata: { name: 'cart-data', namespace: 'shop' },
          spec: { storageClassName: 'fast' },
          status: { phase: 'Pending' },
        },
        { kind: 'StorageClass', metadata: { name: 'standard' } },
      );
    }),
    reason: 'ClaimPending',
    service: 'cart',
    minSeverity: 0.9,
  },
  {
    name: 'a role binding for a service account that is not there',
    change: (objects) =>
      objects.push({
        kind: 'RoleBinding',
        metadata: { name: 'reader', namespace: 'shop' },
        subjects: [{ kind: 'ServiceAccount', name: 'cart' }],
        roleRef: { kind: 'Role', name: 'reader' },
      }),
    reason: 'NoServiceAccount cart',
    service: 'cart',
    type: 'permission',
  },
  {
    name: 'a volume that failed',
    change: (objects) => {
      find(objects, 'Pod', 'cart')['spec'].volumes = [
        { name: 'data', persistentVolumeClaim: { claimName: 'cart-data' } },
      ];
      objects.push(
        {
          kind: 'PersistentVolumeClaim',
          metadata: { name: 'cart-data', namespace: 'shop' },
          status: { phase: 'Bound' },
        },
        {
          kind: 'PersistentVolume',
          metadata: { name: 'pv-1' },
          spec: { claimRef: { namespace: 'shop', name: 'cart-data' } },
          status: { phase: 'Failed' },
        },
      );
    },
    reason: 'VolumeFailed',
    service: 'cart',
  },
];

/** One step from a problem, and none: what must not be reported. */
const nearMisses: readonly NearMiss[] = [
  {
    name: 'an optional config map that is not there',
    change: (objects) =>
      void (container(objects, 'cart')['envFrom'] = [{ configMapRef: { name: 'gone', optional: true } }]),
  },
  {
    name: 'a secret that is not there: secrets are never recorded',
    change: (objects) => void (container(objects, 'cart')['envFrom'] = [{ secretRef: { name: 'token' } }]),
  },
  {
    name: 'a config map that is not there when none was read',
    change: (objects) => {
      container(objects, 'cart')['envFrom'] = [{ configMapRef: { name: 'gone' } }];
      for (const object of objects.filter(({ kind }) => kind === 'ConfigMap'))
        objects.splice(objects.indexOf(object), 1);
    },
  },
  {
    name: 'public, loopback and numeric addresses',
    change: (objects) =>
      void (container(objects, 'cart')['env'] = [
        { name: 'API_URL', value: 'https://api.example.com/v1' },
        { name: 'SELF_ADDR', value: 'localhost:8080' },
        { name: 'DB_HOST', value: '10.1.2.3' },
        { name: 'LEVEL', value: 'debug' },
      ]),
  },
  {
    name: 'an address that names a Service and its port',
    change: (objects) => void (container(objects, 'cart')['env'] = [{ name: 'STORE_ADDR', value: 'store:80' }]),
  },
  {
    name: 'a bound claim',
    change: (objects) =>
      objects.push({
        kind: 'PersistentVolumeClaim',
        metadata: { name: 'cart-data', namespace: 'shop' },
        status: { phase: 'Bound' },
      }),
  },
  {
    name: 'a role binding for an account that exists',
    change: (objects) =>
      objects.push({
        kind: 'RoleBinding',
        metadata: { name: 'reader', namespace: 'shop' },
        subjects: [{ kind: 'ServiceAccount', name: 'default' }],
      }),
  },
  {
    name: 'a volume that is bound',
    change: (objects) =>
      objects.push({ kind: 'PersistentVolume', metadata: { name: 'pv-1' }, status: { phase: 'Bound' } }),
  },
];

describeRules('what pods are configured with', problems, nearMisses);
