import { createHmac } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import { readGrafana } from '../../../src/sources/grafana/read-grafana.ts';
import { grafanaAuth, type GrafanaAuthOptions } from '../../../src/sources/grafana/signature.ts';
import { createSources } from '../../../src/sources/index.ts';
import { PayloadError } from '../../../src/sources/source.ts';
import { fixture, RECEIVED_MS } from '../../support/webhook-senders.ts';

const body = (name: string) => JSON.parse(fixture(`grafana/${name}.json`).toString()) as { alerts: object[] };

describe('a body of Grafana-managed alerting', () => {
  test('is read like one of Alertmanager, with its links and figures as annotations', () => {
    const notification = readGrafana(body('firing'));
    expect(notification).toMatchObject({
      source: 'grafana',
      externalUrl: 'https://grafana.example.net/d/cart?orgId=1&viewPanel=4',
    });
    const [firing, resolved] = notification.alerts;
    expect(firing).toMatchObject({
      status: 'firing',
      fingerprint: '9c1f7a60d2b84e31',
      labels: { alertname: 'Cart errors', service: 'cart', severity: 'critical' },
      annotations: {
        summary: '5 % of requests fail',
        dashboard_url: 'https://grafana.example.net/d/cart?orgId=1',
        panel_url: 'https://grafana.example.net/d/cart?orgId=1&viewPanel=4',
        silence_url: 'https://grafana.example.net/alerting/silence/new?matcher=alertname%3DCart',
        rule_uid: 'ef1a',
        values: 'B=5.25, C=1',
        value_string: "[ var='B' labels={service=cart} value=5.25 ]",
      },
    });
    expect(resolved).toMatchObject({ status: 'resolved', annotations: {} });
  });

  test.each([
    ['DatasourceNoData', 'Cart errors (no data)'],
    ['DatasourceError', 'Cart errors (error)'],
  ])('%s is named after its rule and keeps its identity', (alertname, title) => {
    const given = body('no-data');
    const [alert] = given.alerts as { labels: object }[];
    const labels = { ...alert?.labels, alertname };
    const notification = readGrafana({ ...given, alerts: [{ ...alert, labels }] });
    expect(notification.alerts[0]).toMatchObject({
      fingerprint: '77aa77aa77aa77aa',
      labels: { alertname: title, grafana_alertname: alertname },
    });
  });

  test('extras of a wrong kind are left out, and the alert is read', () => {
    const given = body('firing');
    const alerts = given.alerts.map((alert) => ({ ...alert, values: 'many', panelURL: 7, dashboardURL: [] }));
    expect(readGrafana({ ...given, alerts }).alerts[0]?.annotations).not.toHaveProperty('panel_url');
  });

  test('what is none is refused in its own name', () => {
    expect(() => readGrafana({ version: '1' })).toThrow(PayloadError);
    expect(() => readGrafana({ version: '1' })).toThrow(/^not a Grafana alert/);
  });
});

describe('how Grafana proves who it is', () => {
  const bytes = fixture('grafana/firing.json');
  const secret = 'grafana-secret';
  const options: GrafanaAuthOptions = {
    secret,
    signatureHeader: 'X-Grafana-Alerting-Signature',
    timestampHeader: undefined,
    now: () => RECEIVED_MS,
  };
  const sign = (prefix = '') => createHmac('sha256', secret).update(prefix).update(bytes).digest('hex');
  const accepts = (headers: Readonly<Record<string, string>>, over: Partial<GrafanaAuthOptions> = {}) => {
    const auth = grafanaAuth({ ...options, ...over });
    if (auth.kind === 'open') return true;
    return auth.kind === 'headers' ? auth.accepts(headers) : auth.accepts({ headers, bytes });
  };
  const name = 'x-grafana-alerting-signature';

  test('by the HMAC of the body, under the name that is configured', () => {
    expect(accepts({ [name]: sign() })).toBe(true);
    expect(accepts({ 'x-other': sign() }, { signatureHeader: 'X-Other' })).toBe(true);
    expect(accepts({ [name]: sign('1:') })).toBe(false);
    expect(accepts({ [name]: '' })).toBe(false);
    expect(accepts({})).toBe(false);
  });

  const seconds = RECEIVED_MS / 1000;
  test.each([
    ['now', String(seconds), true],
    ['4 minutes ago', String(seconds - 240), true],
    ['6 minutes ago', String(seconds - 360), false],
    ['6 minutes ahead', String(seconds + 360), false],
    ['no number', 'now', false],
    ['in milliseconds', String(RECEIVED_MS), false],
  ])('with a time that is signed, too: %s', (_, time, expected) => {
    const headers = { [name]: sign(`${time}:`), 'x-time': time };
    expect(accepts(headers, { timestampHeader: 'X-Time' })).toBe(expected);
  });

  test('a time that is asked for and missing, or not the one that is signed, is refused', () => {
    const timestampHeader = 'X-Time';
    expect(accepts({ [name]: sign() }, { timestampHeader })).toBe(false);
    expect(accepts({ [name]: sign(`${seconds}:`), 'x-time': String(seconds - 1) }, { timestampHeader })).toBe(false);
  });

  test('by a token or a password; with a secret as well, both have to be right', () => {
    const token = { bearerTokens: ['t-1', 't-2'] };
    expect(accepts({ authorization: 'Bearer t-2' }, { secret: undefined, ...token })).toBe(true);
    expect(accepts({ authorization: 'Bearer x' }, { secret: undefined, ...token })).toBe(false);
    expect(accepts({ authorization: 'Bearer t-1' }, token)).toBe(false);
    expect(accepts({ [name]: sign() }, token)).toBe(false);
    expect(accepts({ authorization: 'Bearer t-1', [name]: sign() }, token)).toBe(true);
  });
});

describe('which sources there are', () => {
  const names = (settings: Parameters<typeof createSources>[0]) => createSources(settings).map(({ name }) => name);

  test('Grafana with credentials of its own, or open where Alertmanager is open and nobody else reaches it', () => {
    expect(names({ GRAFANA_WEBHOOK_SECRET: 's' })).toContain('grafana');
    expect(names({ GRAFANA_BEARER_TOKENS: ['t'], HOST: '0.0.0.0' })).toContain('grafana');
    expect(names({ HOST: '127.0.0.1' })).toContain('grafana');
    expect(names({ HOST: '0.0.0.0', ALLOW_UNAUTHENTICATED: true })).toContain('grafana');
    expect(names({ HOST: '0.0.0.0' })).not.toContain('grafana');
    const protectedOne = { ALERTMANAGER_BEARER_TOKENS: ['t'] };
    expect(names({ HOST: '127.0.0.1', ...protectedOne })).not.toContain('grafana');
    expect(names({ HOST: '0.0.0.0', ALLOW_UNAUTHENTICATED: true, ...protectedOne })).not.toContain('grafana');
  });

  test('PagerDuty only with secrets', () => {
    expect(names({ HOST: '127.0.0.1' })).not.toContain('pagerduty');
    expect(names({ PAGERDUTY_WEBHOOK_SECRETS: [] })).not.toContain('pagerduty');
    expect(names({ PAGERDUTY_WEBHOOK_SECRETS: ['s'] })).toContain('pagerduty');
  });
});
