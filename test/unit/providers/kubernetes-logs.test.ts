import { describe, expect, test } from '@jest/globals';
import type { LogOptions } from '../../../src/providers/kubernetes/logs.ts';
import { incidentOf } from '../../support/incidents.ts';
import type { ImitationOptions } from '../../support/kubernetes/api-server.ts';
import { podOf } from '../../support/kubernetes/objects.ts';
import { useKubernetes } from '../../support/kubernetes/provider.ts';

const startsAtMs = Date.parse('2026-01-01T10:00:00Z');
const incident = incidentOf({ alertname: 'Down', namespace: 'shop', app: 'checkout' }, { startsAtMs });
const window = {
  fromMs: startsAtMs - 3_600_000,
  toMs: startsAtMs + 600_000,
  reference: { fromMs: startsAtMs - 3_600_000, toMs: startsAtMs - 600_000 },
};
const signal = new AbortController().signal;
const line = (minutes: number, text: string) => ({ timeMs: startsAtMs + minutes * 60_000, text });

const kubernetes = useKubernetes();
const providerOf = (options: ImitationOptions, logs: Partial<LogOptions> = {}) =>
  kubernetes.start(options, { logs: { which: 'all', mostPods: 10, mostLines: 100, ...logs } });
const gatherFrom = async (options: ImitationOptions, logs: Partial<LogOptions> = {}) =>
  (await providerOf(options, logs)).gather(incident, window, signal);

const lastEnd = { reason: 'Error', exitCode: 1, finishedAt: '2026-01-01T09:59:00Z' };
const crashed = podOf({
  name: 'checkout-7d9f8b6c5-abcde',
  owner: { kind: 'ReplicaSet', name: 'checkout-7d9f8b6c5' },
  restarts: 4,
  waiting: 'CrashLoopBackOff',
  lastEnd,
});
const healthy = podOf({ name: 'cart-0', owner: { kind: 'StatefulSet', name: 'cart' } });
const logs = {
  'shop/checkout-7d9f8b6c5-abcde/app': { previous: [line(-90, 'long ago'), line(-1, 'panic: no config')] },
  'shop/cart-0/app': { current: [line(-50, 'usual'), line(-2, 'slow'), line(-1, 'slower')] },
};
const logRequests = () => kubernetes.asked().filter(({ subresource }) => subresource === 'log');

describe('container logs', () => {
  test('of a container that waits to be started again are those of its last run, under the name of its workload', async () => {
    const { logs: lines } = await gatherFrom({ objects: [crashed], logs });
    expect(lines).toMatchObject([{ service: 'checkout', level: '', message: 'panic: no config' }]);
    expect(Math.floor((lines[0]?.timeMs ?? 0) / 1000)).toBe(startsAtMs / 1000 - 60);
    expect(logRequests().map(({ params }) => params.get('previous'))).toEqual(['true']);
  });

  test('bring a part of the fault-free time apart', async () => {
    const { logs: lines, reference } = await gatherFrom({ objects: [healthy], logs });
    expect(lines.map(({ message }) => message)).toEqual(['slow', 'slower']);
    expect(reference.logs.map(({ message }) => message)).toEqual(['usual']);
  });

  test('where a log server has the rest: only the last words of what crashed', async () => {
    const { logs: lines } = await gatherFrom({ objects: [crashed, healthy], logs }, { which: 'crashed' });
    expect(lines.map(({ service }) => service)).toEqual(['checkout']);
  });

  test('that there are none of are no gap: a container that never started, a pod that is gone', async () => {
    const starting = podOf({ name: 'new-0', restarts: 1, lastEnd });
    const gone = podOf({ name: 'gone-0' });
    const telemetry = await gatherFrom({ objects: [starting, gone], logs: { 'shop/new-0/app': {} } });
    expect(telemetry.logs).toEqual([]);
    expect(telemetry.gaps).toEqual([]);
    expect(logRequests().length).toBeGreaterThan(1);
  });

  test('are read of so many pods: those that crashed, then the service, then one of each other workload; the rest is stated', async () => {
    const others = ['a-0', 'a-1', 'b-0'].map((name) =>
      podOf({ name, owner: { kind: 'StatefulSet', name: name.slice(0, 1) } }),
    );
    const own = podOf({ name: 'checkout-7d9f8b6c5-zzzzz', owner: { kind: 'ReplicaSet', name: 'checkout-7d9f8b6c5' } });
    const telemetry = await gatherFrom({ objects: [...others, own, crashed], logs: {} }, { mostPods: 4 });
    const asked = [...new Set(logRequests().map(({ name }) => name))];
    expect(asked).toEqual(['checkout-7d9f8b6c5-abcde', 'checkout-7d9f8b6c5-zzzzz', 'a-0', 'b-0']);
    expect(telemetry.gaps.map(({ message }) => message)).toEqual([
      expect.stringMatching(/logs of 4 of 5 pods .*KUBERNETES_LOG_PODS/),
    ]);
  });

  test('of more lines the last, and that is stated', async () => {
    const many = Array.from({ length: 300 }, (_, i) => line(-5 + i / 100, `line ${i}`));
    const telemetry = await gatherFrom({ objects: [healthy], logs: { 'shop/cart-0/app': { current: many } } });
    expect(telemetry.logs).toHaveLength(100);
    expect(telemetry.logs.at(-1)?.message).toBe('line 299');
    expect(telemetry.gaps.map(({ message }) => message)).toEqual([
      expect.stringMatching(/cart-0\/app the last 100 lines .*KUBERNETES_LOG_LINES/),
    ]);
  });

  test('whose fault-free time is too long to be read whole are compared with nothing, and that is stated', async () => {
    const calm = Array.from({ length: 300 }, (_, i) => line(-50 + i / 100, 'x'.repeat(10_000)));
    const current = [...calm, line(-1, 'slow')];
    const telemetry = await gatherFrom({ objects: [healthy], logs: { 'shop/cart-0/app': { current } } });
    expect(telemetry.logs.map(({ message }) => message)).toEqual(['slow']);
    expect(telemetry.reference.logs).toEqual([]);
    expect(telemetry.gaps.map(({ message }) => message)).toEqual([expect.stringMatching(/compared with nothing/)]);
  });

  test('that RBAC forbids are one gap with the rule, and are asked for no more', async () => {
    const pods = Array.from({ length: 9 }, (_, i) => podOf({ name: `web-${i}` }));
    const telemetry = await gatherFrom({ objects: pods, forbids: ({ resource }) => resource === 'pods/log' });
    expect(telemetry.gaps).toHaveLength(1);
    expect(telemetry.gaps[0]?.message).toMatch(
      /pods\/log in shop may not be read .*resources: \["pods\/log"\], verbs: \["get"\]/,
    );
    expect(logRequests().length).toBeLessThan(9);
  });

  test('are found for a service by a query, and are searched', async () => {
    const provider = await providerOf({ objects: [crashed, healthy], logs });
    const answer = await provider.queryLogs?.({ ...window, service: 'cart', contains: 'SLOWER', limit: 5 }, signal);
    expect(answer?.items.map(({ message }) => message)).toEqual(['slower']);
  });

  test('are no offer where the settings switch them off', async () => {
    expect(await providerOf({}, { which: 'none' })).not.toHaveProperty('queryLogs');
  });
});
