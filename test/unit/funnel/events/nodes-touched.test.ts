import { describe, expect, test } from '@jest/globals';
import type { Labels } from '../../../../src/domain/labels.ts';
import { NO_TELEMETRY } from '../../../../src/domain/telemetry.ts';
import { readState } from '../../../../src/funnel/events/read-state.ts';
import { modelIncident } from '../../../../src/funnel/incident-model.ts';
import { at, event, find, healthyShop, incident, node, pod, reasonsOf, TRIGGER_MS, type Json } from './shop-cluster.ts';

const FULL = [
  { type: 'Ready', status: 'True' },
  { type: 'DiskPressure', status: 'True', lastTransitionTime: at(-60) },
];

/** The healthy shop and a third node, whose disk is full. */
function withFullNode(change: (objects: Json[]) => void = () => undefined): Json[] {
  const objects = [...healthyShop(), node('node-c', FULL)];
  change(objects);
  return objects;
}

function blamed(objects: readonly Json[], labels: Labels = {}, events = [event({ reason: 'Pulled', type: 'Normal' })]) {
  const service = labels['node'] === undefined ? 'frontend' : labels['node'];
  const firing = incident({ service, labels: { namespace: 'shop', ...labels } });
  const model = modelIncident(firing, { ...NO_TELEMETRY, objects, events });
  const { findings, layer } = readState(model, { eventWindowMs: 300_000 });
  const told = layer.items.map(({ evidence }) => evidence.statement).join('\n');
  const weights = new Map(findings.map((finding) => [finding.service, finding.severity]));
  return { findings: findings.filter((finding) => finding.service === 'node-c'), told, weights };
}

describe("a node's trouble counts where the alert's namespace has to do with it", () => {
  test('C4: a node on which nothing of it runs is no lead and not in the brief', () => {
    const { findings, told } = blamed(withFullNode());
    expect(findings).toEqual([]);
    expect(told).not.toContain('node-c');
  });

  test.each<readonly [why: string, change: (objects: Json[]) => void]>([
    ['a pod runs there', (objects) => void (find(objects, 'Pod', 'cart')['spec'].nodeName = 'node-c')],
    [
      'a pod was driven away from there',
      (objects) => {
        const evicted = pod('cart-7d9f8b6c5d-k8w2q', 'cart', {}, { nodeName: 'node-c' }, { phase: 'Failed' });
        objects.push({ ...evicted, status: { phase: 'Failed', reason: 'Evicted' } });
      },
    ],
    [
      'a pod waits that might run there',
      (objects) => {
        const waiting = find(objects, 'Pod', 'cart');
        waiting['spec'] = { nodeSelector: { disk: 'ssd' }, containers: waiting['spec'].containers };
        waiting['status'] = { phase: 'Pending' };
      },
    ],
    [
      'DNS runs there',
      (objects) => {
        const dns = pod('coredns-5d78c9869d-x7c2v', 'coredns', {}, { nodeName: 'node-c' });
        objects.push({ ...dns, metadata: { ...dns['metadata'], namespace: 'kube-system' } });
      },
    ],
    ['it is not known where a pod runs', (objects) => void delete find(objects, 'Pod', 'cart')['spec'].nodeName],
    ['no pods were read', (objects) => void objects.splice(0, objects.length, node('node-c', FULL))],
  ])('C4: it does when %s', (_, change) => {
    expect(reasonsOf(blamed(withFullNode(change)).findings)).toContain('DiskPressure');
  });

  test('C4: it does when an event of the namespace came from there', () => {
    const killing = event({ reason: 'Killing', type: 'Normal', node: 'node-c', timeMs: TRIGGER_MS - 120_000 });
    expect(reasonsOf(blamed(withFullNode(), {}, [killing]).findings)).toContain('DiskPressure');
  });

  test('C4: a pod that waits for nodes of another kind has nothing to do with it', () => {
    const objects = withFullNode((all) => {
      const waiting = find(all, 'Pod', 'cart');
      waiting['spec'] = { nodeSelector: { disk: 'hdd' }, containers: waiting['spec'].containers };
      waiting['status'] = { phase: 'Pending' };
    });
    expect(blamed(objects).findings).toEqual([]);
  });
});

describe('pods that their node drove away', () => {
  const evicted = (message: string) =>
    blamed([...healthyShop(), node('node-c')], {}, [event({ reason: 'Evicted', node: 'node-c', message })]);

  test('C4: tell of the node, also when it has recovered since', () => {
    expect(reasonsOf(evicted('The node was low on resource: memory.').findings)).toEqual(['Evicted']);
  });

  test('C4: tell of no node when others took their place', () => {
    expect(evicted('Preempted by pod 12 on node node-c').findings).toEqual([]);
  });
});

describe('an alert about a node', () => {
  const broken = (objects: Json[]) => {
    find(objects, 'Pod', 'store')['status'].containerStatuses[0] = {
      name: 'server',
      ready: false,
      restartCount: 4,
      state: { waiting: { reason: 'CrashLoopBackOff' } },
    };
  };

  test.each<readonly [how: string, labels: Labels]>([
    ['its name', { alertname: 'KubeNodePressure', node: 'node-c' }],
    ['its name in the namespace of the exporter', { alertname: 'KubeNodeNotReady', node: 'node-c', namespace: 'ops' }],
  ])('C4: by %s weighs the node more than what is broken elsewhere', (_, labels) => {
    const { weights } = blamed(withFullNode(broken), labels);
    expect(weights.get('node-c')).toBeGreaterThan(0.8);
    expect(weights.get('store')).toBeUndefined();
  });

  test('C4: what is broken on the node is a hint at most, and what is rolled out elsewhere is none', () => {
    const objects = withFullNode((all) => {
      find(all, 'Node', 'node-c')['status'].conditions = [{ type: 'Ready', status: 'True' }];
      find(all, 'Pod', 'cart')['spec'].nodeName = 'node-c';
      find(all, 'Pod', 'cart')['status'].containerStatuses[0].state = { waiting: { reason: 'CrashLoopBackOff' } };
    });
    const { weights } = blamed(objects, { alertname: 'KubeNodeNotReady', node: 'node-c' });
    expect(weights.get('cart')).toBeLessThan(0.1);
    expect([...weights.keys()].filter((service) => service !== 'cart')).toEqual([]);
  });
});
