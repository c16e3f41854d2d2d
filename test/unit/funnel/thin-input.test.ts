import { describe, expect, test } from '@jest/globals';
import type { Incident } from '../../../src/domain/incident.ts';
import { Conclusion } from '../../../src/domain/report.ts';
import type { LogRecord, Telemetry } from '../../../src/domain/telemetry.ts';
import { analyse } from '../../../src/funnel/analyst/analyse.ts';
import { distil } from '../../../src/funnel/distil.ts';
import { event, healthyShop } from './events/shop-cluster.ts';
import { incident, MINUTE_MS, series, step, telemetry, TRIGGER_MS } from './incident-model/shop.ts';

const OPTIONS = { tokenBudget: 5820, eventWindowMs: 300_000 };
const NO_TOPOLOGY = { services: [], edges: [] };

const failing = Array.from({ length: 30 }, (_, i): LogRecord => ({
  timeMs: TRIGGER_MS - MINUTE_MS + i,
  service: 'payments',
  level: 'ERROR',
  message: `no space left on device while writing order ${i}`,
}));
const untimed = failing.map((record) => ({ ...record, timeMs: Number.NaN }));
const busy = [series('payments', 'cpu_usage_percent', step(10, 95)), series('web', 'requests', step(100, 100))];
const late = series('payments', 'cpu_usage_percent', step(10, 95, 0));
/** Four samples before the trigger. */
const cut = { ...late, timesMs: late.timesMs.subarray(56), values: late.values.subarray(56) };

function conclude(given: Partial<Telemetry>, alert: Partial<Incident> = {}) {
  const all = telemetry({ rawCharacters: 1000, ...given });
  const brief = distil(incident(alert), all, OPTIONS);
  expect(`${brief.text} ${JSON.stringify(brief.ranking)}`).not.toMatch(/NaN|Infinity|undefined|null|not a number/);
  expect(brief).toEqual(distil(incident(alert), all, OPTIONS));
  return { brief, conclusion: Conclusion.parse(analyse(incident(alert), brief)) };
}

describe('D7: an incident of which little is known', () => {
  test.each<[string, Partial<Telemetry>, Partial<Incident>, string | null]>([
    ['logs only', { logs: failing, topology: NO_TOPOLOGY }, {}, 'payments'],
    ['logs without a time', { logs: untimed, topology: NO_TOPOLOGY }, {}, 'payments'],
    ['metrics only', { series: busy, topology: NO_TOPOLOGY }, {}, 'payments'],
    ['one service', { series: busy.slice(0, 1), topology: NO_TOPOLOGY }, { service: 'payments' }, 'payments'],
    ['an alert without a service', { series: busy, logs: failing }, { service: undefined, labels: {} }, 'payments'],
    ['a service that nobody knows', { series: busy, logs: failing }, { service: 'nobody' }, 'payments'],
    ['a baseline shorter than the window', { series: [cut] }, {}, 'payments'],
    ['events only', { events: [event({ timeMs: TRIGGER_MS })], topology: NO_TOPOLOGY }, {}, 'cart'],
    ['events without a time', { events: [event({ timeMs: Number.NaN })] }, {}, 'cart'],
    ['healthy objects only', { objects: healthyShop() }, {}, null],
    ['empty series', { series: [{ ...late, timesMs: new Float64Array(), values: new Float64Array() }] }, {}, null],
    ['nothing', { topology: NO_TOPOLOGY, rawCharacters: 0 }, {}, null],
  ])('%s', (_name, given, alert, service) => {
    expect(conclude(given, alert).conclusion.root_cause_service).toBe(service);
  });

  test('an alert that begins in the future is told to lie behind all that was measured', () => {
    const { brief, conclusion } = conclude({ series: busy }, { startsAtMs: TRIGGER_MS + 86_400_000 });
    expect(conclusion).toMatchObject({ status: 'inconclusive', root_cause_service: null });
    expect(brief.text).toContain('2 series with insufficient points');
    expect(conclusion.confidence_reasons.join()).toContain('metrics end 23 h 58 min before the alert');
  });

  test.each([1e20, -1e20, Number.NaN, Infinity])('a time that is none (%d) is left out of the evidence', (timeMs) => {
    const changes = [{ timeMs, service: 'payments', kind: 'config', summary: 'pool_max changed from 16 to 2' }];
    const { brief } = conclude({ changes, series: busy });
    expect(brief.evidence.find(({ kind }) => kind === 'change')).toMatchObject({ atMs: undefined });
  });

  test('the order of series, logs and events does not change who is suspected', () => {
    const events = [event({ timeMs: TRIGGER_MS }), event({ timeMs: TRIGGER_MS - 1000, reason: 'Unhealthy' })];
    const given = { series: busy, logs: failing, events };
    const turned = { series: busy.toReversed(), logs: failing, events: events.toReversed() };
    const suspects = (one: Partial<Telemetry>) =>
      conclude(one).brief.ranking.suspects.map(({ service, score, rootCauseType }) => [service, score, rootCauseType]);
    expect(suspects(turned)).toEqual(suspects(given));
  });
});
