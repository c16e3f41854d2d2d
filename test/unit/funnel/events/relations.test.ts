import { describe, expect, test } from '@jest/globals';
import type { Labels } from '../../../../src/domain/labels.ts';
import { setStatus } from './rule-cases.ts';
import { at, deployment, event, find, healthyShop, pod, read, type Json } from './shop-cluster.ts';

const loop = (finishedAt: string, restartCount: number): Json => ({
  ready: false,
  restartCount,
  state: { waiting: { reason: 'CrashLoopBackOff' } },
  lastState: { terminated: { reason: 'Error', exitCode: 1, finishedAt } },
});

const severityOf = (objects: Json[], key: string, telemetry: object = {}): number =>
  read({ objects, ...telemetry }).findings.find((finding) => finding.key.includes(key))?.severity ?? 0;

/** The shop with another workload that does not run. */
const beside = (name: string): Json[] => [
  ...healthyShop(),
  deployment(name, {}, { availableReplicas: 0, readyReplicas: 0 }),
  pod(`${name}-7d9f8b6c5d-q8w7r`, name, loop(at(-30), 3), {}, { conditions: [{ type: 'Ready', status: 'False' }] }),
];

describe('what can matter to the alert', () => {
  test('a broken workload that no call joins with the alerting service weighs little', () => {
    const related = healthyShop();
    setStatus('store', loop(at(-30), 3))(related);
    expect(severityOf(related, 'CrashLoop')).toBeCloseTo(0.9);
    expect(severityOf(beside('preview'), 'CrashLoop')).toBeCloseTo(0.18);
  });

  test('where nothing is known of calls it weighs in full', () => {
    const noCalls = { topology: { services: [], edges: [] } };
    expect(severityOf(beside('preview'), 'CrashLoop', noCalls)).toBeCloseTo(0.9);
  });

  test('an oddity that ready pods have had since all were started weighs little, more when they are new with it', () => {
    const objects = healthyShop();
    const [cart, changed] = [find(objects, 'Pod', 'cart'), structuredClone(objects)];
    cart['spec'].containers[0].env = [{ name: 'ASSISTANT_ADDR', value: 'assistant:80' }];
    Object.assign(find(changed, 'Pod', 'cart'), structuredClone(cart));
    find(changed, 'Pod', 'cart')['metadata'].creationTimestamp = at(-300);
    expect(severityOf(objects, 'NoService')).toBeLessThan(0.35);
    expect(severityOf(changed, 'NoService')).toBeCloseTo(0.8);
  });

  test('a loop that has taken hours by its number of restarts is old', () => {
    const objects = healthyShop();
    const restarts = { ...loop(at(-30), 60) };
    Object.assign(find(objects, 'Pod', 'cart')['status'].containerStatuses[0], restarts);
    expect(severityOf(objects, 'CrashLoop')).toBeLessThan(0.6);
  });

  test('a failed job weighs little, more when it runs an image of what is related to the alert', () => {
    const job = (image: string): Json => ({
      kind: 'Job',
      metadata: { name: 'migrate', namespace: 'shop' },
      spec: { template: { spec: { containers: [{ name: 'run', image }] } } },
      status: { conditions: [{ type: 'Failed', status: 'True', reason: 'BackoffLimitExceeded' }] },
    });
    const [of, stray] = ['cart:1.1', 'toolbox:7'].map((image) =>
      severityOf([...healthyShop(), job(image)], 'BackoffLimit'),
    );
    expect(of).toBeGreaterThan(2 * (stray ?? 1));
  });

  test('an event of which hundreds were counted began hours ago', () => {
    const severity = (count: number) => read({ events: [event({ count })] }).findings[0]?.severity ?? 0;
    expect(severity(3)).toBeCloseTo(0.9);
    expect(severity(300)).toBeCloseTo(0.45);
  });

  test('things of other namespaces and add-ons of the cluster weigh less, its vital parts do not', () => {
    const lost = (name: string, namespace: string): Json => ({
      ...pod(`${name}-7d9f8b6c5d-q8w7r`, name, loop(at(-30), 3)),
      metadata: { name: `${name}-7d9f8b6c5d-q8w7r`, namespace, labels: { app: name } },
    });
    const severity = (name: string, namespace: string, labels: Labels = { namespace: 'shop' }) =>
      read({ objects: [...healthyShop(), lost(name, namespace)] }, undefined, { labels }).findings.find(
        ({ service, key }) => service === name && key.includes('CrashLoop'),
      )?.severity ?? 0;
    expect(severity('coredns', 'kube-system')).toBeGreaterThanOrEqual(0.9 * 0.6);
    expect(severity('metrics-server', 'kube-system')).toBeLessThan(0.4);
    expect(severity('grafana', 'monitoring')).toBeLessThan(0.4);
    // The exporter runs there, and tells of the shop.
    const told = { namespace: 'monitoring', exported_namespace: 'shop' };
    expect(severity('grafana', 'monitoring', told)).toBeLessThan(0.4);
  });
});

describe('changes that objects tell of', () => {
  const changes = (change: (objects: Json[]) => void) => {
    const objects = healthyShop();
    for (const object of objects) object['metadata'].creationTimestamp ??= at(-86_400);
    change(objects);
    return read({ objects }).findings.filter(({ evidence }) => evidence.kind === 'change');
  };

  test('an object that was made long after its neighbours', () => {
    const [found] = changes(
      (objects) => void (find(objects, 'Service', 'cart')['metadata'].creationTimestamp = at(-200)),
    );
    expect(found).toMatchObject({ service: 'cart', severity: 0.5 });
  });

  test('a workload all of whose pods are new', () => {
    const [found] = changes((objects) => void (find(objects, 'Pod', 'cart')['metadata'].creationTimestamp = at(-200)));
    expect(found?.evidence.statement).toContain('all pods of Deployment cart were started anew');
  });

  test('nothing in a cluster that is young as a whole', () => {
    const found = changes((objects) => {
      for (const object of objects) object['metadata'].creationTimestamp = at(-200);
    });
    expect(found).toEqual([]);
  });
});
