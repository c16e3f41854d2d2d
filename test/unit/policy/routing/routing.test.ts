import { describe, expect, test } from '@jest/globals';
import { z } from 'zod';
import type { Alert } from '../../../../src/domain/alert.ts';
import type { Labels } from '../../../../src/domain/labels.ts';
import { createRouting, routeToAll } from '../../../../src/policy/routing/routing.ts';
import { routingRules } from '../../../../src/policy/routing/settings.ts';
import { makeIncident } from '../../../support/delivery-content.ts';

const NAMES = ['slack', 'page', 'ticket'];
const parse = (rules: object) => z.strictObject(routingRules(NAMES)).parse(rules);
const routing = (rules: object) => createRouting({ ...parse(rules), default: ['slack'] });

function incidentWith(labelSets: readonly Labels[], fields: Parameters<typeof makeIncident>[0] = {}) {
  const alerts = labelSets.map((labels, index) => alert(labels, `fp-${index}`));
  return makeIncident({
    alerts,
    alertCount: alerts.length,
    labels: {},
    service: undefined,
    severity: undefined,
    ...fields,
  });
}

function alert(labels: Labels, fingerprint: string): Alert {
  return {
    status: 'firing',
    labels,
    annotations: {},
    startsAtMs: 0,
    endsAtMs: undefined,
    generatorUrl: undefined,
    fingerprint,
  };
}

describe('routes', () => {
  const rules = {
    routes: [
      { matchers: 'severity="critical"', destinations: ['page'], continue: true },
      { matchers: ['team=~"pay.*"', 'severity!="info"'], destinations: ['ticket', 'page'], after: '10m' },
      { matchers: 'severity="info"', destinations: [] },
      { matchers: [], destinations: ['ticket'] },
    ],
  };
  const to = (...labels: Labels[]) =>
    routing(rules)
      .routesFor(incidentWith(labels))
      .map(({ destination, afterMs }) => `${destination}${afterMs === 0 ? '' : ` +${afterMs / 60_000}m`}`);

  test('are asked in order, up to the first match that does not go on', () => {
    expect(to({ severity: 'critical' })).toEqual(['page', 'ticket']);
    expect(to({ severity: 'critical', team: 'payments' })).toEqual(['page', 'ticket +10m']);
    expect(to({ severity: 'warning', team: 'payments' })).toEqual(['ticket +10m', 'page +10m']);
    expect(to({ severity: 'info', team: 'payments' })).toEqual([]);
  });

  test('a group of unlike alerts takes a route when any of its firing alerts matches as a whole', () => {
    expect(to({ severity: 'info' }, { severity: 'critical', team: 'core' })).toEqual(['page']);
    expect(to({ severity: 'warning', team: 'core' }, { severity: 'info', team: 'payments' })).toEqual([]);
    const resolved = { ...alert({ severity: 'critical' }, 'x'), status: 'resolved' as const };
    const mixed = incidentWith([{ severity: 'info' }]);
    expect(routing(rules).destinationsFor({ ...mixed, alerts: [...mixed.alerts, resolved] })).toEqual([]);
    expect(routing(rules).destinationsFor({ ...mixed, alerts: [resolved] })).toEqual(['page', 'ticket']);
  });

  test('what no route takes goes to the default', () => {
    expect(
      routing({ routes: [{ matchers: 'a="b"', destinations: ['page'] }] }).destinationsFor(incidentWith([{}])),
    ).toEqual(['slack']);
    expect(routeToAll(NAMES).destinationsFor(incidentWith([{}]))).toEqual(NAMES);
  });

  test('source, receiver, service and kind can be matched, and labels of the same name go first', () => {
    const by = (matchers: string) => routing({ routes: [{ matchers, destinations: ['page'] }] });
    const incident = incidentWith([{ app: 'checkout' }], { source: 'grafana', receiver: 'ops', kind: 'check' });
    for (const matchers of ['source="grafana"', 'receiver="ops"', 'service="checkout"', 'kind="check"'])
      expect(by(matchers).destinationsFor(incident)).toEqual(['page']);
    const own = incidentWith([{ source: 'k8s' }], { source: 'grafana' });
    expect(by('source="k8s"').destinationsFor(own)).toEqual(['page']);
    expect(by('kind="storm"').routesForStorms()).toEqual([{ destination: 'page', afterMs: 0 }]);
  });
});

describe('mute rules', () => {
  const now = Date.parse('2026-11-30T12:00:00Z');
  const rules = {
    mute: [
      { matchers: 'cluster="old"', reason: 'is being taken down', until: '2026-11-30' },
      {
        matchers: 'job="backup"',
        reason: 'noisy at noon',
        time_intervals: [{ times: [{ start_time: '11:00', end_time: '13:00' }] }],
      },
    ],
  };
  const muted = (labels: readonly Labels[], atMs = now, fields = {}) =>
    routing(rules).muteOf(incidentWith(labels, fields), atMs);

  test('cover an incident when each of its firing alerts is covered', () => {
    const untilMs = Date.parse('2026-12-01T00:00:00Z');
    expect(muted([{ cluster: 'old' }])).toEqual({ reason: 'is being taken down', untilMs });
    expect(muted([{ cluster: 'old' }, { cluster: 'new' }])).toBeUndefined();
    expect(muted([{ cluster: 'old' }, { job: 'backup' }])).toEqual({
      reason: 'is being taken down; noisy at noon',
      untilMs,
    });
  });

  test('say where they stand, and a route that tells nobody does', () => {
    const quiet = {
      ...parse(rules),
      default: [],
      routes: parse({ routes: [{ matchers: 'team="x"', destinations: [] }] }).routes,
    };
    const placed = createRouting(quiet, (list, index) => `routes.yaml:${list}-${index}`);
    expect(placed.muteOf(incidentWith([{ job: 'backup' }]), now)?.at).toBe('routes.yaml:mute-1');
    expect(placed.sinkOf(incidentWith([{ team: 'x' }]))).toBe('routes.yaml:routes-0');
    expect(placed.sinkOf(incidentWith([{ team: 'y' }]))).toBe('the default');
    expect(routing(rules).sinkOf(incidentWith([{ team: 'x' }]))).toBeUndefined();
  });

  test('end, by date and by time of day', () => {
    expect(muted([{ cluster: 'old' }], Date.parse('2026-12-01T00:00:00Z'))).toBeUndefined();
    expect(muted([{ job: 'backup' }])).toEqual({ reason: 'noisy at noon' });
    expect(muted([{ job: 'backup' }], Date.parse('2026-11-30T13:00:00Z'))).toBeUndefined();
  });

  test('of alerts that were cut off it is known only what all have in common', () => {
    const cut = { truncatedAlerts: 3 };
    expect(muted([{ cluster: 'old', pod: 'a' }], now, cut)).toBeUndefined();
    expect(muted([{ cluster: 'old', pod: 'a' }], now, { ...cut, labels: { cluster: 'old' } })).toMatchObject({
      reason: 'is being taken down',
    });
  });

  test.each([
    [{ mute: [{ matchers: [], reason: 'x' }] }, 'would mute everything'],
    [{ mute: [{ matchers: 'a="b"' }] }, 'reason'],
    [{ mute: [{ matchers: 'a="b"', reason: 'x', until: 'tomorrow' }] }, '2026-12-31'],
    [
      { routes: [{ matchers: 'a="b"', destinations: ['pager'] }] },
      'there is no destination pager; there is slack, page, ticket',
    ],
    [{ routes: [{ matchers: 'a="b"', destinations: ['page'], after: '10' }] }, 'such as 90s, 10m or 2h'],
    [{ routes: [{ matchers: 7, destinations: ['page'] }] }, 'must be a matcher or a list'],
    [{ routes: [{ matcher: 'a="b"', destinations: ['page'] }] }, 'matcher'],
    [{ default: ['nobody'] }, 'there is no destination nobody'],
  ])('%j is refused with a remedy', (given, reason) => {
    expect(() => parse(given)).toThrow(reason);
  });
});
