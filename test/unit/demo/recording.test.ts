import { readdirSync, readFileSync, statSync } from 'node:fs';
import { hostname } from 'node:os';
import { fileURLToPath } from 'node:url';
import { gunzipSync } from 'node:zlib';
import { describe, expect, test } from '@jest/globals';

const FOLDER = fileURLToPath(new URL('../../../demo/recording/', import.meta.url));
const MAX_BYTES = 1_500_000;

const text = (name: string) => {
  const bytes = readFileSync(FOLDER + name);
  return (name.endsWith('.gz') ? gunzipSync(bytes) : bytes).toString('utf8');
};
const lines = (name: string) => text(name).trimEnd().split('\n');
const alertAtSeconds = () => Date.parse(JSON.parse(text('alert.json')).alerts[0].startsAt) / 1000;

describe('the demo recording', () => {
  test('is small enough to be part of every clone', () => {
    const bytes = readdirSync(FOLDER).reduce((sum, name) => sum + statSync(FOLDER + name).size, 0);
    expect(bytes).toBeLessThan(MAX_BYTES);
  });

  test('the alert is about storefront, and the last change before it about payments', () => {
    const alert = JSON.parse(text('alert.json'));
    expect(alert).toMatchObject({ version: '4', status: 'firing', commonLabels: { service: 'storefront' } });
    const changes = lines('changes.jsonl').map((line) => JSON.parse(line));
    expect(changes.map((change) => change.service)).toEqual(['catalogue', 'payments']);
    expect(changes[1].time).toBeLessThan(alertAtSeconds());
  });

  test('payments slows down by itself: its callee does not', () => {
    const meanOf = (service: string, from: number, to: number) => {
      const values = lines('metrics.csv.gz')
        .map((line) => line.split(','))
        .filter((row) => row[1] === service && row[2] === 'http_request_duration_seconds_p95')
        .filter((row) => Number(row[0]) >= from && Number(row[0]) < to)
        .map((row) => Number(row[3]));
      return values.reduce((sum, value) => sum + value, 0) / values.length;
    };
    const at = alertAtSeconds();
    const growth = (service: string) => meanOf(service, at, at + 120) / meanOf(service, at - 400, at - 120);
    expect(growth('payments')).toBeGreaterThan(3);
    expect(growth('storefront')).toBeGreaterThan(3);
    expect(growth('ledger-db')).toBeLessThan(1.2);
  });

  test('logs tell of the exhausted pool only after the change', () => {
    const logs = lines('logs.jsonl.gz').map((line) => JSON.parse(line));
    const changedAt = JSON.parse(lines('changes.jsonl')[1] ?? '').time;
    const exhausted = logs.filter((log) => log.message.startsWith('connection pool exhausted'));
    expect(exhausted.length).toBeGreaterThan(50);
    expect(exhausted.every((log) => log.service === 'payments' && log.time > changedAt)).toBe(true);
  });

  test('does not name the machine it was made on', () => {
    for (const name of readdirSync(FOLDER)) expect(text(name)).not.toContain(hostname());
  });
});
