import { describe, expect, test } from '@jest/globals';
import { NO_TELEMETRY, type MetricSeries, type Telemetry } from '../../../src/domain/telemetry.ts';
import { capTelemetry } from '../../../src/providers/cap-telemetry.ts';

const CAPS = { logLines: 10, series: 4, spans: 10 };
const series = (service: string, metric: string, fromAlert?: true): MetricSeries => ({
  service,
  metric,
  timesMs: Float64Array.of(1),
  values: Float64Array.of(1),
  ...(fromAlert ? { fromAlert } : {}),
});
const log = (i: number) => ({ timeMs: i, service: 'a', level: 'INFO', message: `line ${i}` });

describe('telemetry within its caps', () => {
  test('is handed on as it is', async () => {
    const telemetry: Telemetry = { ...NO_TELEMETRY, logs: [log(1)], series: [series('a', 'm')] };
    expect(await capTelemetry(telemetry, CAPS, 'a')).toBe(telemetry);
  });

  test('of too many series keeps those nearest to the alert, a service not at the cost of the others, in their order', async () => {
    const telemetry: Telemetry = {
      ...NO_TELEMETRY,
      topology: { services: [], edges: [{ from: 'shop', to: 'db' }] },
      series: [
        series('far', '1'),
        series('db', '1'),
        series('db', '2'),
        series('db', '3'),
        series('shop', '1'),
        series('far', 'alert', true),
        series('other', '1'),
      ],
    };
    const { series: kept, gaps } = await capTelemetry(telemetry, CAPS, 'shop');
    expect(kept.map(({ service, metric }) => `${service}/${metric}`)).toEqual(['db/1', 'db/2', 'shop/1', 'far/alert']);
    expect(gaps).toEqual([{ source: 'telemetry', message: 'kept 4 of 7 series, those nearest to the alert' }]);
  });

  test('of too many lines and spans, those of the reference too, keeps an even part, and says so', async () => {
    const logs = Array.from({ length: 40 }, (_, i) => log(i));
    const spans = Array.from({ length: 40 }, (_, i) => ({
      timeUs: i,
      traceId: `t${i}`,
      spanId: 's',
      parentId: '',
      service: 'a',
      operation: 'o',
      durationUs: 1,
    }));
    const capped = await capTelemetry({ ...NO_TELEMETRY, logs, spans, reference: { logs, spans } }, CAPS, undefined);
    for (const list of [capped.logs, capped.spans, capped.reference.logs, capped.reference.spans]) {
      expect(list.length).toBeGreaterThan(0);
      expect(list.length).toBeLessThanOrEqual(10);
    }
    expect(capped.gaps.map(({ message }) => message.replace(/,.*/, ''))).toEqual([
      'kept 10 of 40 log lines',
      `kept ${capped.spans.length} of 40 spans`,
      'kept 10 of 40 log lines of the reference',
      `kept ${capped.reference.spans.length} of 40 spans of the reference`,
    ]);
  });
});
