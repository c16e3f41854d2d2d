import { describe, expect, test } from '@jest/globals';
import type { Incident } from '../../../src/domain/incident.ts';
import { gapsOfIncident, historyOf } from '../../../src/investigate/tell-incident.ts';

const STARTED_MS = Date.UTC(2026, 10, 3, 9);
const HOUR_MS = 3_600_000;
const incident = (more: Partial<Incident> = {}): Incident => ({
  id: 'inc_third',
  kind: 'incident',
  source: 'alertmanager',
  receiver: 'rootnote',
  title: 'HighLatency',
  service: 'checkout',
  severity: 'critical',
  startsAtMs: STARTED_MS,
  state: 'firing',
  labels: {},
  annotations: {},
  alerts: [],
  alertCount: 1,
  truncatedAlerts: 0,
  link: undefined,
  ...more,
});

describe('what a report says of its incident', () => {
  test('alerts that the sender cut off are a gap, with their number', () => {
    expect(gapsOfIncident(incident())).toEqual([]);
    expect(gapsOfIncident(incident({ truncatedAlerts: 12 }))[0]).toMatch(/^alerts: 12 more alerts were cut off/);
    expect(gapsOfIncident(incident({ truncatedAlerts: 1 }))[0]).toMatch(/^alerts: 1 more alert was cut off/);
  });

  test('an alert that fired before says how often, in what time, and in which incident', () => {
    expect(historyOf(incident())).toBeUndefined();
    const recurs = { times: 3, sinceMs: STARTED_MS - 2 * HOUR_MS };
    expect(historyOf(incident({ follows: 'inc_second', recurs }))).toBe('third time in 2 h (before: inc_second)');
    expect(historyOf(incident({ recurs: { ...recurs, times: 12 } }))).toBe('12th time in 2 h');
  });

  test('one that flaps says so instead', () => {
    const flapping = { times: 7, sinceMs: STARTED_MS - HOUR_MS / 2 };
    expect(historyOf(incident({ flapping, recurs: { times: 3, sinceMs: 0 } }))).toBe(
      'flapping: fired 7 times in 30 min',
    );
  });
});
