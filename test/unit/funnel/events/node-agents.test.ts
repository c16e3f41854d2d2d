import { describe, expect, test } from '@jest/globals';
import { setStatus } from './rule-cases.ts';
import { event, find, healthyShop, node, pod, read, TRIGGER_MS, type Json } from './shop-cluster.ts';

/** A pod of a daemon set in kube-system, of which the container crashes or works. */
function agentOn(nodeName: string, name: string, isWorking: boolean): Json {
  const suffix = nodeName === 'node-a' ? 'x2x4z' : 'q8w7r';
  const crashing = { ready: false, restartCount: 4, state: { waiting: { reason: 'CrashLoopBackOff' } } };
  const unready = { conditions: [{ type: 'Ready', status: 'False' }] };
  const agent = pod(`${name}-${suffix}`, name, isWorking ? {} : crashing, { nodeName }, isWorking ? {} : unready);
  agent['metadata'].namespace = 'kube-system';
  agent['metadata'].ownerReferences = [{ kind: 'DaemonSet', name, controller: true }];
  return agent;
}

type Broken = 'node-a' | 'node-b' | 'none';
const agents = (name: string, broken: Broken): Json[] =>
  ['node-a', 'node-b'].map((nodeName) => agentOn(nodeName, name, nodeName !== broken));

const severityOf = (objects: Json[], key: string, events = [] as ReturnType<typeof event>[]): number =>
  read({ objects, events }).findings.find((finding) => finding.key.includes(key))?.severity ?? 0;

describe('a node that waits for its network plugin', () => {
  const unready = (broken: Broken, message: string): Json[] => {
    const condition = { type: 'Ready', status: 'False', reason: 'KubeletNotReady', message };
    const others = healthyShop().filter(({ kind, metadata }) => kind !== 'Node' || metadata.name !== 'node-b');
    return [...others, node('node-b', [condition]), ...agents('calico-node', broken)];
  };
  const noPlugin =
    'container runtime network not ready: NetworkReady=false reason:NetworkPluginNotReady message:Network plugin returns error: cni plugin not initialized';
  const severity = (broken: Broken, message: string) =>
    severityOf(unready(broken, message), 'Node/node-b/NodeNotReady');

  test('gives way to the plugin whose pod there crashes', () => {
    expect(severity('node-b', noPlugin)).toBeCloseTo(0.95 * 0.6);
  });

  test('does not where the plugin works there, or the node says another reason', () => {
    expect(severity('none', noPlugin)).toBeCloseTo(0.95);
    expect(severity('node-a', noPlugin)).toBeCloseTo(0.95);
    expect(severity('node-b', 'PLEG is not healthy: pleg was last seen active 5m ago')).toBeCloseTo(0.95);
  });
});

describe('a volume that waits for its driver', () => {
  const noDriver =
    'MountVolume.MountDevice failed for volume "data" : kubernetes.io/csi: attacher.MountDevice failed to create newCsiDriverClient: driver name disk.example.com not found in the list of registered CSI drivers';
  const waiting = (broken: Broken): Json[] => {
    const objects = healthyShop();
    setStatus('store', { ready: false, state: { waiting: { reason: 'ContainerCreating' } } })(objects);
    find(objects, 'Pod', 'store')['metadata'].creationTimestamp = new Date(TRIGGER_MS - 300_000).toISOString();
    return [...objects, ...agents('disk-csi-node', broken)];
  };
  const mount = (message: string) => [
    event({ objectName: 'store-7d9f8b6c5d-x2x4z', reason: 'FailedMount', message, count: 4 }),
  ];
  const stuck = (broken: Broken, message: string) => severityOf(waiting(broken), 'StuckCreating', mount(message));
  const alone = stuck('none', noDriver);

  test('gives way, with all that follows for its pod, to the driver whose pod on the node crashes', () => {
    expect(stuck('node-b', noDriver)).toBeCloseTo(alone * 0.6);
    expect(severityOf(waiting('node-b'), 'FailedMount', mount(noDriver))).toBeCloseTo(0.9 * 0.6);
  });

  test('does not where the driver crashes on another node, or the volume fails for a reason of its own', () => {
    expect(alone).toBeGreaterThan(0.5);
    expect(stuck('node-a', noDriver)).toBeCloseTo(alone);
    expect(stuck('node-b', 'MountVolume.SetUp failed for volume "data" : secret "keys" not found')).toBeCloseTo(alone);
  });
});
