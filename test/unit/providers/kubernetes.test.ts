import { describe, expect, test } from '@jest/globals';
import type { GatherWindow } from '../../../src/domain/provider.ts';
import type { KubernetesOptions } from '../../../src/providers/kubernetes/index.ts';
import { incidentOf } from '../../support/incidents.ts';
import { accessTo, startKubernetesImitation, type ImitationOptions } from '../../support/kubernetes/api-server.ts';
import { eventOf, manyPods, objectOf, podOf } from '../../support/kubernetes/objects.ts';
import { useKubernetes } from '../../support/kubernetes/provider.ts';
import { failure } from '../../support/kubernetes/status.ts';

const startsAtMs = Date.parse('2026-01-01T10:00:00Z');
const incident = incidentOf({ alertname: 'Down', namespace: 'shop', app: 'checkout' }, { startsAtMs });
const window: GatherWindow = {
  fromMs: startsAtMs - 3_600_000,
  toMs: startsAtMs + 600_000,
  reference: { fromMs: startsAtMs - 3_600_000, toMs: startsAtMs - 600_000 },
};
const unbounded = () => new AbortController().signal;

const kubernetes = useKubernetes();
const gatherFrom = async (options: ImitationOptions, more: Partial<KubernetesOptions> = {}) =>
  (await kubernetes.start(options, more)).gather(incident, window, unbounded());

const namesOf = (objects: readonly object[]) =>
  objects.map((object) => {
    const { kind, metadata } = object as { kind: string; metadata: { name: string; namespace?: string } };
    return `${kind} ${metadata.namespace ?? ''}/${metadata.name}`;
  });
const messagesOf = ({ gaps }: { readonly gaps: readonly { readonly message: string }[] }) =>
  gaps.map(({ message }) => message);

describe('what is read for an incident', () => {
  test('objects of its namespace, of the cluster and of kube-system, but not of others', async () => {
    const telemetry = await gatherFrom({
      objects: [
        podOf({ name: 'checkout-1' }),
        podOf({ name: 'other-1', namespace: 'elsewhere' }),
        podOf({ name: 'coredns-1', namespace: 'kube-system' }),
        objectOf('v1', 'Node', { name: 'node-1' }),
        objectOf('storage.k8s.io/v1', 'StorageClass', { name: 'fast' }),
        objectOf('coordination.k8s.io/v1', 'Lease', { name: 'node-1', namespace: 'kube-node-lease' }),
      ],
    });
    expect(namesOf(telemetry.objects)).toEqual([
      'Pod shop/checkout-1',
      'Node /node-1',
      'StorageClass /fast',
      'Pod kube-system/coredns-1',
      'Lease kube-node-lease/node-1',
    ]);
    expect(telemetry.gaps).toEqual([]);
    expect(telemetry.rawCharacters).toBeGreaterThan(1000);
  });

  test('without a namespace in its labels, those in which something has the name of its service', async () => {
    const provider = await kubernetes.start({
      objects: [
        objectOf('apps/v1', 'Deployment', { name: 'checkout', namespace: 'shop-eu' }),
        objectOf('apps/v1', 'Deployment', { name: 'cart', namespace: 'shop-us' }),
        podOf({ name: 'checkout-1', namespace: 'shop-eu' }),
        podOf({ name: 'cart-1', namespace: 'shop-us' }),
      ],
    });
    const lost = incidentOf({ alertname: 'Down', app: 'checkout' }, { startsAtMs });
    const { objects } = await provider.gather(lost, window, unbounded());
    expect(namesOf(objects)).toEqual(['Pod shop-eu/checkout-1', 'Deployment shop-eu/checkout']);
  });

  test('when nothing of its service is in the namespace of the labels, that of whoever scraped, also where it is', async () => {
    const provider = await kubernetes.start({
      objects: [
        podOf({ name: 'exporter-1', namespace: 'monitoring' }),
        objectOf('apps/v1', 'Deployment', { name: 'checkout', namespace: 'shop' }),
        podOf({ name: 'checkout-1' }),
        podOf({ name: 'other-1', namespace: 'elsewhere' }),
      ],
    });
    const scraped = incidentOf({ alertname: 'Down', app: 'checkout', namespace: 'monitoring' }, { startsAtMs });
    const { objects } = await provider.gather(scraped, window, unbounded());
    expect(namesOf(objects)).toEqual(['Pod monitoring/exporter-1', 'Pod shop/checkout-1', 'Deployment shop/checkout']);
  });

  test('of an alert about a node: the node, the pods on it wherever they belong, and the events of their namespaces', async () => {
    const provider = await kubernetes.start({
      objects: [
        objectOf('v1', 'Node', { name: 'node-1' }),
        podOf({ name: 'checkout-1', node: 'node-1' }),
        podOf({ name: 'far-1', node: 'node-2' }),
        eventOf({ name: 'e', reason: 'Evicted', object: 'Pod/checkout-1', at: '2026-01-01T09:59:00Z' }),
      ],
    });
    const alert = incidentOf({ alertname: 'NodeNotReady', node: 'node-1' }, { startsAtMs });
    const { objects, events } = await provider.gather(alert, window, unbounded());
    expect(namesOf(objects)).toEqual(['Pod shop/checkout-1', 'Node /node-1']);
    expect(events.map(({ reason }) => reason)).toEqual(['Evicted']);
  });

  test('what serves in the namespaces that its pods are told to call', async () => {
    const env = [{ name: 'ORDERS', value: 'http://orders.sales.svc.cluster.local:8080' }];
    const spec = { template: { spec: { containers: [{ name: 'app', env }] } } };
    const { objects } = await gatherFrom({
      objects: [
        objectOf('apps/v1', 'Deployment', { name: 'checkout', namespace: 'shop' }, { spec }),
        podOf({ name: 'orders-1', namespace: 'sales' }),
        podOf({ name: 'other-1', namespace: 'elsewhere' }),
      ],
    });
    expect(namesOf(objects)).toEqual(['Deployment shop/checkout', 'Pod sales/orders-1']);
  });

  test('of a namespace that may not be looked at nothing, and that is stated', async () => {
    const telemetry = await gatherFrom({ objects: [podOf({ name: 'checkout-1' })] }, { namespaces: ['ops'] });
    expect(telemetry.objects).toEqual([]);
    expect(messagesOf(telemetry)).toEqual([expect.stringMatching(/about shop, .*KUBERNETES_NAMESPACES \(ops\)/)]);
  });

  test('a namespace that is no name goes into no path', async () => {
    const provider = await kubernetes.start({ objects: [] });
    const odd = incidentOf({ alertname: 'Down', namespace: '../../secrets' }, { startsAtMs });
    await provider.gather(odd, window, unbounded());
    expect(kubernetes.asked().filter(({ url }) => url.includes('..') || url.includes('secrets'))).toEqual([]);
  });

  test('replica sets in use and the newest of each deployment, not those that were replaced', async () => {
    const owner = { kind: 'Deployment', name: 'checkout' };
    const setOf = (name: string, createdAt: string, replicas: number) =>
      objectOf('apps/v1', 'ReplicaSet', { name, namespace: 'shop', createdAt, owner }, { spec: { replicas } });
    const { objects } = await gatherFrom({
      objects: [
        setOf('checkout-a', '2025-12-01T08:00:00Z', 0),
        setOf('checkout-b', '2025-12-02T08:00:00Z', 3),
        setOf('checkout-c', '2025-12-03T08:00:00Z', 0),
      ],
    });
    expect(namesOf(objects)).toEqual(['ReplicaSet shop/checkout-b', 'ReplicaSet shop/checkout-c']);
  });
});

describe('what is never read or kept', () => {
  test('bookkeeping, mounted tokens and the last applied manifest', async () => {
    const { objects } = await gatherFrom({ objects: [podOf({ name: 'checkout-1' })] });
    const text = JSON.stringify(objects);
    for (const word of [
      'managedFields',
      'uid',
      'resourceVersion',
      'last-applied',
      'serviceAccountToken',
      'kube-api-access',
    ])
      expect(text).not.toContain(word);
    expect(objects[0]).toMatchObject({ apiVersion: 'v1', kind: 'Pod', spec: { nodeName: 'node-1' } });
  });

  test('values that look like credentials, but the address that a password stands in', async () => {
    const env = [
      { name: 'DB_PASSWORD', value: 'hunter2-and-more' },
      { name: 'DB_URL', value: 'postgres://shop:hunter2@db.shop:5432/orders' },
      { name: 'MYSQL', value: 'shop:hunter2@tcp(db:3306)/orders' },
      { name: 'API_TOKEN', valueFrom: { secretKeyRef: { name: 'checkout', key: 'token' } } },
      { name: 'LOG_LEVEL', value: 'debug' },
      { name: 'SIGNING', value: '-----BEGIN RSA PRIVATE KEY-----\nabc\n-----END RSA PRIVATE KEY-----' },
    ];
    const { objects } = await gatherFrom({ objects: [podOf({ name: 'checkout-1', env })] });
    expect(JSON.stringify(objects)).not.toMatch(/hunter2|RSA/);
    const [pod] = objects as unknown as readonly { spec: { containers: readonly { env: unknown }[] } }[];
    expect(pod?.spec.containers[0]?.env).toEqual([
      { name: 'DB_PASSWORD', value: '<redacted>' },
      { name: 'DB_URL', value: 'postgres://shop:<redacted>@db.shop:5432/orders' },
      { name: 'MYSQL', value: 'shop:<redacted>@tcp(db:3306)/orders' },
      { name: 'API_TOKEN', valueFrom: { secretKeyRef: { name: 'checkout', key: 'token' } } },
      { name: 'LOG_LEVEL', value: 'debug' },
      { name: 'SIGNING', value: '<redacted>' },
    ]);
  });

  test('arguments that carry a credential', async () => {
    const job = objectOf(
      'batch/v1',
      'Job',
      { name: 'load', namespace: 'shop' },
      {
        spec: {
          template: {
            spec: { containers: [{ name: 'a', args: ['--password=hunter2x', '--token', 'hunter2y', '--level=info'] }] },
          },
        },
      },
    );
    const { objects } = await gatherFrom({ objects: [job] });
    expect(JSON.stringify(objects)).toContain('["--password=<redacted>","--token","<redacted>","--level=info"]');
  });

  test('values of config maps: only their metadata is asked for', async () => {
    const { objects } = await gatherFrom({
      objects: [objectOf('v1', 'ConfigMap', { name: 'settings', namespace: 'shop' }, { data: { KEY: 'private' } })],
    });
    expect(namesOf(objects)).toEqual(['ConfigMap shop/settings']);
    expect(JSON.stringify(objects)).not.toContain('private');
    const accept = kubernetes.asked().find(({ plural }) => plural === 'configmaps')?.headers.accept;
    expect(accept).toMatch(/as=PartialObjectMetadataList;g=meta\.k8s\.io;v=v1/);
  });

  test('secrets, whoever asks for them', async () => {
    const provider = await kubernetes.start({
      objects: [objectOf('v1', 'Secret', { name: 'checkout', namespace: 'shop' })],
    });
    const answer = await provider.queryObjects?.({ kind: 'Secret', limit: 10 }, unbounded());
    expect(answer).toMatchObject({ items: [], note: expect.stringMatching(/Secrets are never read/) });
  });
});

test('the server of these tests refuses and remembers what a careful client never asks', async () => {
  const imitation = await startKubernetesImitation();
  const headers = { authorization: `Bearer ${accessTo(imitation).credential.token}` };
  const statusOf = async (path: string, method = 'GET') =>
    (await fetch(`${imitation.url}${path}`, { method, headers })).status;
  expect(await statusOf('/api/v1/pods?watch=1&limit=5')).toBe(403);
  expect(await statusOf('/api/v1/namespaces/shop/pods/x', 'DELETE')).toBe(405);
  expect(await statusOf('/api/v1/secrets?limit=5')).toBe(403);
  expect(await statusOf('/api/v1/namespaces/shop/pods')).toBe(200);
  expect(imitation.violations).toHaveLength(4);
  await imitation.stop();
});

describe('large clusters', () => {
  test('5,000 pods are read in pages of 500, each once', async () => {
    const telemetry = await gatherFrom({ objects: manyPods(5000) });
    const pods = telemetry.objects.filter((object) => object['kind'] === 'Pod');
    expect(new Set(namesOf(pods)).size).toBe(5000);
    const pages = kubernetes.asked().filter(({ plural, namespace }) => plural === 'pods' && namespace === 'shop');
    expect(pages.map(({ params }) => params.get('limit'))).toEqual(Array.from({ length: 10 }, () => '500'));
    expect(telemetry.gaps).toEqual([]);
  });

  test('of more pods than are kept those that are not well come first, and the cut is stated', async () => {
    const broken = Array.from({ length: 30 }, (_, i) => podOf({ name: `zz-broken-${i}`, waiting: 'CrashLoopBackOff' }));
    const telemetry = await gatherFrom({ objects: [...manyPods(600), ...broken] }, { maxObjects: 100 });
    const names = namesOf(telemetry.objects);
    expect(names).toHaveLength(50);
    expect(names.filter((name) => name.includes('zz-broken'))).toHaveLength(30);
    expect(messagesOf(telemetry)).toEqual([
      expect.stringMatching(/kept 50 of 630 pods in shop, .*KUBERNETES_MAX_OBJECTS/),
    ]);
  });

  test('a list that is not whole says so in its objects, so that nobody concludes what is missing', async () => {
    const { objects } = await gatherFrom({ objects: manyPods(600) }, { maxObjects: 100 });
    expect(objects[0]).toMatchObject({ metadata: { annotations: { 'recording/list': 'partial' } } });
  });

  test('a list that expires goes on with the token that the refusal offers, and that is stated', async () => {
    const telemetry = await gatherFrom({ objects: manyPods(1800), expiry: { afterPages: 2, offersToken: true } });
    expect(new Set(namesOf(telemetry.objects)).size).toBe(1800);
    expect(messagesOf(telemetry)).toEqual([expect.stringMatching(/pods in shop were read at two moments.*410/)]);
  });

  test('a list that expires without such a token begins again; what never ends is given up and stated', async () => {
    const telemetry = await gatherFrom({ objects: manyPods(1800), expiry: { afterPages: 2, offersToken: false } });
    expect(new Set(namesOf(telemetry.objects)).size).toBe(1000);
    expect(messagesOf(telemetry).join('\n')).toMatch(/HTTP 410: The provided continue parameter is too old/);
    expect(messagesOf(telemetry).join('\n')).toMatch(/not read to the end: pods in shop after the first 1000/);
  });
});

describe('what the API refuses', () => {
  test('a list that RBAC forbids is one gap with resource, namespace and the rule that would allow it', async () => {
    const telemetry = await gatherFrom({
      objects: [podOf({ name: 'checkout-1' }), objectOf('v1', 'Service', { name: 'checkout', namespace: 'shop' })],
      forbids: ({ resource, namespace }) => (resource === 'services' && namespace === 'shop') || resource === 'nodes',
    });
    expect(namesOf(telemetry.objects)).toEqual(['Pod shop/checkout-1']);
    expect(messagesOf(telemetry)).toEqual([
      expect.stringMatching(
        /services in shop may not be listed by system:serviceaccount:ops:rootnote \(HTTP 403\)\. Allow \{apiGroups: \[""\], resources: \["services"\], verbs: \["list"\]\} in a Role in namespace shop .* Asked: GET \/api\/v1\/namespaces\/shop\/services\?limit=500/,
      ),
      expect.stringMatching(/nodes of the cluster may not be listed .* in a ClusterRole/),
    ]);
  });

  test('where much is refused in one namespace, one gap names all of it and the rules', async () => {
    const telemetry = await gatherFrom({
      objects: [podOf({ name: 'checkout-1' })],
      forbids: ({ namespace }) => namespace !== 'shop',
    });
    expect(messagesOf(telemetry)).toEqual([
      expect.stringMatching(
        /^pods, deployments, daemonsets, services, endpoints and events in kube-system may not be listed by \S+ \(HTTP 403\)\. Allow \{apiGroups: \[""\], resources: \["pods", "services", "endpoints"\], .*\{apiGroups: \["apps"\].* in a Role in namespace kube-system/,
      ),
      expect.stringMatching(/^events in default may not be listed .* in a Role in namespace default/),
      expect.stringMatching(
        /^nodes, persistentvolumes, storageclasses and namespaces of the cluster may not be listed .* in a ClusterRole/,
      ),
    ]);
  });

  test('an API group that the cluster does not have is no gap', async () => {
    const telemetry = await gatherFrom({
      objects: [podOf({ name: 'checkout-1' })],
      unservedGroups: ['autoscaling', 'policy', 'networking.k8s.io'],
    });
    expect(telemetry.gaps).toEqual([]);
    expect(telemetry.objects).toHaveLength(1);
  });

  test('a busy server is asked again when it says so', async () => {
    let busy = 0;
    const telemetry = await gatherFrom({
      objects: [podOf({ name: 'checkout-1' })],
      reply: ({ plural }) => {
        if (plural !== 'pods' || busy >= 2) return undefined;
        busy += 1;
        return { ...failure(429, 'TooManyRequests', 'please try again later'), headers: { 'retry-after': '0' } };
      },
    });
    expect(namesOf(telemetry.objects)).toEqual(['Pod shop/checkout-1']);
    expect(telemetry.gaps).toEqual([]);
  });

  test('a server that stays busy is a gap that names it', async () => {
    const telemetry = await gatherFrom({
      objects: [],
      reply: ({ plural }) =>
        plural === 'pods'
          ? { ...failure(429, 'TooManyRequests', 'please try again later'), headers: { 'retry-after': '0' } }
          : undefined,
    });
    expect(messagesOf(telemetry).join('\n')).toMatch(/too many requests \(HTTP 429\)/);
    expect(messagesOf(telemetry).join('\n')).toMatch(/not read to the end: pods in /);
    expect(messagesOf(telemetry).join('\n')).not.toMatch(/TIMEOUT/);
  });

  test('what fails inside the server is a gap, the rest is read', async () => {
    const telemetry = await gatherFrom({
      objects: [podOf({ name: 'checkout-1' })],
      reply: ({ plural }) =>
        plural === 'jobs' ? failure(500, 'InternalError', 'etcdserver: leader changed') : undefined,
    });
    expect(namesOf(telemetry.objects)).toEqual(['Pod shop/checkout-1']);
    expect(messagesOf(telemetry).join('\n')).toMatch(/HTTP 500: etcdserver: leader changed.*Asked: GET \/apis\/batch/);
  });

  test.each([
    ['fails', failure(500, 'InternalError', 'etcdserver: leader changed')],
    ['breaks off', 'reset'],
  ] as const)('what %s once is asked again', async (_what, answer) => {
    let failed = 0;
    const telemetry = await gatherFrom({
      objects: [podOf({ name: 'checkout-1' })],
      reply: ({ plural, namespace }) => {
        if (plural !== 'pods' || namespace !== 'shop' || failed > 0) return undefined;
        failed += 1;
        return answer;
      },
    });
    expect(namesOf(telemetry.objects)).toEqual(['Pod shop/checkout-1']);
    expect(telemetry.gaps).toEqual([]);
  });

  test('a query that cannot be read at all is an error, one that finds nothing is not', async () => {
    const provider = await kubernetes.start({ forbids: ({ resource }) => resource === 'pods' });
    await expect(provider.queryObjects?.({ kind: 'Pod', limit: 10 }, unbounded())).rejects.toThrow(
      /pods of the cluster may not be listed/,
    );
    const none = await provider.queryObjects?.({ kind: 'Job', limit: 10 }, unbounded());
    expect(none).toMatchObject({ items: [], note: 'the cluster holds no objects', isWhole: true });
  });

  test('when the time runs out, what was read is handed over with what was not', async () => {
    const stop = new AbortController();
    const provider = await kubernetes.start({
      objects: manyPods(700),
      reply: ({ plural, params }) => {
        if (plural === 'pods' && params.has('continue')) {
          setTimeout(() => stop.abort(), 50);
          return 'hang';
        }
        return undefined;
      },
    });
    const telemetry = await provider.gather(incident, window, stop.signal);
    expect(telemetry.objects).toHaveLength(500);
    expect(messagesOf(telemetry)).toEqual([
      expect.stringMatching(/not read to the end: .*pods in shop after the first 500.*INVESTIGATION_TIMEOUT_MS/),
    ]);
  });

  test('a server that answers nothing within its deadline is one error that names the deadline', async () => {
    const provider = await kubernetes.start({ reply: () => 'hang' }, { timeoutMs: 100 });
    await expect(provider.gather(incident, window, unbounded())).rejects.toThrow(
      /did not answer within 100 ms\. Raise KUBERNETES_TIMEOUT_MS.*Asked: GET \/version/,
    );
  });

  test('a page of something else is told as that', async () => {
    const provider = await kubernetes.start({ reply: () => ({ text: '<html>login</html>' }) });
    await expect(provider.gather(incident, window, unbounded())).rejects.toThrow(
      /not a Kubernetes API \(HTTP 200 with an HTML page\)/,
    );
  });

  test('redirects are not followed', async () => {
    const provider = await kubernetes.start({
      reply: () => ({ status: 302, text: '', headers: { location: 'https://evil.example/' } }),
    });
    await expect(provider.gather(incident, window, unbounded())).rejects.toThrow(/redirects to https:\/\/evil/);
  });
});

describe('events', () => {
  const late = eventOf({
    name: 'a',
    reason: 'BackOff',
    object: 'Pod/checkout-1',
    at: '2026-01-01T09:59:00Z',
    count: 7,
    firstAt: '2026-01-01T09:50:00Z',
  });
  const early = eventOf({
    name: 'b',
    reason: 'Killing',
    object: 'Pod/checkout-1',
    at: '2026-01-01T09:40:00Z',
    type: 'Normal',
  });
  const old = eventOf({ name: 'c', reason: 'Pulled', object: 'Pod/checkout-1', at: '2025-12-31T10:00:00Z' });

  test('of the window, oldest first, with their counts', async () => {
    const { events } = await gatherFrom({ objects: [late, early, old] });
    expect(events.map(({ reason, count, objectName, node }) => [reason, count, objectName, node])).toEqual([
      ['Killing', 1, 'checkout-1', 'node-1'],
      ['BackOff', 7, 'checkout-1', 'node-1'],
    ]);
    expect(events[1]).toMatchObject({ firstTimeMs: Date.parse('2026-01-01T09:50:00Z'), type: 'Warning' });
  });

  test('nodes tell theirs in the namespace default', async () => {
    const event = eventOf({
      name: 'n',
      namespace: 'default',
      reason: 'NodeNotReady',
      object: 'Node/node-1',
      at: '2026-01-01T09:59:00Z',
    });
    const { events } = await gatherFrom({ objects: [event] });
    expect(events).toMatchObject([{ objectKind: 'Node', objectName: 'node-1' }]);
  });

  test('come by the newer API where the older one is refused, with the count of their series', async () => {
    const event = objectOf(
      'events.k8s.io/v1',
      'Event',
      { name: 'x', namespace: 'shop' },
      {
        regarding: { kind: 'Pod', name: 'checkout-1', namespace: 'shop' },
        reason: 'FailedScheduling',
        note: 'no nodes available',
        type: 'Warning',
        eventTime: '2026-01-01T09:55:00.000000Z',
        series: { count: 12, lastObservedTime: '2026-01-01T09:59:00.000000Z' },
      },
    );
    const telemetry = await gatherFrom({
      objects: [event],
      forbids: ({ group, resource }) => resource === 'events' && group === '',
    });
    expect(telemetry.events).toMatchObject([
      {
        reason: 'FailedScheduling',
        message: 'no nodes available',
        count: 12,
        timeMs: Date.parse('2026-01-01T09:59:00Z'),
      },
    ]);
    expect(telemetry.gaps).toEqual([]);
  });

  test('that neither API shows are a gap', async () => {
    const telemetry = await gatherFrom({ objects: [late], forbids: ({ resource }) => resource === 'events' });
    expect(messagesOf(telemetry)).toContainEqual(expect.stringMatching(/events in shop may not be listed/));
  });

  test('a query is answered out of what the API can choose by itself', async () => {
    const provider = await kubernetes.start({ objects: [late, early, old] });
    const answer = await provider.queryEvents?.(
      { ...window, object: 'Pod/checkout-1', reason: 'BackOff', limit: 10 },
      unbounded(),
    );
    expect(answer?.items).toMatchObject([{ reason: 'BackOff' }]);
    expect(
      kubernetes
        .asked()
        .find(({ plural }) => plural === 'events')
        ?.params.get('fieldSelector'),
    ).toBe('involvedObject.name=checkout-1,involvedObject.kind=Pod,reason=BackOff');
  });
});
