import { describe, expect, test } from '@jest/globals';
import * as fc from 'fast-check';
import type { ClusterEvent } from '../../../../src/domain/telemetry.ts';
import { setStatus } from './rule-cases.ts';
import { at, event, find, findingsOf, healthyShop, node, pod, read, TRIGGER_MS, type Json } from './shop-cluster.ts';

const objects = healthyShop();
const layerOf = (events: readonly ClusterEvent[]) => read({ objects, events }).layer;
const keysOf = (events: readonly ClusterEvent[]) => layerOf(events).items.map(({ key }) => key);

describe('events in the brief', () => {
  test('C4: only the failing service, what it calls directly, and the nodes under them', () => {
    const events = [
      event({ objectName: 'frontend-7d9f8b6c5d-x2x4z' }),
      event({ objectName: 'cart-7d9f8b6c5d-x2x4z' }),
      event({ objectName: 'store-7d9f8b6c5d-x2x4z' }),
      event({ objectKind: 'Node', objectName: 'node-a', reason: 'NodeNotReady', namespace: '' }),
      event({ objectKind: 'Node', objectName: 'node-b', reason: 'NodeNotReady', namespace: '' }),
    ];
    expect(keysOf(events)).toEqual([
      'event:Pod/shop/frontend/BackOff',
      'event:Pod/shop/cart/BackOff',
      'event:Node/node-a/NodeNotReady',
    ]);
    expect(layerOf(events).notes).toEqual(['Left out: 2 events of unrelated services.']);
  });

  test('C4: Lifecycle and Warning kinds only', () => {
    const events = [
      event({ type: 'Normal', reason: 'Pulling' }),
      event({ type: 'Normal', reason: 'Killing', message: 'Stopping container server' }),
      event({ type: 'Lifecycle', reason: 'Drained' }),
    ];
    expect(keysOf(events).toSorted()).toEqual(['event:Pod/shop/cart/Drained', 'event:Pod/shop/cart/Killing']);
    expect(layerOf(events).notes).toEqual(['Left out: 1 event of routine kinds.']);
  });

  test('C4: merged by reason and object; the pods of one workload are one object', () => {
    const events = [
      event({ count: 4, timeMs: TRIGGER_MS - 90_000 }),
      event({ count: 2, timeMs: TRIGGER_MS - 30_000, objectName: 'cart-7d9f8b6c5d-b2b4c' }),
      event({ reason: 'Unhealthy', message: 'Readiness probe failed' }),
    ];
    const items = layerOf(events).items;
    expect(items).toHaveLength(2);
    const merged = items.find(({ key }) => key.endsWith('/BackOff'))?.evidence;
    expect(merged?.statement).toBe(
      'Warning BackOff × 6 over 60 s on Pod cart-7d9f8b6c5d-b2b4c and 1 more: Back-off restarting failed container',
    );
    expect(merged?.numbers).toEqual([6]);
    expect(merged?.atMs).toBe(TRIGGER_MS - 30_000);
  });

  test('C4: the same in two namespaces is two pieces of evidence', () => {
    const keys = keysOf([event(), event({ namespace: 'staging' })]);
    expect(new Set(keys).size).toBe(2);
  });

  test('C5: counts within the window on both sides of the trigger, not one second beyond', () => {
    const seconds = [-301, -300, 300, 301];
    const events = seconds.map((s) => event({ reason: `R${s}`, timeMs: TRIGGER_MS + s * 1000 }));
    expect(keysOf(events).toSorted()).toEqual(['event:Pod/shop/cart/R-300', 'event:Pod/shop/cart/R300']);
    expect(layerOf(events).notes).toEqual(['Left out: 2 events outside 300 s of the alert.']);
  });

  test('C5: an event of the same kind inside the window does not bring in one outside', () => {
    const events = [event({ count: 9, timeMs: TRIGGER_MS - 3_600_000 }), event({ count: 2 })];
    expect(layerOf(events).items[0]?.evidence.numbers).toEqual([2]);
    expect(layerOf(events).notes).toEqual(['Left out: 1 event outside 300 s of the alert.']);
  });

  test('C5: what was left out can still be had, merged in the same way', () => {
    const old = event({ timeMs: TRIGGER_MS - 900_000 });
    const { left } = read({ objects, events: [old, old, event(), event({ objectName: 'store-7d9f8b6c5d-x2x4z' })] });
    expect(left.map(({ key }) => key).toSorted()).toEqual([
      'event:Pod/shop/cart/BackOff/left out',
      'event:Pod/shop/store/BackOff',
    ]);
    expect(left.find(({ key }) => key.includes('cart'))?.evidence.numbers).toEqual([2]);
  });

  test('C5: a finding of the ranker states only what the brief may show', () => {
    const events = [event({ count: 9, timeMs: TRIGGER_MS - 3_600_000 }), event({ count: 2 })];
    expect(read({ objects, events }).findings[0]?.evidence.numbers).toEqual([2]);
  });

  test('C5: weight decays with distance in time', () => {
    const weights = [0, -100, -290].map(
      (s) => layerOf([event({ timeMs: TRIGGER_MS + s * 1000 })]).items[0]?.weight ?? 0,
    );
    expect(weights[0]).toBeGreaterThan(weights[1] ?? 0);
    expect(weights[1]).toBeGreaterThan(weights[2] ?? 0);
  });

  test('C5: every exclusion is counted by its reason', () => {
    const events = [
      ...Array.from({ length: 9 }, () => event({ timeMs: TRIGGER_MS - 900_000 })),
      ...Array.from({ length: 14 }, () => event({ objectName: 'store-7d9f8b6c5d-x2x4z' })),
      event({ timeMs: Number.NaN }),
    ];
    expect(layerOf(events).notes).toEqual([
      'Left out: 9 events outside 300 s of the alert, 14 events of unrelated services, 1 event without a time.',
    ]);
  });

  test('C4: hundreds of thousands of events of one kind are one event', () => {
    const events = Array.from({ length: 200_000 }, (_, i) => event({ timeMs: TRIGGER_MS - (i % 60_000) }));
    expect(layerOf(events).items.map(({ evidence }) => evidence.numbers)).toEqual([[200_000]]);
  });

  test.each([
    ['Pod', 'kubectl -n shop describe pod cart-7d9f8b6c5d-x2x4z'],
    ['Rollout', undefined],
    ['process', undefined],
  ])('an event about a %s is looked at with a command only where Kubernetes has such a thing', (objectKind, query) => {
    const [item] = layerOf([event({ objectKind })]).items;
    expect(item?.evidence.query).toBe(query);
  });

  test('without a call graph nothing is pruned by topology, and the reader is told', () => {
    const reading = read({
      events: [event({ objectName: 'store-7d9f8b6c5d-x2x4z' })],
      topology: { services: [], edges: [] },
    });
    expect(reading.layer.items).toHaveLength(1);
    expect(reading.layer.notes[0]).toContain('All services are looked at');
  });
});

describe('events as findings for the ranker', () => {
  const severity = (fields: Partial<ClusterEvent>) => read({ events: [event(fields)] }).findings[0]?.severity ?? 0;

  test('services outside the neighbourhood count too', () => {
    expect(read({ objects, events: [event({ objectName: 'store-7d9f8b6c5d-x2x4z' })] }).findings[0]?.service).toBe(
      'store',
    );
  });

  test('C5: an older event weighs less, one known from long before half of that', () => {
    expect(severity({})).toBeCloseTo(0.9);
    expect(severity({ firstTimeMs: TRIGGER_MS - 1_000_000 })).toBeCloseTo(0.45);
    expect(severity({ timeMs: TRIGGER_MS - 7_200_000 })).toBeLessThan(0.2);
  });

  test('polarity: what a Normal event reports is no problem, whatever its words', () => {
    expect(
      severity({ type: 'Normal', reason: 'Healthy', message: 'Readiness probe failed 0 times, no longer Unhealthy' }),
    ).toBe(0);
  });

  test('a warning of clusters that work weighs next to nothing, an unknown one something', () => {
    expect(severity({ reason: 'DNSConfigForming', message: 'Nameserver limits were exceeded' })).toBeLessThanOrEqual(
      0.1,
    );
    expect(severity({ reason: 'SomethingNew', message: '' })).toBeCloseTo(0.35);
  });

  test('a node that is not ready is at fault before what runs on it', () => {
    const events = [event({ objectKind: 'Node', objectName: 'node-b', reason: 'NodeNotReady', namespace: '' })];
    expect(read({ objects, events }).findings.map(({ service }) => service)).toEqual(['node-b', 'store']);
  });

  test('an event about a claim concerns whose pods mount it', () => {
    const list = healthyShop();
    find(list, 'Pod', 'cart')['spec'].volumes = [{ name: 'data', persistentVolumeClaim: { claimName: 'cart-data' } }];
    const events = [
      event({ objectKind: 'PersistentVolumeClaim', objectName: 'cart-data', reason: 'ProvisioningFailed' }),
    ];
    expect(read({ objects: list, events }).findings.map(({ service }) => service)).toEqual(['cart']);
  });

  test('what the newest state contradicts is over', () => {
    const [over] = read({ objects, events: [event()] }).findings;
    expect(over?.severity).toBeLessThan(0.5 * severity({}));
  });

  test('a refusal without a time counts in full while the set of pods still shows it', () => {
    const refused = event({
      objectKind: 'ReplicaSet',
      objectName: 'cart-7d9f8b6c5d',
      reason: 'FailedCreate',
      timeMs: NaN,
    });
    const severityWhile = (status: 'True' | 'False') => {
      const list = healthyShop().filter(({ kind }) => kind !== 'Pod');
      find(list, 'ReplicaSet', 'cart')['status'].conditions = [{ type: 'ReplicaFailure', status }];
      return read({ objects: list, events: [refused] }).findings.find(({ key }) => key.startsWith('event:'))?.severity;
    };
    expect(severityWhile('True')).toBeCloseTo(0.9);
    expect(severityWhile('False')).toBeCloseTo(0.9 * 0.6);
  });
});

describe('cause before consequence', () => {
  const notReady = { ready: false, state: { running: { startedAt: at(-600) } } };
  const first = (...changes: readonly ((list: Json[]) => void)[]) => {
    const list = healthyShop();
    for (const change of changes) change(list);
    return read({ objects: list }).findings[0]?.service;
  };
  const badImage = setStatus('store', { ready: false, state: { waiting: { reason: 'ImagePullBackOff' } } });

  test('a failing probe gives way to the broken dependency behind it, however far', () => {
    expect(first(setStatus('frontend', notReady), setStatus('cart', notReady), badImage)).toBe('store');
  });

  test('a pod gives way to the node under it', () => {
    const dead = (list: Json[]) =>
      void (find(list, 'Node', 'node-b')['status'].conditions = [{ type: 'Ready', status: 'Unknown' }]);
    expect(first(setStatus('store', notReady), dead)).toBe('node-b');
  });

  test('a dependency is known from an address in the configuration too', () => {
    const list = healthyShop();
    find(list, 'Pod', 'cart')['spec'].containers[0].env = [{ name: 'STORE_ADDR', value: 'store:80' }];
    setStatus('cart', { ready: false, state: { waiting: { reason: 'CrashLoopBackOff' } } })(list);
    badImage(list);
    const { findings } = read({ objects: list, topology: { services: [], edges: [] } });
    const crash = findings.find(({ key }) => key.includes('CrashLoop'));
    expect(crash?.severity).toBeCloseTo(0.9 * 0.6);
  });
});

describe('changes', () => {
  const change = (minutes: number, service = 'cart') => ({
    timeMs: TRIGGER_MS - minutes * 60_000,
    service,
    kind: 'deployment',
    summary: 'v2 rolled out',
  });
  const rollout = (secondsFromTrigger: number): Json[] => [
    ...healthyShop(),
    {
      kind: 'ReplicaSet',
      metadata: {
        name: 'cart-66aa77bb88',
        namespace: 'shop',
        creationTimestamp: at(secondsFromTrigger),
        ownerReferences: [{ kind: 'Deployment', name: 'cart', controller: true }],
      },
      spec: { replicas: 1, template: { spec: { containers: [{ name: 'server', image: 'cart:2.0' }] } } },
      status: { replicas: 1 },
    },
  ];
  const withImage = (sets: Json[]) => {
    find(sets, 'ReplicaSet', 'cart-7d9f8b6c5d')['spec'].template = {
      spec: { containers: [{ name: 'server', image: 'cart:1.0' }] },
    };
    return sets;
  };

  test('the nearer before the alert, the graver; after it, none', () => {
    const severities = [5, 30, 120, 600].map(
      (minutes) => read({ changes: [change(minutes)] }).findings[0]?.severity ?? 0,
    );
    expect(severities).toEqual(severities.toSorted((a, b) => b - a));
    expect(severities[0]).toBe(0.5);
    expect(read({ changes: [change(-10)] }).findings).toEqual([]);
  });

  test('a change of a service further down the chain stays in the brief, one of a stranger is counted', () => {
    const { layer } = read({
      changes: [change(5, 'store'), change(5, 'billing'), { ...change(6), service: undefined }],
    });
    expect(layer.items.map(({ evidence }) => evidence.service)).toEqual(['store', undefined]);
    expect(layer.notes).toEqual(['Left out: 1 change of unrelated services.']);
  });

  test('two changes of one service at one moment, or without any, are two pieces of evidence', () => {
    for (const timeMs of [TRIGGER_MS - 60_000, Number.NaN]) {
      const changes = ['v2 rolled out', 'memory limit 1Gi → 512Mi'].map((summary) => ({
        ...change(1),
        timeMs,
        summary,
      }));
      const { layer } = read({ changes });
      expect(new Set(layer.items.map(({ key }) => key)).size).toBe(2);
    }
  });

  test.each([
    ['config', 'cart configuration: pool_max changed from 16 to 2'],
    ['config', 'config of cart: pool_max changed from 16 to 2'],
    ['feature', 'Cart feature: pool_max changed from 16 to 2'],
    ['config', 'cart: pool_max changed from 16 to 2'],
    ['config', 'pool_max changed from 16 to 2'],
  ])('of a %s said as "%s", kind and service are named once', (kind, summary) => {
    const [item] = read({ changes: [{ ...change(1), kind, summary }] }).layer.items;
    expect(item?.evidence.statement).toBe(`${kind} of cart: pool_max changed from 16 to 2`);
  });

  test('a summary of nothing but the name is kept', () => {
    const [item] = read({ changes: [{ ...change(1), kind: 'config', summary: 'cart:' }] }).layer.items;
    expect(item?.evidence.statement).toBe('config of cart: cart:');
  });

  test('a new ReplicaSet beside an older one is a rollout, with what it changed', () => {
    const findings = findingsOf(withImage(rollout(-120)));
    expect(findings).toHaveLength(1);
    expect(findings[0]).toMatchObject({
      service: 'cart',
      rootCauseType: 'deployment_change',
      evidence: { kind: 'change' },
    });
    expect(findings[0]?.evidence.statement).toContain('image of server cart:1.0 → cart:2.0');
  });

  test('a rollout of yesterday, or the only ReplicaSet of a Deployment, is none', () => {
    expect(findingsOf(withImage(rollout(-90_000)))).toEqual([]);
    const only = rollout(-120).filter(({ metadata }) => metadata.name !== 'cart-7d9f8b6c5d');
    expect(findingsOf(only)).toEqual([]);
  });
});

describe('state in the brief', () => {
  test('C4: in call-chain order, conditions of strangers counted', () => {
    const broken = healthyShop();
    const crash = { ready: false, state: { waiting: { reason: 'CrashLoopBackOff' } } };
    for (const app of ['frontend', 'cart', 'store']) {
      Object.assign(find(broken, 'Pod', app)['status'].containerStatuses[0], crash);
    }
    const { layer } = read({ objects: broken });
    expect(layer.items.map(({ evidence }) => evidence.service)).toEqual(['frontend', 'cart']);
    expect(layer.notes).toEqual(['Left out: 1 condition of unrelated services.']);
  });

  test('a node under several services is one item', () => {
    const sick = [
      ...healthyShop().filter(({ metadata }) => metadata.name !== 'node-a'),
      node('node-a', [{ type: 'Ready', status: 'False' }]),
    ];
    const { layer, findings } = read({ objects: sick });
    expect(findings.map(({ service }) => service).toSorted()).toEqual(['cart', 'frontend', 'node-a']);
    expect(layer.items).toHaveLength(1);
    expect(layer.items[0]?.evidence.service).toBeUndefined();
  });

  test('text of objects comes out on one line without control or direction characters', () => {
    const evil = healthyShop();
    Object.assign(find(evil, 'Pod', 'cart')['status'].containerStatuses[0], {
      state: { waiting: { reason: 'ErrImagePull', message: 'a\nb\u001b[31mc\u202ed' } },
    });
    expect(findingsOf(evil)[0]?.evidence.statement).toMatch(/\(a bcd\)$/);
  });

  test('a name that a shell would read as more than a name gets no command', () => {
    const [finding] = findingsOf([{ kind: 'Pod', name: 'x; rm -rf /', namespace: 'shop', status: 'CrashLoopBackOff' }]);
    expect(finding?.evidence).not.toHaveProperty('query');
  });
});

test('any JSON is read without throwing', () => {
  const kinds = [
    'Pod',
    'Service',
    'Deployment',
    'ReplicaSet',
    'Node',
    'Lease',
    'NetworkPolicy',
    'ResourceQuota',
    'Endpoints',
    'Job',
  ];
  const branch = fc.dictionary(
    fc.constantFrom(
      'replicas',
      'conditions',
      'containers',
      'containerStatuses',
      'selector',
      'ports',
      'phase',
      'template',
      'hard',
      'used',
      'volumes',
      'env',
    ),
    fc.jsonValue({ maxDepth: 3 }),
  );
  const object = fc.record(
    {
      kind: fc.constantFrom(...kinds),
      metadata: fc.oneof(fc.jsonValue(), fc.record({ name: fc.string(), labels: fc.jsonValue() })),
      spec: branch,
      status: branch,
    },
    { requiredKeys: ['kind'] },
  );
  fc.assert(
    fc.property(fc.array(object, { maxLength: 8 }), (list) => {
      for (const finding of findingsOf(list)) {
        expect(finding.severity).toBeGreaterThanOrEqual(0);
        expect(finding.severity).toBeLessThanOrEqual(1);
      }
    }),
    { numRuns: 300 },
  );
});

test('pods keep the name of their workload without a topology', () => {
  const crash = { ready: false, state: { waiting: { reason: 'CrashLoopBackOff' } } };
  const { findings } = read({
    objects: [pod('billing-7d9f8b6c5d-x2x4z', 'billing', crash)],
    topology: { services: [], edges: [] },
  });
  expect(findings.map(({ service }) => service)).toEqual(['billing']);
});
