/** Objects in the shapes of the API, for tests: as much as a case needs, with the bookkeeping that a server adds. */

interface Named {
  readonly name: string;
  readonly namespace?: string;
  readonly createdAt?: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
  readonly owner?: { readonly kind: string; readonly name: string };
  readonly managedFields?: readonly object[];
}

const LONG_AGO = '2025-12-01T08:00:00Z';

export function metadataOf({
  name,
  namespace,
  createdAt = LONG_AGO,
  labels,
  annotations,
  owner,
  managedFields,
}: Named) {
  return {
    name,
    ...(namespace === undefined ? {} : { namespace }),
    uid: `uid-of-${name}`,
    resourceVersion: '12345',
    creationTimestamp: createdAt,
    ...(labels && { labels }),
    annotations: { 'kubectl.kubernetes.io/last-applied-configuration': '{"applied":true}', ...annotations },
    ...(owner && {
      ownerReferences: [{ apiVersion: 'apps/v1', ...owner, uid: `uid-of-${owner.name}`, controller: true }],
    }),
    managedFields: managedFields ?? [
      { manager: 'kube-controller-manager', time: createdAt, fieldsV1: { 'f:spec': {} } },
    ],
  };
}

/** Of any kind, with the fields given beside its metadata. */
export function objectOf(apiVersion: string, kind: string, named: Named, body: object = {}): object {
  return { apiVersion, kind, metadata: metadataOf(named), ...body };
}

export interface PodFacts extends Named {
  readonly env?: readonly object[];
  readonly node?: string;
  readonly restarts?: number;
  /** Of the state of its one container. */
  readonly waiting?: string;
  readonly lastEnd?: { readonly reason: string; readonly exitCode: number; readonly finishedAt: string };
}

/** A pod of one container `app`, running and ready unless it waits. */
export function podOf({ env, node = 'node-1', restarts = 0, waiting, lastEnd, ...named }: PodFacts): object {
  const app = named.owner?.name.replace(/-[a-z0-9]+$/, '') ?? named.name;
  return objectOf(
    'v1',
    'Pod',
    { namespace: 'shop', labels: { app }, ...named },
    {
      spec: {
        nodeName: node,
        containers: [
          {
            name: 'app',
            image: `registry.example/${app}:1`,
            ...(env && { env }),
            volumeMounts: [{ name: 'kube-api-access-x', mountPath: '/var/run/secrets/kubernetes.io/serviceaccount' }],
          },
        ],
        volumes: [{ name: 'kube-api-access-x', projected: { sources: [{ serviceAccountToken: { path: 'token' } }] } }],
      },
      status: {
        phase: 'Running',
        containerStatuses: [
          {
            name: 'app',
            ready: waiting === undefined,
            restartCount: restarts,
            state: waiting === undefined ? { running: { startedAt: LONG_AGO } } : { waiting: { reason: waiting } },
            lastState: lastEnd === undefined ? {} : { terminated: lastEnd },
          },
        ],
      },
    },
  );
}

/** Ready pods `web-00000` and so on, of one workload. */
export function manyPods(count: number, bytesOfEach = 0): object[] {
  const filler = bytesOfEach === 0 ? [] : [{ name: 'FILLER', value: 'x'.repeat(bytesOfEach) }];
  return Array.from({ length: count }, (_, i) =>
    podOf({
      name: `web-7d9f8b6c5-${String(i).padStart(5, '0')}`,
      owner: { kind: 'ReplicaSet', name: 'web-7d9f8b6c5' },
      ...(bytesOfEach === 0 ? {} : { env: filler }),
    }),
  );
}

export interface TemplateFacts {
  readonly image?: string;
  readonly env?: Readonly<Record<string, string>>;
}

export function templateOf({ image = 'registry.example/checkout:1', env = {} }: TemplateFacts) {
  const variables = Object.entries(env).map(([name, value]) => ({ name, value }));
  return {
    metadata: { labels: { app: 'checkout' } },
    spec: { containers: [{ name: 'app', image, env: variables }] },
  };
}

export function eventOf(fields: {
  readonly name: string;
  readonly namespace?: string;
  readonly reason: string;
  readonly object: string;
  readonly at: string;
  readonly type?: string;
  readonly count?: number;
  readonly firstAt?: string;
}): object {
  const { name, namespace = 'shop', reason, object, at, type = 'Warning', count = 1, firstAt = at } = fields;
  const [kind, of] = object.split('/');
  return objectOf(
    'v1',
    'Event',
    { name, namespace },
    {
      involvedObject: { kind, name: of, namespace },
      reason,
      message: `${reason} of ${of}`,
      type,
      count,
      firstTimestamp: firstAt,
      lastTimestamp: at,
      source: { component: 'kubelet', host: 'node-1' },
    },
  );
}
