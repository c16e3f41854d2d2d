import { describe, expect, test } from '@jest/globals';
import * as fc from 'fast-check';
import type { Alert, Notification } from '../../../src/domain/alert.ts';
import { applyMappings } from '../../../src/sources/generic/apply-mapping.ts';
import { collectLabels } from '../../../src/sources/generic/collect-labels.ts';
import { Mappings } from '../../../src/sources/generic/mapping.ts';
import { parsePath, valuesAt } from '../../../src/sources/generic/paths.ts';
import { PayloadError, type Reading } from '../../../src/sources/source.ts';

const NOW = Date.UTC(2026, 10, 3, 7, 22);

function apply(mapping: unknown, body: unknown, headers: Readonly<Record<string, string>> = {}): Reading {
  return applyMappings(Mappings.parse(mapping), { body, headers }, { source: 'shop', now: () => NOW });
}

function notificationOf(reading: Reading): Notification {
  if (reading.kind !== 'notification') throw new Error(`read as ${reading.kind}`);
  return reading.notification;
}

function alertOf(mapping: unknown, body: unknown): Alert {
  const [alert, ...others] = notificationOf(apply(mapping, body)).alerts;
  if (!alert || others.length > 0) throw new Error('not one alert');
  return alert;
}

describe('paths', () => {
  const body = {
    a: { b: [{ c: 1 }, { c: 2 }], 'x.y': 'dotted', '0': 'zero', 'm~n': { 'o/p': 'odd' } },
    list: [[1, 2], [3]],
    none: null,
  };
  const at = (text: string, item: unknown = body) => {
    const path = parsePath(text);
    if (!path) throw new Error(`${text} is no path`);
    return valuesAt(path, { item, body, headers: { 'x-kind': 'k' }, labels: { 'a.b': 'l' } });
  };

  test.each([
    ['a.b[0].c', [1]],
    ['a.b.1.c', [2]],
    ['/a/b/1/c', [2]],
    ['a.b[].c', [1, 2]],
    ['list[][]', [1, 2, 3]],
    ['/a/x.y', ['dotted']],
    ['a.0', ['zero']],
    ['/a/m~0n/o~1p', ['odd']],
    ['none', [null]],
    ['none.more', []],
    ['a.missing[].c', []],
    ['a.b[9]', []],
    ['$header.X-Kind', ['k']],
    ['$labels.a.b', ['l']],
    ['constructor', []],
    ['__proto__.polluted', []],
    ['a.b.length', [2]],
    ['a.toString', []],
  ])('%s leads to %j', (path, values) => {
    expect(at(path)).toEqual(values);
  });

  test('$. starts at the whole body, others at the alert', () => {
    expect(at('$.a.b[0].c', { a: 'inner' })).toEqual([1]);
    expect(at('a', { a: 'inner' })).toEqual(['inner']);
  });

  test.each(['', 'a..b', 'a.', '.a', 'a[', 'a]', 'a[x]', 'a[-1]', '$header.', 'x'.repeat(301)])(
    '%j is none',
    (text) => {
      expect(parsePath(text)).toBeUndefined();
    },
  );

  test('whatever is written is a path or none, and leads somewhere or nowhere, without a throw', () => {
    fc.assert(
      fc.property(fc.string({ maxLength: 60 }), fc.jsonValue(), (text, item) => {
        const path = parsePath(text);
        if (path) expect(Array.isArray(valuesAt(path, { item, body: item, headers: {}, labels: {} }))).toBe(true);
      }),
    );
  });

  test('a JSON pointer leads to every value by its own keys', () => {
    const keys = fc.array(fc.string({ maxLength: 8 }), { minLength: 1, maxLength: 5 });
    fc.assert(
      fc.property(keys, (names) => {
        const item = names.reduceRight<unknown>((inner, name) => Object.fromEntries([[name, inner]]), 'found');
        const pointer = names.map((name) => `/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');
        const path = parsePath(pointer);
        expect(path && valuesAt(path, { item, body: item, headers: {}, labels: {} })).toEqual(['found']);
      }),
    );
  });

  test('lists in lists are not multiplied without bound', () => {
    const list = Array.from({ length: 300 }, () => Array.from({ length: 300 }, () => 1));
    expect(at('x[][]', { x: list })).toHaveLength(20_000);
  });
});

describe('labels from wherever senders keep them', () => {
  const collect = (value: unknown) => {
    const path = parsePath('x');
    return collectLabels(path ? [path] : [], { item: { x: value }, body: {}, headers: {}, labels: {} });
  };

  test.each([
    ['an object', { service: 'cart', shard: 7, on: true, deep: { a: 1 }, nothing: null }],
    ['a list of pairs', [['service', 'cart'], ['shard', 7], ['on', true], ['odd']]],
    [
      'a list of name and value',
      [{ name: 'service', value: 'cart' }, { key: 'shard', value: 7 }, { name: 'on', value: true }, {}],
    ],
    ['a list of texts', ['service:cart', 'shard:7', 'on=true']],
    ['a text', 'service:cart, shard:7 ,on=true,'],
  ])('%s', (_, value) => {
    expect(collect(value)).toEqual({ service: 'cart', shard: '7', on: 'true' });
  });

  test('words without a value are kept, the first of several values counts, and there is an end', () => {
    expect(collect('prod,service:a,service:b,blue')).toEqual({ service: 'a', tags: 'prod,blue' });
    expect(
      collect([
        ['__proto__', 'x'],
        ['a', 'b'],
      ]),
    ).toEqual({ a: 'b' });
    expect(Object.keys(collect(Array.from({ length: 1000 }, (_, n) => `k${n}:v`)))).toHaveLength(200);
  });
});

describe('a mapping', () => {
  const MAPPING = {
    title: ['subject', 'name'],
    status: { path: 'state', map: { Up: 'resolved', Down: 'firing', Seen: 'acknowledged', Test: 'ignored' } },
    severity: { path: 'level', map: { 1: 'critical' }, otherwise: 'warning' },
    dedup_key: 'id',
    started_at: 'since',
    changed_at: 'at',
    acknowledged_by: 'who',
    labels: { service: ['svc', '$labels.component'], site: { const: 'eu' }, team: { path: 'team', default: 'shop' } },
    labels_from: ['tags'],
    annotations: { query: 'q' },
    description: 'text',
    link: 'url',
    links_from: 'links',
    delivery_id: '$header.x-id',
  };
  const BODY = {
    name: 'Cart is down',
    state: 'down',
    level: 1,
    id: 'c-1',
    since: '2026-11-03T07:20:00Z',
    at: 1793690505,
    tags: ['component:cart', 'zone:a'],
    q: 'up == 0',
    text: { reason: 'timeout' },
    url: 'https://status.example.net/c-1',
    links: [{ title: 'runbook', url: 'https://wiki.example.net/cart' }, { url: 7 }, 'x'],
  };

  test('takes the first path with a value, constants, defaults, tables and labels', () => {
    const notification = notificationOf(apply(MAPPING, BODY, { 'x-id': 'd-1' }));
    expect(notification).toMatchObject({
      source: 'shop',
      groupKey: 'c-1',
      deliveryId: 'd-1',
      externalUrl: 'https://status.example.net/c-1',
    });
    expect(notification.alerts).toEqual([
      {
        status: 'firing',
        labels: {
          alertname: 'Cart is down',
          severity: 'critical',
          service: 'cart',
          site: 'eu',
          team: 'shop',
          component: 'cart',
          zone: 'a',
        },
        annotations: {
          query: 'up == 0',
          description: '{"reason":"timeout"}',
          'link: runbook': 'https://wiki.example.net/cart',
        },
        startsAtMs: Date.UTC(2026, 10, 3, 7, 20),
        endsAtMs: undefined,
        generatorUrl: 'https://status.example.net/c-1',
        fingerprint: 'c-1',
      },
    ]);
  });

  test('says resolved, acknowledged and ignored by its table; what it does not know is firing', () => {
    const { tags: _, ...body } = BODY;
    expect(alertOf(MAPPING, { ...body, state: 'UP' })).toMatchObject({ status: 'resolved', endsAtMs: 1793690505000 });
    expect(apply(MAPPING, { ...body, state: 'Seen', who: 'Bo' })).toEqual({
      kind: 'acknowledged',
      acknowledgement: { source: 'shop', fingerprint: 'c-1', by: 'Bo', atMs: 1793690505000 },
    });
    expect(apply(MAPPING, { state: 'test' })).toMatchObject({ kind: 'nothing' });
    expect(alertOf(MAPPING, { ...body, state: 'on fire' }).status).toBe('firing');
    expect(alertOf(MAPPING, { ...body, state: undefined }).status).toBe('firing');
  });

  test('without a start the alert is whatever occurrence is open', () => {
    const { since: _, ...body } = BODY;
    expect(alertOf(MAPPING, body)).toMatchObject({ startsAtMs: 1793690505000, startsAtReceipt: true });
    expect(alertOf({ title: 'name' }, body)).toMatchObject({ startsAtMs: NOW, startsAtReceipt: true });
    expect(alertOf(MAPPING, { ...body, since: 'soon', at: -1 })).toMatchObject({
      startsAtMs: NOW,
      startsAtReceipt: true,
    });
  });

  test('without a key the identity is source, title and labels, in any order, and no severity', () => {
    const mapping = { title: 'name', severity: 'level', labels_from: 'tags' };
    const identity = (tags: object, level = 'high') => alertOf(mapping, { name: 'x', tags, level }).fingerprint;
    expect(identity({ a: '1', b: '2' })).toBe(identity({ b: '2', a: '1' }, 'ok'));
    expect(identity({ a: '1' })).not.toBe(identity({ a: '2' }));
    expect(identity({ a: '1' })).toMatch(/^[0-9a-f]{32}$/);
  });

  test('keys too long to be kept are hashed, each to its own', () => {
    const key = (id: string) => alertOf(MAPPING, { ...BODY, id }).fingerprint;
    const long = 'k'.repeat(5000);
    expect(key(`${long}1`)).toMatch(/^[0-9a-f]{32}$/);
    expect(key(`${long}1`)).not.toBe(key(`${long}2`));
  });

  test('a title that is nowhere is 422 with the paths, and quotes nothing of the body', () => {
    const refusal = () => apply(MAPPING, { heading: 'secret words' });
    expect(refusal).toThrow(new PayloadError('title: nothing at subject, name', 422));
    try {
      refusal();
    } catch (error) {
      expect(error).toMatchObject({ status: 422 });
    }
  });

  test('with several alerts in a body each is read; one that cannot be counts as cut off', () => {
    const mapping = { each: 'groups[].alerts', title: 'name', labels: { site: '$.site' } };
    const body = { site: 'eu', groups: [{ alerts: [{ name: 'a' }, { nothing: 1 }] }, { alerts: [{ name: 'b' }] }, {}] };
    const notification = notificationOf(apply(mapping, body));
    expect(notification.alerts.map(({ labels }) => labels)).toEqual([
      { alertname: 'a', site: 'eu' },
      { alertname: 'b', site: 'eu' },
    ]);
    expect(notification.truncatedAlerts).toBe(1);
    expect(() => apply(mapping, { groups: [{ alerts: [{}, {}] }] })).toThrow('title: nothing at name');
    expect(() => apply(mapping, { groups: 'none' })).toThrow('each: no list at groups[].alerts');
    expect(notificationOf(apply(mapping, { groups: [{ alerts: [] }] })).alerts).toEqual([]);
  });

  test('more alerts than are told apart are counted, and a body of a million is no way to keep us busy', () => {
    const body = { alerts: Array.from({ length: 1_000_000 }, () => ({})) };
    expect(() => apply({ each: 'alerts', title: 'name' }, body)).toThrow('title: nothing at name');
    const named = { alerts: Array.from({ length: 20_050 }, (_, n) => ({ name: `a${n}` })) };
    const notification = notificationOf(apply({ each: 'alerts', title: 'name' }, named));
    expect([notification.alerts.length, notification.truncatedAlerts]).toEqual([20_000, 50]);
  });

  test('the first mapping that fits counts; a kind nobody mapped is nothing, one without a kind is refused', () => {
    const several = [
      { when: { '$header.x-kind': ['alert'] }, title: 'a' },
      { when: { kind: ['ping', 'hello'] }, ignore: 'a greeting' },
    ];
    expect(notificationOf(apply(several, { a: 'title' }, { 'x-kind': 'alert' })).alerts).toHaveLength(1);
    expect(apply(several, { kind: 'hello' })).toEqual({ kind: 'nothing', why: 'a greeting' });
    expect(apply(several, { kind: 'comment' })).toMatchObject({ kind: 'nothing' });
    expect(() => apply(several, { a: 'title' })).toThrow('when: nothing at $header.x-kind, kind');
  });

  test('texts that mean nothing count as nothing', () => {
    const mapping = { title: ['a', 'b'], missing: ['null', 'n/a'] };
    expect(alertOf(mapping, { a: 'null', b: 'real' }).labels['alertname']).toBe('real');
    expect(() => apply(mapping, { a: ' ', b: 'n/a' })).toThrow(PayloadError);
  });

  test('whatever the body is, it is read or refused with a PayloadError, the same way each time', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (body) => {
        const outcome = () => {
          try {
            return apply(MAPPING, body);
          } catch (error) {
            expect(error).toBeInstanceOf(PayloadError);
            return (error as PayloadError).message;
          }
        };
        expect(outcome()).toEqual(outcome());
      }),
    );
  });

  test('any values at its paths become text, never [object Object]', () => {
    const body = fc.record({ name: fc.jsonValue(), tags: fc.jsonValue(), text: fc.jsonValue(), svc: fc.jsonValue() });
    fc.assert(
      fc.property(body, (value) => {
        const reading = apply(MAPPING, { ...value, subject: 'always' });
        const told = JSON.stringify(reading.kind === 'notification' ? reading.notification.alerts : []);
        expect(told).not.toContain('[object');
      }),
    );
  });
});

test('a status that is not in the map is taken for firing, and the reading says so', () => {
  const mapping = { title: { path: '$.t' }, status: { path: '$.s', map: { ok: 'resolved' } } };
  const read = (status: string) => apply(mapping, { t: 'Down', s: status });
  expect(read('warped '.repeat(30))).toMatchObject({
    kind: 'notification',
    unknownStatus: expect.stringMatching(/^warped/),
  });
  expect(notificationOf(read('warped')).alerts[0]?.status).toBe('firing');
  for (const known of ['ok', 'Firing', 'resolved']) expect(read(known)).not.toHaveProperty('unknownStatus');
});
