import { describe, expect, test } from '@jest/globals';
import { modelIncident } from '../../../../src/funnel/incident-model.ts';
import { mapServices, withoutPodSuffix } from '../../../../src/funnel/services.ts';
import { incident, MINUTE_MS, series, SHOP, step, telemetry, TRIGGER_MS } from './shop.ts';

describe('services of an incident', () => {
  test('pods are folded onto the workload that the topology knows', () => {
    const pods = ['orders-7d9f8b6c5d-x2x4z', 'stock-0'];
    const model = modelIncident(incident(), telemetry({ series: pods.map((pod) => series(pod, 'cpu', step(1, 1))) }));
    expect(model.services.names).toEqual(['orders', 'payments', 'search', 'stock', 'web']);
    expect(model.series.map(({ service }) => service)).toEqual(['orders', 'stock']);
  });

  test('two pods of one service stay two series with keys of their own', () => {
    const pods = ['orders-7d9f8b6c5d-x2x4z', 'orders-7d9f8b6c5d-q8k5w'];
    const model = modelIncident(incident(), telemetry({ series: pods.map((pod) => series(pod, 'cpu', step(1, 1))) }));
    expect(new Set(model.series.map(({ key }) => key)).size).toBe(2);
    expect(model.series[0]?.instance).toBe('orders-7d9f8b6c5d-x2x4z');
  });

  test('without a topology a replica set pod still becomes its workload, and a plain name keeps its suffix', () => {
    const map = mapServices(
      { services: [], edges: [] },
      ['cart-5f6585d649-fnmft', 'order-service-redis', 'region-1'],
      undefined,
    );
    expect(map.names).toEqual(['cart', 'order-service-redis', 'region-1']);
    expect(withoutPodSuffix('front-end')).toBe('front-end');
  });

  test('which names are services does not depend on the order in which they were seen', () => {
    const names = ['db-0-1', 'db', 'db-0', 'region-1'];
    const mapped = [names, names.toReversed()].map((seen) => mapServices({ services: [], edges: [] }, seen, undefined));
    expect(mapped[0]?.names).toEqual(mapped[1]?.names);
    expect(mapped.map((map) => map.canonical('db-0'))).toEqual(['db', 'db']);
  });

  test('calls seen in spans and per-edge metrics complete the topology', () => {
    const span = { timeUs: TRIGGER_MS * 1000, traceId: 't', operation: 'GET', durationUs: 1000 };
    const model = modelIncident(
      incident(),
      telemetry({
        spans: [
          { ...span, spanId: 'a', parentId: '', service: 'search' },
          { ...span, spanId: 'b', parentId: 'a', service: 'index' },
        ],
        series: [series('ledger', 'client_p50_from:payments', step(0.01, 0.01))],
      }),
    );
    expect([...model.services.callees('search')]).toEqual(['index']);
    expect(model.services.distance('index')).toBe(2);
    expect(model.services.distance('ledger')).toBe(3);
  });

  test('an alerting service that nobody observed is said to be unknown', () => {
    expect(modelIncident(incident({ service: 'nowhere' }), telemetry()).services.alerting).toBeUndefined();
  });
});

describe('the incident window', () => {
  test('reaches 4 min back and 3 min on, or 2 and 4 samples of a slow scrape', () => {
    const fast = modelIncident(incident(), telemetry({ samplingMs: 15_000 })).window;
    expect([TRIGGER_MS - fast.fromMs, fast.toMs - TRIGGER_MS]).toEqual([4 * MINUTE_MS, 3 * MINUTE_MS]);
    const slow = modelIncident(incident(), telemetry({ samplingMs: 5 * MINUTE_MS })).window;
    expect([TRIGGER_MS - slow.fromMs, slow.toMs - TRIGGER_MS]).toEqual([10 * MINUTE_MS, 20 * MINUTE_MS]);
  });

  test('leaves a short recording two thirds of its past as baseline', () => {
    const timesMs = Float64Array.from({ length: 60 }, (_, i) => TRIGGER_MS - 180_000 + i * 5000);
    const short = { service: 'web', metric: 'cpu', timesMs, values: timesMs.map(() => 1) };
    const model = modelIncident(incident(), telemetry({ series: [short], samplingMs: 5000 }));
    expect(TRIGGER_MS - model.window.fromMs).toBe(60_000);
    expect(model.series[0]?.baseline.count).toBe(24);
  });

  test('a trigger without telemetry gives an empty model, not an error', () => {
    const model = modelIncident(incident(), telemetry({ topology: { services: [], edges: [] } }));
    expect(model.series).toEqual([]);
    expect(model.services.names).toEqual([]);
    expect(SHOP.services).toContain(incident().service);
  });
});
