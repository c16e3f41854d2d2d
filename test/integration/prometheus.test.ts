import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { Incident } from '../../src/domain/incident.ts';
import type { TelemetryProvider } from '../../src/domain/provider.ts';
import type { Telemetry } from '../../src/domain/telemetry.ts';
import { createPrometheusProvider, loadDefaultQueries } from '../../src/providers/prometheus/index.ts';
import { describeIf } from '../support/describe-if.ts';
import { PROMETHEUS } from '../support/programs.ts';
import type { LoopbackProgram } from '../support/loopback-program.ts';
import { startPrometheus } from '../support/prometheus.ts';
import { incidentOf } from '../support/incidents.ts';

const signal = () => AbortSignal.timeout(30_000);

/** A service with the histogram that client libraries export, a gauge of its own, and a ratio that is not a number. */
function startService(pool: number): Promise<Server> {
  let scrapes = 0;
  const server = createServer((_request, response) => {
    scrapes += 1;
    const requests = scrapes * 10;
    response.writeHead(200, { 'content-type': 'text/plain; version=0.0.4' })
      .end(`# TYPE http_request_duration_seconds histogram
http_request_duration_seconds_bucket{code="200",le="0.1"} ${requests}
http_request_duration_seconds_bucket{code="200",le="+Inf"} ${requests}
http_request_duration_seconds_sum{code="200"} ${requests * 0.05}
http_request_duration_seconds_count{code="200"} ${requests}
# TYPE pool_in_use gauge
pool_in_use ${pool}
# TYPE cache_hit_ratio gauge
cache_hit_ratio NaN
# TYPE traces_service_graph_request_total counter
traces_service_graph_request_total{client="checkout",server="payments"} ${requests}
`);
  });
  return new Promise((resolve) => server.listen(0, '127.0.0.1', () => resolve(server)));
}

const target = (server: Server) => `127.0.0.1:${(server.address() as AddressInfo).port}`;

const suite = await describeIf(PROMETHEUS);
suite('the Prometheus provider on a real Prometheus', () => {
  const services: Server[] = [];
  let prometheus: LoopbackProgram;
  let provider: TelemetryProvider;
  let incident: Incident;
  let telemetry: Telemetry;

  beforeAll(async () => {
    const [checkout, payments] = [await startService(3), await startService(20)];
    services.push(checkout, payments);
    prometheus = await startPrometheus({
      scrapeTargets: { checkout: target(checkout), payments: target(payments) },
      scrapeInterval: '500ms',
    });
    provider = createPrometheusProvider({
      url: prometheus.url,
      timeoutMs: 10_000,
      maxSeries: 500,
      maxResponseBytes: 10_000_000,
      queries: loadDefaultQueries(),
    });
    await untilScraped(provider);
    const expression = 'sum by (service) (pool_in_use) > 10';
    const generatorUrl = `http://elsewhere:9090/graph?g0.expr=${encodeURIComponent(expression)}&g0.tab=1`;
    const startsAtMs = Date.now();
    incident = incidentOf({ alertname: 'PoolBusy', service: 'payments' }, { startsAtMs, generatorUrl });
    const window = { fromMs: startsAtMs - 600_000, toMs: startsAtMs + 60_000 };
    telemetry = await provider.gather(incident, window, signal());
  });

  afterAll(async () => {
    await prometheus?.stop();
    for (const service of services) {
      service.closeAllConnections();
      service.close();
    }
  });

  /** Until a rate over four scrapes has a value. */
  async function untilScraped(asked: TelemetryProvider): Promise<void> {
    for (;;) {
      const now = Date.now();
      const query = 'rate(http_request_duration_seconds_count[3s])';
      const found = await asked.queryMetrics?.({ query, fromMs: now - 60_000, toMs: now }, signal());
      if (found && found.items.length >= 2) return;
      await new Promise((resolve) => setTimeout(resolve, 200));
    }
  }

  const metricsOf = (service: string) =>
    telemetry.series.filter((one) => one.service === service).map((one) => one.metric);

  test("reads the alert's own expression without its threshold, for every service, and marks the alerting one", () => {
    const own = telemetry.series.filter((series) => series.metric === 'alert:PoolBusy');
    expect(own.map(({ service, fromAlert, values }) => [service, fromAlert, values.at(-1)])).toEqual([
      ['checkout', undefined, 3],
      ['payments', true, 20],
    ]);
    expect(own[1]?.query).toBe('sum by (service) (pool_in_use)');
  });

  test('reads what the query map names for the neighbours, too', () => {
    for (const service of ['checkout', 'payments']) {
      expect(metricsOf(service)).toEqual(
        expect.arrayContaining([
          'http_requests_per_second',
          'http_request_duration_mean_seconds',
          'http_request_duration_p95_seconds',
          'targets_available_ratio',
        ]),
      );
    }
    const mean = telemetry.series.find((series) => series.metric === 'http_request_duration_mean_seconds');
    expect(mean?.values.at(-1)).toBeCloseTo(0.05);
    expect(mean).toMatchObject({ unit: 's', link: expect.stringContaining('/graph?g0.expr=') });
  });

  test("reads the services' own metrics, which no map names", () => {
    expect(metricsOf('payments')).toContain('pool_in_use');
  });

  test.each([{ job: 'payments' }, { service: 'payments', team: 'x' }, { service_name: 'named by the rule alone' }])(
    'an alert labelled %j finds them, too',
    async (labels) => {
      const window = { fromMs: incident.startsAtMs - 60_000, toMs: incident.startsAtMs };
      const { series } = await provider.gather(incidentOf(labels, incident), window, signal());
      // Series come in the order of their labels, and `instance` holds a port that differs from run to run.
      const found = series.filter((one) => one.metric === 'pool_in_use').map((one) => one.service);
      expect(found.sort()).toEqual(['checkout', 'payments']);
    },
  );

  test('reads who calls whom from the service graph', () => {
    expect(telemetry.topology).toEqual({
      services: ['checkout', 'payments'],
      edges: [{ from: 'checkout', to: 'payments' }],
    });
  });

  test('drops what is not a number, and says how much', () => {
    expect(telemetry.series.flatMap((series) => [...series.values]).every(Number.isFinite)).toBe(true);
    expect(telemetry.gaps.map((gap) => gap.message)).toContainEqual(
      expect.stringMatching(/^\d+ samples were not finite/),
    );
  });

  test('repeats no value beyond the present', () => {
    const latest = Math.max(...telemetry.series.map((series) => series.timesMs.at(-1) ?? 0));
    expect(latest).toBeLessThanOrEqual(Date.now());
  });

  test('an alert label cannot break out of a query', async () => {
    const hostile = incidentOf(
      { service: 'x"} or vector(1) #', namespace: '"} or up{job="' },
      { startsAtMs: incident.startsAtMs },
    );
    const window = { fromMs: incident.startsAtMs - 60_000, toMs: incident.startsAtMs };
    const { gaps } = await provider.gather(hostile, window, signal());
    expect(gaps.filter((gap) => gap.message.includes('failed'))).toEqual([]);
  });

  test('D6: the whole default query map is PromQL that a real Prometheus takes', async () => {
    const everything = loadDefaultQueries();
    const fixed = { rate: '1m', window: '1h', services: 'service, job' };
    const { fillTemplate } = await import('../../src/providers/prometheus/promql.ts');
    for (const { query } of [...everything.topology, ...everything.groups.flatMap((group) => group.queries)]) {
      for (const scope of ['', 'namespace="shop", service=~"(?:a|b)(?:-.+)?"']) {
        const promql = fillTemplate(query, { service: 'a' }, { ...fixed, scope }) ?? '';
        const answer = await fetch(`${prometheus.url}/api/v1/query?query=${encodeURIComponent(promql)}`);
        expect([promql, answer.status]).toEqual([promql, 200]);
      }
    }
  });

  test('a query that is no PromQL fails with the query, the window and the reason', async () => {
    const query = { query: 'sum by (', fromMs: incident.startsAtMs - 60_000, toMs: incident.startsAtMs };
    await expect(provider.queryMetrics?.(query, signal())).rejects.toThrow(
      /bad_data: .*parse error.*Correct the query\. Asked: sum by \( from \d{4}-.*Z to \d{4}-.*Z/,
    );
  });

  test('the check shows the version and how many targets are up', async () => {
    expect(await provider.check(signal())).toEqual({
      name: 'prometheus',
      status: 'ok',
      value: expect.stringMatching(/^Prometheus \d+\.\d+\.\d+\S*, 2 targets up$/),
    });
  });
});
