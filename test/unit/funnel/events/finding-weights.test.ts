import { describe, expect, test } from '@jest/globals';
import { container, setStatus, whileStarting } from './rule-cases.ts';
import { afterChange, at, find, findingsOf, healthyShop, node, pod, reasonsOf, type Json } from './shop-cluster.ts';

test('a healthy cluster has no findings', () => {
  expect(findingsOf(healthyShop())).toEqual([]);
});

describe('weights of findings', () => {
  const lastOom = (finishedAt: string | undefined) =>
    afterChange(setStatus('cart', { lastState: { terminated: { reason: 'OOMKilled', exitCode: 137, finishedAt } } }))[0]
      ?.severity;

  test('C5: a last end fades with its age, and counts almost in full without a time', () => {
    expect(lastOom(at(-60))).toBeCloseTo(0.95);
    expect(lastOom(at(-3600))).toBeLessThan(0.45);
    expect(lastOom(at(-86_400))).toBeLessThan(0.1);
    expect(lastOom(undefined)).toBeCloseTo(0.95 * 0.9);
  });

  test('restarts without a time never weigh more than .3', () => {
    const [finding] = afterChange(setStatus('cart', { restartCount: 40 }));
    expect(finding?.severity).toBeCloseTo(0.3);
  });

  test('one bad pod of four weighs less than the only one, and is one finding', () => {
    const bad = { ready: false, state: { waiting: { reason: 'CrashLoopBackOff' } } };
    const alone = afterChange(setStatus('cart', bad)).find(({ key }) => key.includes('CrashLoop'));
    const oneOfFour = afterChange((objects) => {
      setStatus('cart', bad)(objects);
      for (const suffix of ['aaaa2', 'bbbb2', 'cccc2']) objects.push(pod(`cart-7d9f8b6c5d-${suffix}`, 'cart'));
    }).filter(({ key }) => key.includes('CrashLoop'));
    expect(oneOfFour).toHaveLength(1);
    expect(oneOfFour[0]?.severity).toBeLessThan(alone?.severity ?? 0);
  });

  test('what running pods needed was there when they started: a latent fault weighs less', () => {
    const missing = (objects: Json[]) =>
      void (container(objects, 'cart')['envFrom'] = [{ configMapRef: { name: 'gone' } }]);
    expect(afterChange(missing)[0]?.severity).toBeCloseTo(0.4);
    expect(afterChange(whileStarting(missing))[0]?.severity).toBeCloseTo(1);
  });

  test('one closed port of several weighs less than the only one', () => {
    const ports = (list: Json[]) => (objects: Json[]) => void (find(objects, 'Service', 'cart')['spec'].ports = list);
    const closed = { port: 81, targetPort: 9999 };
    expect(afterChange(ports([closed]))[0]?.severity).toBeCloseTo(0.9);
    expect(afterChange(ports([closed, { port: 80, targetPort: 8080 }]))[0]?.severity).toBeCloseTo(0.5);
  });

  test('a condition of yesterday weighs less than one of a minute ago', () => {
    const unreadySince = (lastTransitionTime: string) =>
      afterChange((objects) => {
        setStatus('cart', { ready: false })(objects);
        find(objects, 'Pod', 'cart')['status'].conditions = [{ type: 'Ready', status: 'False', lastTransitionTime }];
      })[0]?.severity;
    expect(unreadySince(at(-60))).toBeCloseTo(0.6);
    expect(unreadySince(at(-86_400))).toBeCloseTo(0.36);
  });

  test('a pod and its Deployment with the same missing reference are one finding', () => {
    const reference = [{ configMapRef: { name: 'gone' } }];
    const findings = afterChange((objects) => {
      container(objects, 'cart')['envFrom'] = reference;
      find(objects, 'Deployment', 'cart')['spec'].template.spec.containers[0].envFrom = reference;
    });
    expect(findings.map(({ key }) => key)).toEqual(['state:Deployment/cart/MissingConfigMap gone']);
  });
});

describe('flat pod summaries', () => {
  test.each([
    [
      { kind: 'Pod', name: 'cart-7d9f8b6c5d-x2x4z', namespace: 'shop', status: 'CrashLoopBackOff', restarts: 12 },
      'CrashLoopBackOff',
    ],
    [
      {
        kind: 'Pod',
        metadata: {
          name: 'cart-7d9f8b6c5d-x2x4z',
          annotations: { 'recording/status': 'Running', 'recording/ready': '0/1' },
        },
      },
      'NotReady',
    ],
    [{ kind: 'Pod', name: 'cart-7d9f8b6c5d-x2x4z', restarts: 3 }, 'restarts'],
    [{ kind: 'Deployment', name: 'cart', desired: 2, available: 1 }, 'ReplicasMissing'],
  ])('%j shows %s', (object, reason) => {
    expect(reasonsOf(findingsOf([object]))).toEqual([reason]);
  });

  test('a pod that is ready is no finding', () => {
    const row = {
      kind: 'Pod',
      metadata: {
        name: 'cart-7d9f8b6c5d-x2x4z',
        annotations: { 'recording/status': 'Running', 'recording/ready': '1/1' },
      },
    };
    expect(findingsOf([row, node('node-a')])).toEqual([]);
  });
});
