import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { TelemetryProvider } from '../../src/domain/provider.ts';
import type { Topology } from '../../src/domain/telemetry.ts';
import { createPrometheusProvider, loadDefaultQueries } from '../../src/providers/prometheus/index.ts';
import { describeIf } from '../support/describe-if.ts';
import { eventually } from '../support/eventually.ts';
import { incidentOf } from '../support/incidents.ts';
import type { LoopbackProgram } from '../support/loopback-program.ts';
import { PROMETHEUS } from '../support/programs.ts';
import { startPrometheus } from '../support/prometheus.ts';

const istio = (source: string, destination: string, more = '') =>
  `source_workload="${source}",source_workload_namespace="shop",destination_workload="${destination}",destination_workload_namespace="shop"${more}`;

/** Counters as the products export them. Each grows with every scrape; what is to be no call is beside what is one. */
const SERIES = [
  'traces_service_graph_request_total{client="web",server="cart"}',
  'traces_service_graph_request_total{client="cart",server="cart-db",connection_type="database"}',
  'traces_service_graph_request_total{client="user",server="web",connection_type="virtual_node"}',
  `istio_requests_total{reporter="source",${istio('web', 'checkout')}}`,
  `istio_requests_total{reporter="destination",${istio('web', 'checkout')}}`,
  `istio_requests_total{reporter="destination",${istio('unknown', 'web')}}`,
  'istio_requests_total{reporter="source",source_workload="checkout",source_workload_namespace="shop",destination_workload="ledger",destination_workload_namespace="bank"}',
  'istio_requests_total{reporter="source",source_workload="teller",source_workload_namespace="bank",destination_workload="vault",destination_workload_namespace="bank"}',
  `istio_requests_total{reporter="source",source_workload="checkout",source_workload_namespace="shop",destination_workload="unknown",destination_service_name="api.cards.example"}`,
  `istio_requests_total{reporter="source",source_workload="checkout",source_workload_namespace="shop",destination_workload="unknown",destination_service_name="PassthroughCluster"}`,
  `istio_tcp_sent_bytes_total{reporter="source",${istio('checkout', 'postgres')}}`,
  'control_response_total{namespace="shop",deployment="mailer"}',
  'response_total{direction="outbound",namespace="shop",deployment="mailer",dst_deployment="smtp",dst_namespace="shop"}',
  'response_total{direction="inbound",namespace="shop",deployment="smtp"}',
  'response_total{service="unrelated",namespace="shop"}',
  'hubble_tcp_flags_total{flag="SYN",family="IPv4",source_workload="search",destination_workload="index",destination_namespace="shop"}',
  'hubble_tcp_flags_total{flag="SYN-ACK",family="IPv4",source_workload="index",destination_workload="search",destination_namespace="shop"}',
  'hubble_tcp_flags_total{flag="SYN",family="IPv4",destination_namespace="shop"}',
];

function startExporter(): Promise<Server> {
  let scrapes = 0;
  const server = createServer((_request, response) => {
    scrapes += 1;
    const lines = SERIES.map((series) => `${series} ${scrapes * 10}`);
    response.writeHead(200, { 'content-type': 'text/plain; version=0.0.4' }).end(`${lines.join('\n')}\n`);
  });
  return new Promise((resolve) => server.listen(0, '127.0.0.1', () => resolve(server)));
}

const suite = await describeIf(PROMETHEUS);
suite('who calls whom, told by the metrics of service graphs and meshes', () => {
  let exporter: Server;
  let prometheus: LoopbackProgram;
  let topology: Topology;

  beforeAll(async () => {
    exporter = await startExporter();
    const { port } = exporter.address() as AddressInfo;
    prometheus = await startPrometheus({
      configYaml: `
global: { scrape_interval: 300ms, scrape_timeout: 300ms }
scrape_configs:
  - { job_name: mesh, honor_labels: true, static_configs: [{ targets: ['127.0.0.1:${port}'] }] }
`,
    });
    const limits = { timeoutMs: 10_000, maxSeries: 500, maxResponseBytes: 10_000_000 };
    const provider = createPrometheusProvider({ url: prometheus.url, ...limits, queries: loadDefaultQueries() });
    await eventually(
      'two scrapes',
      () => gather(provider),
      ({ edges }) => edges.length > 0,
    );
    // The second one may have come in between two questions of the same gathering.
    topology = await gather(provider);
  });

  afterAll(async () => {
    await prometheus?.stop();
    exporter?.closeAllConnections();
    exporter?.close();
  });

  async function gather(provider: TelemetryProvider): Promise<Topology> {
    const startsAtMs = Date.now();
    const incident = incidentOf({ alertname: 'A', service: 'checkout', namespace: 'shop' }, { startsAtMs });
    const window = { fromMs: startsAtMs - 600_000, toMs: startsAtMs + 60_000 };
    return (await provider.gather(incident, window, AbortSignal.timeout(30_000))).topology;
  }

  test('each call once, from caller to callee, and nothing else', () => {
    expect(topology.edges).toEqual([
      { from: 'cart', to: 'cart-db' },
      { from: 'checkout', to: 'api.cards.example' },
      { from: 'checkout', to: 'ledger' },
      { from: 'checkout', to: 'postgres' },
      { from: 'mailer', to: 'smtp' },
      { from: 'search', to: 'index' },
      { from: 'web', to: 'cart' },
      { from: 'web', to: 'checkout' },
    ]);
  });
});
