import { describe, expect, test } from '@jest/globals';
import { analyse } from '../../../../src/funnel/analyst/analyse.ts';
import { distil } from '../../../../src/funnel/distil.ts';
import { incidentOf } from '../../../support/incidents.ts';
import { series, telemetry, TRIGGER_MS } from '../incident-model/shop.ts';

const link = (expression: string) =>
  `http://prometheus.example/graph?g0.expr=${encodeURIComponent(expression)}&g0.tab=1`;
const alert = (expression: string) =>
  incidentOf(
    { alertname: 'OrdersFail', service: 'orders' },
    { startsAtMs: TRIGGER_MS, generatorUrl: link(expression) },
  );
const own = (query: string) =>
  series('orders', 'alert:OrdersFail', (m) => (m >= -2 ? 0.65 : 0), { query, fromAlert: true });

function firstEvidence(expression: string, query: string) {
  const incident = alert(expression);
  const brief = distil(incident, telemetry({ series: [own(query)], rawCharacters: 100 }), {
    tokenBudget: 5820,
    eventWindowMs: 300_000,
  });
  const [id] = analyse(incident, brief).evidence;
  return brief.evidence.find((item) => item.id === id)?.statement;
}

describe("the alert's own expression", () => {
  test('is the first evidence, with the limit that the alert compares it with', () => {
    expect(firstEvidence('orders_errors > 0.2', 'orders_errors')).toMatch(
      /^orders, the alert's expression orders_errors > 0\.2: 0 → 0\.65; the alert fires at > 0\.2; since /,
    );
  });

  test('has no limit where the link is about something else', () => {
    const statement = firstEvidence('stock_errors > 0.2', 'orders_errors');
    expect(statement).toMatch(/^orders, the alert's expression orders_errors: 0 → 0\.65/);
    expect(statement).not.toContain('fires at');
  });

  test('is clipped and cannot break the sentence apart', () => {
    const statement = firstEvidence(`orders_errors{a="x; y: z"} ${'+ 0 '.repeat(60)}> 1`, 'orders_errors{a="x; y: z"}');
    expect(statement?.split('; ')[0]).toMatch(
      /^orders, the alert's expression orders_errors\{a="x y z"\} .*…: 0 → 0\.65/,
    );
  });
});
