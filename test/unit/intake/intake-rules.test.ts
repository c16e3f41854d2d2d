import { describe, expect, test } from '@jest/globals';
import type { Alert, Notification } from '../../../src/domain/alert.ts';
import { composeIncident } from '../../../src/intake/compose-incident.ts';
import { MAX_KEPT_ALERTS, NOTHING_REDACTED, alertKey, toAdmission as redactAndTrim } from '../../../src/intake/trim.ts';
import { createRedactor } from '../../../src/policy/redact.ts';
import { parseNotification } from '../../../src/sources/alertmanager/parse-notification.ts';
import { groupBody, numberedAlert, type BodyAlert, type BodyGroup } from '../../support/alertmanager-bodies.ts';

/** With the `u` flag a surrogate matches only when its other half is missing; JSON escapes lone ones. */
const LONE_SURROGATE = /[\ud800-\udfff]|\\ud[89a-f]/u;

const notify = (alerts: readonly BodyAlert[], group: Partial<BodyGroup> = {}): Notification =>
  parseNotification(groupBody({ ...group, alerts }));

const toAdmission = (notification: Notification) => redactAndTrim(notification, NOTHING_REDACTED);

/** The incident that a notification alone would open. */
const incidentOf = (notification: Notification) => {
  const { header, claims, truncatedAlerts } = toAdmission(notification);
  const alerts = claims.flatMap((claim) => (claim.alert ? [claim.alert] : []));
  const startsAtMs = Math.min(...claims.map((claim) => claim.startsAtMs));
  return composeIncident({
    id: 'inc_test',
    header,
    state: 'firing',
    startsAtMs,
    alerts,
    alertCount: claims.length,
    truncatedAlerts,
  });
};

const named = (alertname: string, labels: Record<string, string> = {}): BodyAlert => ({
  labels: { alertname, ...labels },
});

describe('titles', () => {
  const titleOf = (alerts: readonly BodyAlert[], groupLabels: Record<string, string> = {}) =>
    incidentOf(notify(alerts, { groupLabels })).title;

  test('one alert gives its name, a group of one kind counts', () => {
    expect(titleOf([named('HighLatency')])).toBe('HighLatency');
    expect(titleOf([1, 2, 3].map((n) => numberedAlert(n)))).toBe('CheckoutErrors (3 alerts)');
  });

  test('a group of unlike alerts with nothing in common is named by count and names', () => {
    expect(titleOf([named('DiskFull', { severity: 'critical' }), named('HighLatency', { severity: 'warning' })])).toBe(
      '2 alerts: DiskFull, HighLatency',
    );
    expect(titleOf(['A', 'B', 'C', 'D', 'E'].map((name) => named(name)))).toMatch(/^5 alerts: .+ and 2 more$/);
  });

  test('without a name the labels speak, and without labels it says so', () => {
    expect(titleOf([{ labels: { host: 'db-1', team: 'shop' } }])).toBe('Alert host=db-1, team=shop');
    expect(titleOf([{ labels: { host: 'db-1' } }], { team: 'shop' })).toBe('Alert team=shop');
    expect(titleOf([{ labels: {} }])).toBe('Unnamed alert');
  });

  test('is one bounded line whatever the alert name holds', () => {
    const title = titleOf([named(`first\nsecond \u001b[31m${'😀'.repeat(400)}`)]);
    expect(title).toMatch(/^first second 😀/);
    expect(title.length).toBeLessThanOrEqual(250);
    expect(title).not.toMatch(LONE_SURROGATE);
  });
});

describe('what an incident says of itself', () => {
  test('service and severity are those of the gravest alert', () => {
    const incident = incidentOf(
      notify([
        named('A', { severity: 'warning', service: 'cart' }),
        named('B', { severity: 'critical', service: 'payment' }),
      ]),
    );
    expect(incident).toMatchObject({ severity: 'critical', service: 'payment' });
  });

  test('a severity nobody has heard of stays as it is and does not hide a critical one', () => {
    expect(incidentOf(notify([named('A', { severity: 'Bananas' })])).severity).toBe('Bananas');
    const mixed = notify([named('A', { severity: 'Bananas' }), named('B', { severity: 'CRITICAL' })]);
    expect(incidentOf(mixed).severity).toBe('CRITICAL');
  });

  test('labels and annotations are those that all alerts share', () => {
    const incident = incidentOf(notify([numberedAlert(1), numberedAlert(2)]));
    expect(incident.labels).toEqual({ alertname: 'CheckoutErrors', service: 'checkout', severity: 'critical' });
    expect(incident.annotations).toEqual({});
  });

  test.each(['javascript:alert(1)', 'file:///etc/passwd', 'not a link', ''])('%j is no link', (externalURL) => {
    const alert = { ...numberedAlert(1), generatorURL: '' };
    expect(incidentOf(notify([alert], { externalURL })).link).toBeUndefined();
  });

  test('the link is the sender, else the rule', () => {
    expect(incidentOf(notify([numberedAlert(1)])).link).toBe('http://alertmanager-a.example.net:9093');
    expect(incidentOf(notify([numberedAlert(1)], { externalURL: '' })).link).toMatch(/^http:\/\/prometheus/);
  });
});

describe('trimming', () => {
  const large = notify(
    Array.from({ length: 400 }, (_, n) =>
      numberedAlert(n, n === 399 ? { labels: { alertname: 'Rare', severity: 'info', n: '399' } } : {}),
    ),
    { truncatedAlerts: 7 },
  );

  test('keeps a bounded number of alerts and counts the rest', () => {
    const { claims } = toAdmission(large);
    expect(claims).toHaveLength(400);
    expect(claims.filter((claim) => claim.alert)).toHaveLength(MAX_KEPT_ALERTS);
    expect(incidentOf(large)).toMatchObject({ alertCount: 400, truncatedAlerts: 7 });
  });

  test('keeps one of every name before the second of any', () => {
    expect(incidentOf(large).title).toBe('400 alerts: CheckoutErrors, Rare');
  });

  test('cuts long texts and many labels, never in the middle of a character', () => {
    const labels = Object.fromEntries(Array.from({ length: 500 }, (_, n) => [`label_${n}`, '👩‍🚒'.repeat(900)]));
    const [claim] = toAdmission(notify([{ labels, annotations: { summary: '𝒳'.repeat(300_000) } }])).claims;
    const json = JSON.stringify(claim?.alert);
    expect(json.length).toBeLessThan(100_000);
    expect(json).not.toMatch(LONE_SURROGATE);
  });

  test('a secret in an alert is not stored, not even half of one at the cut, and changes no identity', () => {
    const token = `ghp_${'a1B2c3D4e5'.repeat(4)}`;
    const notification = notify(
      [
        {
          labels: { alertname: 'LoginFails', db_password: 'correct-horse' },
          annotations: { summary: `${'x'.repeat(3980)} ${token}`, description: `${'word '.repeat(7000)}${token}` },
          generatorURL: `http://prometheus/graph?g0.expr=up{token="${token}"}`,
        },
      ],
      { groupLabels: { api_key: token }, externalURL: 'http://admin:correct-horse@alertmanager:9093/' },
    );
    const admission = redactAndTrim(notification, createRedactor({ secrets: [], key: 'test' }));
    expect(JSON.stringify(admission)).not.toMatch(/ghp_|correct-horse/);
    expect(admission.header.link).toBe('http://alertmanager:9093/');
    expect(admission.claims.map(({ key }) => key)).toEqual(toAdmission(notification).claims.map(({ key }) => key));
  });

  test('the same alert twice in one body counts once', () => {
    expect(toAdmission(notify([numberedAlert(1), numberedAlert(1)])).claims).toHaveLength(1);
  });
});

describe('identity', () => {
  const [alert] = notify([numberedAlert(1)]).alerts as [Alert];

  test('of an alert is source and fingerprint, over all its occurrences', () => {
    const key = alertKey('alertmanager', alert.fingerprint);
    expect(alertKey('grafana', alert.fingerprint)).not.toBe(key);
    expect(alertKey('alertmanager', 'x')).not.toBe(key);
    const again = { ...alert, startsAtMs: alert.startsAtMs + 1 };
    const both = toAdmission({ ...notify([]), alerts: [alert, again, { ...alert, status: 'resolved' }] }).claims;
    expect(both.map((claim) => [claim.key, claim.startsAtMs])).toEqual([
      [key, alert.startsAtMs],
      [key, again.startsAtMs],
    ]);
  });

  test('does not depend on the peer, the receiver, the group key or the order of the alerts', () => {
    const alerts = [numberedAlert(1), numberedAlert(2), numberedAlert(3)];
    const keys = (notification: Notification) => toAdmission(notification).claims.map((claim) => claim.key);
    const other = { externalURL: 'http://peer-b.example.net', receiver: 'other', groupKey: '{}:{}' };
    expect(keys(notify(alerts.toReversed(), other))).toEqual(keys(notify(alerts)));
  });
});
