import { describe, expect, test } from '@jest/globals';
import type { Change, ClusterEvent, KubernetesObject, Span } from '../../../src/domain/telemetry.ts';
import { findChanges } from '../../../src/providers/queries/find-changes.ts';
import { findEvents } from '../../../src/providers/queries/find-events.ts';
import { findObjects } from '../../../src/providers/queries/find-objects.ts';
import { findSpans } from '../../../src/providers/recording/queries/find-spans.ts';
import { createRecordingProvider } from '../../../src/providers/recording/index.ts';

const whole = { fromMs: 0, toMs: 1e15, limit: 100 };
const unbounded = () => new AbortController().signal;

describe('events of a recording', () => {
  const event = (more: Partial<ClusterEvent>): ClusterEvent => ({
    timeMs: 1000,
    type: 'Warning',
    reason: 'BackOff',
    message: 'restarting',
    objectKind: 'Pod',
    objectName: 'cart-7d9f8b6c5-x2x4z',
    ...more,
  });
  const all = [
    event({ timeMs: 5000, type: 'Normal', reason: 'Pulled' }),
    event({ timeMs: 3000, firstTimeMs: 500 }),
    event({ objectKind: 'Node', objectName: 'node-a', reason: 'NodeNotReady', timeMs: 2000 }),
    event({ objectName: 'cart-db-0', timeMs: Number.NaN }),
    event({ objectName: 'proxy', service: 'Cart', timeMs: 4000 }),
  ];
  const find = (query: Partial<Parameters<typeof findEvents>[1]>) => {
    const { items, note } = findEvents(all, { ...whole, ...query });
    return { reasons: items.map(({ timeMs, reason }) => `${reason} ${timeMs}`), note };
  };

  test('are found by service, whoever names it, and not by a longer name', () => {
    expect(find({ service: 'cart' }).reasons).toEqual(['BackOff 3000', 'BackOff 4000', 'Pulled 5000']);
  });

  test('are found by object, reason and type, with wildcards and whatever the case', () => {
    expect(find({ object: 'node/NODE-*' }).reasons).toEqual(['NodeNotReady 2000']);
    expect(find({ object: 'cart-*', type: 'normal' }).reasons).toEqual(['Pulled 5000']);
    expect(find({ reason: '*off', object: 'proxy' }).reasons).toEqual(['BackOff 4000']);
  });

  test('lie in the window when they lasted into it; without a time in every one, which is said', () => {
    expect(find({ fromMs: 600, toMs: 900 })).toEqual({
      reasons: ['BackOff NaN', 'BackOff 3000'],
      note: '1 of them carry no time',
    });
  });

  test('nothing found says what there is', () => {
    expect(find({ reason: 'OOMKilling' }).note).toContain('Reasons in this window: Pulled, BackOff, NodeNotReady');
    expect(findEvents([], whole).note).toBe('the recording holds no events');
  });
});

describe('objects of a recording', () => {
  const object = (kind: string, name: string, metadata: object = {}): KubernetesObject => ({
    kind,
    metadata: { name, namespace: 'shop', ...metadata },
  });
  const owner = { ownerReferences: [{ kind: 'ReplicaSet', name: 'cart-7d9f8b6c5', controller: true }] };
  const all = [
    object('Deployment', 'cart'),
    object('Deployment', 'cart-db'),
    object('Pod', 'cart-7d9f8b6c5-x2x4z', owner),
    object('Pod', 'odd', { labels: { app: 'cart' } }),
    object('ConfigMap', 'cart-settings'),
    object('Secret', 'cart-password'),
    object('Node', 'node-a', { namespace: undefined }),
  ];
  const names = (query: object) =>
    findObjects(all, { limit: 100, ...query }, false).items.map(
      (found) => (found['metadata'] as { name: string }).name,
    );

  test('belong to a service by name, owner, label, or as what is named after it', () => {
    expect(names({ service: 'cart' })).toEqual(['cart', 'cart-7d9f8b6c5-x2x4z', 'odd', 'cart-settings']);
  });

  test('are found by kind, name and namespace; never a Secret', () => {
    expect(names({ kind: 'deployment', name: '*-db' })).toEqual(['cart-db']);
    expect(names({ namespace: 'shop' })).toHaveLength(5);
    expect(names({ kind: 'Secret' })).toEqual([]);
    expect(findObjects(all, { kind: 'Job', limit: 9 }, false).note).toContain(
      'Kinds: Deployment 2, Pod 2, ConfigMap 1, Node 1',
    );
  });

  test('of a recording shown as of an earlier moment are said to be later', async () => {
    const provider = createRecordingProvider('test/fixtures/recordings/payments-pool', { untilAfterAlertMs: 0 });
    const { items, note } = await provider.queryObjects!({ limit: 10 }, unbounded());
    expect(items).toHaveLength(2);
    expect(note).toContain('when they were recorded, which may be later');
  });
});

test('changes of a recording are found by service and window, the last ones first kept', () => {
  const change = (timeMs: number, service?: string): Change => ({ timeMs, service, kind: 'deploy', summary: 'v2' });
  const all = [change(3, 'cart'), change(1, 'cart'), change(2), change(9, 'web')];
  const times = (query: object) => findChanges(all, { ...whole, ...query }).items.map(({ timeMs }) => timeMs);
  expect(times({ service: 'CART' })).toEqual([1, 3]);
  expect(times({ toMs: 3 })).toEqual([1, 2, 3]);
  expect(findChanges(all, { ...whole, limit: 2 })).toMatchObject({
    items: [{ timeMs: 3 }, { timeMs: 9 }],
    note: 'the last 2 of 4 matching changes',
  });
});

describe('spans of a recording', () => {
  const span = (traceId: string, startMs: number, durationMs: number, more: Partial<Span> = {}): Span => ({
    traceId,
    timeUs: startMs * 1000,
    durationUs: durationMs * 1000,
    spanId: `${traceId}${startMs}`,
    parentId: '',
    service: 'web',
    operation: 'GET /',
    ...more,
  });
  const spans = [
    span('slow', 100, 900),
    span('slow', 150, 800, { service: 'db', operation: 'SELECT', error: true }),
    span('fast', 300, 10),
    span('fast', 301, 5, { service: 'cart' }),
    span('late', 5000, 10),
  ];
  const stat = {
    timeMs: 400,
    service: 'db',
    operation: 'SELECT',
    parentService: 'web',
    count: 9,
    p50Us: 10,
    p95Us: 20,
  };
  const find = (query: object) => findSpans({ spans, spanStats: [stat] }, { ...whole, ...query }, unbounded());
  const traces = async (query: object) => [...new Set((await find(query)).items.map(({ traceId }) => traceId))];

  test('come as whole traces in which some span matches everything', async () => {
    expect((await find({ service: 'db', errorsOnly: true })).items).toHaveLength(2);
    expect(await traces({ operation: 'get*', minDurationMs: 500 })).toEqual(['slow']);
    expect(await traces({ service: 'cart', errorsOnly: true })).toEqual([]);
    expect(await traces({ traceId: 'fast' })).toEqual(['fast']);
    expect(await traces({ fromMs: 950, toMs: 4000 })).toEqual(['slow']);
  });

  test('over the limit the last whole traces are kept; one that is too long by itself loses its end', async () => {
    expect(await find({ limit: 3 })).toMatchObject({ items: { length: 3 }, note: 'the last 2 of 3 matching traces' });
    expect(await find({ traceId: 'slow', limit: 1 })).toMatchObject({
      items: [{ service: 'web' }],
      note: 'the first 1 spans of the trace',
    });
  });

  test('counted ones come beside them, unless one trace or errors are asked for', async () => {
    expect((await find({ service: 'db' })).stats).toEqual([stat]);
    expect(await find({ service: 'db', errorsOnly: true })).not.toHaveProperty('stats');
    expect((await find({ service: 'none' })).note).toContain('Services with spans: web, db, cart');
  });
});

test('as of a moment nothing of a later time is given, whatever is asked for', async () => {
  const alertMs = Date.parse('2026-01-01T10:00:00Z');
  const untilMs = alertMs - 300_000;
  const provider = createRecordingProvider('test/fixtures/recordings/payments-pool', { untilAfterAlertMs: -300_000 });
  const all = createRecordingProvider('test/fixtures/recordings/payments-pool');
  const query = { fromMs: 0, toMs: alertMs + 3_600_000, limit: 10_000 };
  const events = await provider.queryEvents!(query, unbounded());
  expect(events.items.map(({ reason }) => reason)).toEqual(['ScalingReplicaSet', 'Started']);
  expect((await provider.queryChanges!(query, unbounded())).items).toHaveLength(1);
  const { items } = await provider.querySpans!(query, unbounded());
  expect(items.every(({ timeUs, durationUs }) => (timeUs + durationUs) / 1000 <= untilMs)).toBe(true);
  expect(items.length).toBeLessThan((await all.querySpans!(query, unbounded())).items.length);
  const logs = await provider.queryLogs!(query, unbounded());
  expect(Math.max(...logs.items.map(({ timeMs }) => timeMs))).toBeLessThanOrEqual(untilMs);
});
