import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { PAGERDUTY_INCIDENT_LABEL } from '../../src/domain/pagerduty.ts';
import { createInvestigationParts } from '../../src/app/parts.ts';
import { parseConfig } from '../../src/config/load-config.ts';
import type { Incident } from '../../src/domain/incident.ts';
import { distil } from '../../src/funnel/distil.ts';
import { investigate } from '../../src/investigate/investigate.ts';
import { createRedactor } from '../../src/policy/redact.ts';
import { createPagerDutyDetails } from '../../src/sources/pagerduty/details/index.ts';
import { incidentOf } from '../support/incidents.ts';
import { startPagerDutyAlerts, type PagerDutyAlertsServer } from '../support/pagerduty/alerts.ts';

const T0 = Date.UTC(2026, 10, 20, 9, 14);
const redactor = createRedactor({ secrets: [], key: 'key-of-a-test' });

function pagerDutyIncident(id: string, labels: Readonly<Record<string, string>> = {}): Incident {
  const all = {
    alertname: 'Payments is slow',
    service: 'Payments (production)',
    severity: 'high',
    [PAGERDUTY_INCIDENT_LABEL]: id,
    ...labels,
  };
  return { ...incidentOf(all, { startsAtMs: T0 }), source: 'pagerduty' };
}

/** What Alertmanager's PagerDuty integration sends as the detail `firing`. */
const FIRING = `Labels:
 - alertname = HighLatency
 - namespace = shop
 - service = payments
Annotations:
 - summary = p99 above 2 s
 - runbook_url = https://runbooks.example.org/latency
Source: http://prometheus.example.org/graph?g0.expr=latency+%3E+2&g0.tab=1
`;

describe('details of a PagerDuty incident', () => {
  let api: PagerDutyAlertsServer;
  const never = new AbortController().signal;
  const details = (over: { token?: string | undefined; timeoutMs?: number } = {}) =>
    createPagerDutyDetails({ apiUrl: api.url, token: api.token, redact: (text) => redactor.redact(text), ...over });

  beforeEach(async () => {
    api = await startPagerDutyAlerts();
  });
  afterEach(() => api.close());

  test('labels and annotations come from what the monitor sent; a short value is a label, a long one an annotation', async () => {
    api.alerts = [
      {
        id: 'PA1',
        severity: 'critical',
        summary: 'p99 above 2 s',
        body: {
          type: 'alert_body',
          details: { region: 'eu-west-1', shard: 7, stack: `at pay()\nat main()`, deep: { a: [1] } },
          cef_details: { source_component: 'gateway', source_origin: 'pay-1' },
        },
      },
    ];
    const { incident, gaps } = await details().complete(pagerDutyIncident(api.incidentId), never);
    expect(gaps).toEqual([]);
    expect(incident.labels).toMatchObject({ region: 'eu-west-1', shard: '7', component: 'gateway', source: 'pay-1' });
    expect(incident.annotations).toMatchObject({
      alert_summary: 'p99 above 2 s',
      stack: 'at pay()\nat main()',
      deep: '{"a":[1]}',
    });
    expect(incident.severity).toBe('critical');
    expect(incident.service).toBe('Payments (production)');
    expect(incident.title).toBe('Payments is slow');
  });

  test("Alertmanager's own labels, service and expression come out of the text it sends to PagerDuty", async () => {
    api.alerts = [{ id: 'PA1', severity: 'critical', body: { details: { firing: FIRING, num_firing: '1' } } }];
    const { incident } = await details().complete(pagerDutyIncident(api.incidentId), never);
    expect(incident.service).toBe('payments');
    expect(incident.labels).toMatchObject({
      alertname: 'HighLatency',
      namespace: 'shop',
      pagerduty_service: 'Payments (production)',
      [PAGERDUTY_INCIDENT_LABEL]: api.incidentId,
    });
    expect(incident.annotations).toMatchObject({ runbook_url: 'https://runbooks.example.org/latency' });
    expect(incident.alerts[0]?.generatorUrl).toContain('g0.expr=latency');
    expect(incident.labels).not.toHaveProperty('firing');
  });

  test('a priority that people set stands before the severity of the monitor', async () => {
    api.alerts = [{ id: 'PA1', severity: 'warning', body: { details: {} } }];
    const known = await details().complete(
      pagerDutyIncident(api.incidentId, { severity: 'P1', priority: 'P1' }),
      never,
    );
    expect(known.incident.severity).toBe('P1');
  });

  test('a monitor cannot choose which incident is written on', async () => {
    api.alerts = [{ id: 'PA1', body: { details: { [PAGERDUTY_INCIDENT_LABEL]: 'QOTHER' } } }];
    const { incident } = await details().complete(pagerDutyIncident(api.incidentId), never);
    expect(incident.labels[PAGERDUTY_INCIDENT_LABEL]).toBe(api.incidentId);
  });

  test('alerts of several pages are read, whatever the size of a page; labels of all are those they share', async () => {
    api.pageSize = 2;
    api.alerts = [1, 2, 3].map((n) => ({ id: `PA${n}`, body: { details: { zone: 'a', host: `web-${n}` } } }));
    const { incident, gaps } = await details().complete(pagerDutyIncident(api.incidentId), never);
    expect(gaps).toEqual([]);
    expect(incident.alertCount).toBe(3);
    expect(incident.alerts.map((alert) => alert.labels['host'])).toEqual(['web-1', 'web-2', 'web-3']);
    expect(incident.labels['zone']).toBe('a');
    expect(incident.labels).not.toHaveProperty('host');
  });

  test('more alerts than are read is a gap', async () => {
    api.pageSize = 1;
    api.alerts = [1, 2, 3, 4, 5].map((n) => ({ id: `PA${n}`, body: { details: { zone: 'a' } } }));
    const { gaps } = await details().complete(pagerDutyIncident(api.incidentId), never);
    expect(gaps).toEqual([{ source: 'pagerduty', message: 'not all alerts: only 4 are read' }]);
  });

  test('without alerts the event that opened the incident is what it is about', async () => {
    api.logEntries = [
      { type: 'assign_log_entry', channel: { type: 'auto' } },
      {
        type: 'trigger_log_entry',
        channel: { type: 'web_trigger', summary: 'Checkout broken', details: { shop: 'eu' } },
      },
    ];
    const { incident, gaps } = await details().complete(pagerDutyIncident(api.incidentId), never);
    expect(gaps).toEqual([]);
    expect(incident.labels['shop']).toBe('eu');
    expect(incident.annotations['alert_summary']).toBe('Checkout broken');
  });

  test('secrets in the details are gone before anything else sees them, hidden ones too', async () => {
    const password = ['hunter2', 'correct', 'horse'].join('-');
    api.alerts = [
      {
        id: 'PA1',
        body: { details: { password, note: `url postgres://app:${password}@db/x`, sly: `pass\u200bword=${password}` } },
      },
    ];
    const { incident } = await details().complete(pagerDutyIncident(api.incidentId), never);
    expect(JSON.stringify(incident)).not.toContain(password);
    expect(JSON.stringify(incident)).toContain('REDACTED');
  });

  test.each([
    ['no token', { token: undefined }, 'PAGERDUTY_API_TOKEN is not set'],
    ['a wrong token', { token: 'wrong' }, 'does not take PAGERDUTY_API_TOKEN'],
  ])('%s is a gap, and the incident stays as it is', async (_, over, message) => {
    const known = pagerDutyIncident(api.incidentId);
    const { incident, gaps } = await details(over).complete(known, never);
    expect(incident).toEqual(known);
    expect(gaps).toEqual([{ source: 'pagerduty', message: expect.stringContaining(message) as unknown }]);
    expect(gaps[0]?.message).toContain('title and service alone');
  });

  test.each([
    [403, 'may not read it'],
    [404, 'knows no such incident'],
    [418, 'HTTP 418'],
  ])('HTTP %i is a gap after one question', async (status, message) => {
    api.fail({ kind: 'answer', status });
    const { gaps } = await details().complete(pagerDutyIncident(api.incidentId), never);
    expect(gaps.map((gap) => gap.message).join()).toContain(message);
    expect(api.calls.filter(({ path }) => path.endsWith('/alerts'))).toHaveLength(1);
  });

  test.each([
    ['429 without headers', { status: 429 }],
    ['429 with ratelimit-reset', { status: 429, headers: { 'ratelimit-reset': '1', 'ratelimit-remaining': '0' } }],
    ['429 with Retry-After', { status: 429, headers: { 'retry-after': '1' } }],
    ['503', { status: 503 }],
  ])('after %s it is asked again', async (_, fault) => {
    api.alerts = [{ id: 'PA1', body: { details: { zone: 'a' } } }];
    api.fail({ kind: 'answer', ...fault });
    const { incident, gaps } = await details().complete(pagerDutyIncident(api.incidentId), never);
    expect(gaps).toEqual([]);
    expect(incident.labels['zone']).toBe('a');
  });

  test('a server that asks for a longer wait than an investigation has is not waited for', async () => {
    api.fail({ kind: 'answer', status: 429, headers: { 'retry-after': '60' } });
    const { gaps } = await details().complete(pagerDutyIncident(api.incidentId), never);
    expect(gaps[0]?.message).toContain('HTTP 429');
    expect(api.calls.filter(({ path }) => path.endsWith('/alerts'))).toHaveLength(1);
  });

  test('a server that never answers is a gap at the deadline', async () => {
    api.fail({ kind: 'never-answer' }, { kind: 'never-answer' }, { kind: 'never-answer' });
    const { gaps } = await details({ timeoutMs: 200 }).complete(pagerDutyIncident(api.incidentId), never);
    expect(gaps).toHaveLength(1);
  });

  test('an answer without end is a gap, not memory', async () => {
    api.alerts = [{ id: 'PA1', body: { details: { blob: 'x'.repeat(5_000_000) } } }];
    const { gaps } = await details().complete(pagerDutyIncident(api.incidentId), never);
    expect(gaps[0]?.message).toContain('larger than');
  });

  test('incidents of other senders are not asked about', async () => {
    const other = incidentOf({ [PAGERDUTY_INCIDENT_LABEL]: api.incidentId }, { startsAtMs: T0 });
    expect(await details().complete(other, never)).toEqual({ incident: other, gaps: [] });
    expect(api.calls).toEqual([]);
  });

  test('telemetry is read for what the alerts say, the report is about it, and gaps are told', async () => {
    api.alerts = [{ id: 'PA1', body: { details: { firing: FIRING } } }];
    const investigateWith = (token: string) => {
      const config = parseConfig({ PAGERDUTY_API_URL: api.url, PAGERDUTY_API_TOKEN: token });
      const asked: (string | undefined)[] = [];
      const parts = createInvestigationParts(config, {
        toolbox: { providers: [] },
        offline: true,
        distil: (incident, telemetry, options) => {
          asked.push(incident.service);
          return Promise.resolve(distil(incident, telemetry, options));
        },
        redactor,
      });
      const gather: typeof parts.gather = (incident, ...rest) => {
        asked.push(incident.service);
        return parts.gather(incident, ...rest);
      };
      const done = investigate(pagerDutyIncident(api.incidentId), { ...parts, gather }, never);
      return done.then(({ report, session }) => ({ report, session, asked }));
    };
    const { report, session, asked } = await investigateWith(api.token);
    expect(asked).toEqual(['payments', 'payments']);
    expect(session.brief).toContain('service: payments');
    expect(report.incident).toMatchObject({
      title: 'Payments is slow',
      service: 'payments',
      labels: { alertname: 'HighLatency', [PAGERDUTY_INCIDENT_LABEL]: api.incidentId },
    });
    expect(report.gaps.join()).not.toContain('pagerduty: ');
    const blind = await investigateWith('wrong');
    expect(blind.report.incident.service).toBe('Payments (production)');
    expect(blind.report.gaps.filter((gap) => gap.startsWith('pagerduty: '))).toHaveLength(1);
  });
});
