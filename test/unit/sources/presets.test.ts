import { describe, expect, test } from '@jest/globals';
import type { Alert } from '../../../src/domain/alert.ts';
import type { Reading } from '../../../src/sources/source.ts';
import { allSources, fixture, RECEIVED_MS } from '../../support/webhook-senders.ts';

function read(source: string, file: string, headers: Readonly<Record<string, string>> = {}): Reading {
  const found = allSources().find(({ name }) => name === source);
  if (!found) throw new Error(`no source ${source}`);
  return found.read({ headers, bytes: fixture(`${file}.json`) });
}

function alertOf(...args: Parameters<typeof read>): Alert {
  const reading = read(...args);
  const [alert] = reading.kind === 'notification' ? reading.notification.alerts : [];
  if (!alert) throw new Error(`read as ${reading.kind}`);
  return alert;
}

describe("Rootnote's own form", () => {
  test('has a field for everything', () => {
    expect(alertOf('backup', 'plain/firing')).toEqual({
      status: 'firing',
      labels: { alertname: 'Backup failed', severity: 'warning', service: 'db-backup', host: 'db-1', attempt: '3' },
      annotations: { description: 'dump ended with code 2', 'link: log': 'https://ci.example.net/backup/811' },
      startsAtMs: Date.UTC(2026, 10, 3, 2, 0, 11),
      endsAtMs: undefined,
      generatorUrl: 'https://ci.example.net/backup/811',
      fingerprint: 'backup/db-1',
    });
  });

  test('needs no more than a title', () => {
    const alert = alertOf('backup', 'plain/minimal');
    expect(alert).toMatchObject({ status: 'firing', startsAtMs: RECEIVED_MS, startsAtReceipt: true });
  });

  test('resolves the occurrence by its key and start', () => {
    const [firing, resolved] = [alertOf('backup', 'plain/firing'), alertOf('backup', 'plain/resolved')];
    expect(resolved).toMatchObject({
      status: 'resolved',
      fingerprint: firing.fingerprint,
      startsAtMs: firing.startsAtMs,
    });
  });
});

describe('Datadog', () => {
  test('a monitor that triggers and recovers is one occurrence by its cycle key', () => {
    const [triggered, recovered] = [alertOf('datadog', 'datadog/triggered'), alertOf('datadog', 'datadog/recovered')];
    expect(triggered).toMatchObject({
      status: 'firing',
      fingerprint: '9a27be11c0',
      labels: { service: 'cart', env: 'prod', team: 'shop', severity: 'P2', monitor: '55501', tags: 'monitor' },
      annotations: { query: 'avg(last_5m):p95:trace.http{service:cart} > 2', description: 'p95 is 3.1 s' },
      startsAtMs: Date.UTC(2026, 10, 3, 7, 21, 45),
      startsAtReceipt: true,
      generatorUrl: 'https://app.datadoghq.example/monitors/55501',
    });
    expect(triggered.labels).not.toHaveProperty('host');
    expect(recovered).toMatchObject({ status: 'resolved', fingerprint: '9a27be11c0', startsAtReceipt: true });
  });
});

describe('Sentry', () => {
  const sentry = (file: string, resource: string) =>
    [`sentry`, `sentry/${file}`, { 'sentry-hook-resource': resource }] as const;

  test('a metric alert fires and is resolved, by its own start', () => {
    const [critical, resolved] = [
      alertOf(...sentry('metric-alert-critical', 'metric_alert')),
      alertOf(...sentry('metric-alert-resolved', 'metric_alert')),
    ];
    expect(critical).toMatchObject({
      status: 'firing',
      labels: { alertname: 'Critical: Error rate of cart', service: 'cart', severity: 'critical' },
      annotations: { description: '412 events in the last 5 minutes', query: 'level:error' },
    });
    expect(resolved).toMatchObject({
      status: 'resolved',
      fingerprint: critical.fingerprint,
      startsAtMs: critical.startsAtMs,
      endsAtMs: Date.UTC(2026, 10, 3, 7, 50),
    });
  });

  test('an event alert is the issue that a later webhook resolves', () => {
    const fired = alertOf(...sentry('event-alert', 'event_alert'));
    expect(fired).toMatchObject({
      labels: { alertname: 'TypeError: price is undefined', severity: 'error', environment: 'production' },
      startsAtReceipt: true,
    });
    const resolved = alertOf(...sentry('issue-resolved', 'issue'));
    expect(resolved).toMatchObject({ status: 'resolved', fingerprint: fired.fingerprint, labels: { service: 'cart' } });
  });

  test('an installation, a comment and an archived issue are nothing to do', () => {
    expect(read(...sentry('installation', 'installation'))).toMatchObject({ kind: 'nothing' });
    expect(read(...sentry('issue-resolved', 'comment'))).toMatchObject({ kind: 'nothing' });
  });
});

describe('Opsgenie', () => {
  test('create, acknowledge and close are about one alert; others are nothing to do', () => {
    const created = alertOf('opsgenie', 'opsgenie/create');
    expect(created).toMatchObject({
      status: 'firing',
      fingerprint: '52a6-17',
      labels: { alertname: 'Cart queue is long', service: 'cart', severity: 'P2', queue: 'cart-orders', tags: 'prod' },
      startsAtMs: Date.UTC(2026, 10, 3, 7, 21, 45),
    });
    expect(alertOf('opsgenie', 'opsgenie/close')).toMatchObject({
      status: 'resolved',
      fingerprint: created.fingerprint,
      startsAtMs: created.startsAtMs,
      endsAtMs: 1793692800000,
    });
    expect(read('opsgenie', 'opsgenie/acknowledge')).toMatchObject({
      kind: 'acknowledged',
      acknowledgement: { fingerprint: '52a6-17', by: 'bo@example.net' },
    });
    expect(read('opsgenie', 'opsgenie/add-note')).toMatchObject({ kind: 'nothing' });
  });
});
