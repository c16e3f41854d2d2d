import { describeRules, justRestarted, container, whileStarting, type RuleCase, type NearMiss } from '../rule-cases.ts';
import { find, service } from '../shop-cluster.ts';

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

  {
    name: 'an address in a config map that names no Service',
    change: justRestarted((objects) => {
      find(objects, 'ConfigMap', 'settings')['data'] = { STORE_URL: 'http://stoer.shop.svc.cluster.local:80/api' };
      container(objects, 'cart')['envFrom'] = [{ configMapRef: { name: 'settings' } }];
    }),
    reason: 'NoService stoer',
    type: 'config_change',
    minSeverity: 0.7,
  },
  {
    name: 'an address in an argument, with a port that the Service does not offer',
    change: justRestarted(
      (objects) => void (container(objects, 'cart')['args'] = ['--store=tcp://store:6380', '--verbose']),
    ),
    reason: 'WrongPort store',
    minSeverity: 0.8,
  },
  {
    name: 'a Service whose port was changed, by what its callers agree on',
    change: (objects) => {
      for (const app of ['frontend', 'cart']) container(objects, app)['env'] = [{ name: 'STORE', value: 'store:80' }];
      find(objects, 'Service', 'store')['spec'].ports = [{ port: 8888, targetPort: 'http' }];
    },
    reason: 'WrongPort store',
    service: 'store',
    minSeverity: 0.9,
  },
  {
    name: 'a service that others count on and that is not there at all',
    change: (objects) => {
      for (const app of ['frontend', 'cart'])
        container(objects, app)['env'] = [{ name: 'DB_HOST', value: 'orders-db' }];
    },
    reason: 'NoService orders-db',
    service: 'orders-db',
    type: 'dns',
  },
  {
    name: 'a claim that asks for more than its volume has',
    change: whileStarting((objects) => {
      find(objects, 'Pod', 'cart')['spec'].volumes = [
        { name: 'data', persistentVolumeClaim: { claimName: 'cart-data' } },
      ];
      objects.push(
        {
          kind: 'PersistentVolumeClaim',
          metadata: { name: 'cart-data', namespace: 'shop' },
          spec: { volumeName: 'pv-1', resources: { requests: { storage: '20Gi' } } },
          status: { phase: 'Pending' },
        },
        { kind: 'PersistentVolume', metadata: { name: 'pv-1' }, spec: { capacity: { storage: '1Gi' } }, status: {} },
      );
    }),
    reason: 'ClaimPending',
    minSeverity: 0.9,
  },
  {
    name: 'a role that does not exist, told to the service that runs under the account',
    change: (objects) => {
      find(objects, 'Pod', 'cart')['spec'].serviceAccountName = 'default';
      objects.push(
        { kind: 'Role', metadata: { name: 'other', namespace: 'shop' } },
        {
          kind: 'RoleBinding',
          metadata: { name: 'reader', namespace: 'shop' },
          roleRef: { kind: 'Role', name: 'reader' },
          subjects: [{ kind: 'ServiceAccount', name: 'default' }],
        },
      );
    },
    reason: 'NoRole reader',
    type: 'permission',
  },

  {
    name: 'a claim of the second pod of a set',
    change: (objects) => {
      const ofSet = (name: string) => ({
        ...find(objects, 'Pod', 'store'),
        metadata: { name, namespace: 'shop', ownerReferences: [{ kind: 'StatefulSet', name: 'db', controller: true }] },
        spec: { containers: [{ name: 'db' }], volumes: [{ persistentVolumeClaim: { claimName: `data-${name}` } }] },
      });
      const second = ofSet('db-1');
      container(objects, 'cart')['env'] = [
        { name: 'DB_PASSWORD', valueFrom: { secretKeyRef: { name: 'db-credentials', key: 'password' } } },
      ];
      objects.push(
        { kind: 'StatefulSet', metadata: { name: 'db', namespace: 'shop' }, spec: { replicas: 2 } },
        service('db'),
        ofSet('db-0'),
        { ...second, status: { phase: 'Pending' } },
        {
          kind: 'PersistentVolumeClaim',
          metadata: { name: 'data-db-1', namespace: 'shop' },
          status: { phase: 'Pending' },
        },
      );
    },
    reason: 'ClaimPending',
    service: 'db',
    minSeverity: 0.9,
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

  {
    name: 'a tracer that is not installed is next to nothing',
    change: (objects) => void (container(objects, 'cart')['env'] = [{ name: 'LEVEL', value: 'http2:debug' }]),
  },
  {
    name: 'pairs in a file that are no addresses',
    change: (objects) => {
      find(objects, 'ConfigMap', 'settings')['data'] = {
        'app.yaml': 'level:10\ntimeout:30\nstarted 10:15:30 by user:1000',
      };
      find(objects, 'Pod', 'cart')['spec'].volumes = [{ name: 'settings', configMap: { name: 'settings' } }];
    },
  },
  {
    name: 'a pod of a set, called by its own name',
    change: (objects) => void (container(objects, 'cart')['env'] = [{ name: 'STORE_ADDR', value: 'store-0.store:80' }]),
  },
];

describeRules('what pods are configured with', problems, nearMisses);
