import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { Labels } from '../../src/domain/labels.ts';
import type { TelemetryProvider } from '../../src/domain/provider.ts';
import type { Telemetry } from '../../src/domain/telemetry.ts';
import { createPrometheusProvider, loadDefaultQueries } from '../../src/providers/prometheus/index.ts';
import { describeIf } from '../support/describe-if.ts';
import { eventually } from '../support/eventually.ts';
import { incidentOf } from '../support/incidents.ts';
import { PROMETHEUS } from '../support/programs.ts';
import type { LoopbackProgram } from '../support/loopback-program.ts';
import { startPrometheus } from '../support/prometheus.ts';

const signal = () => AbortSignal.timeout(30_000);
const PODS = [
  { namespace: 'shop', pod: 'payments-6d5f8c7b9-x2x4z', container: 'payments', cores: 0.9 },
  { namespace: 'shop', pod: 'cart-7c9d8b5f6-k8w2p', container: 'cart', cores: 0.1 },
  { namespace: 'other', pod: 'stranger-5f7d9c8b6-z9t4q', container: 'stranger', cores: 0.5 },
];

const listen = (server: Server): Promise<Server> =>
  new Promise((resolve) => server.listen(0, '127.0.0.1', () => resolve(server)));

/** What kube-state-metrics tells of workloads of one name in two namespaces. */
function startStateMetrics(): Promise<Server> {
  const missing = { shop: 1, other: 5 };
  const lines = Object.entries(missing).map(
    ([namespace, count]) =>
      `kube_deployment_status_replicas_unavailable{namespace="${namespace}",deployment="payments"} ${count}\n` +
      `kube_pod_container_status_restarts_total{namespace="${namespace}",pod="payments-6d5f8c7b9-x2x4z"} 0\n`,
  );
  return listen(
    createServer((_request, response) => {
      response.writeHead(200, { 'content-type': 'text/plain; version=0.0.4' }).end(lines.join(''));
    }),
  );
}

/** What the kubelet and kube-state-metrics export for a few pods, and a machine without a namespace. */
function startKubelet(): Promise<Server> {
  const startedMs = Date.now();
  const server = createServer((_request, response) => {
    const seconds = (Date.now() - startedMs) / 1000;
    const lines = PODS.flatMap(({ namespace, pod, container, cores }) => {
      const labels = `namespace="${namespace}",pod="${pod}",container="${container}"`;
      return [
        `container_cpu_usage_seconds_total{${labels}} ${seconds * cores}`,
        `container_spec_cpu_quota{${labels}} 100000`,
        `container_spec_cpu_period{${labels}} 100000`,
        `container_memory_working_set_bytes{${labels}} 50000000`,
        `container_spec_memory_limit_bytes{${labels}} 100000000`,
      ];
    });
    const machine = `node_memory_MemAvailable_bytes{node="node-a"} 1\nnode_memory_MemTotal_bytes{node="node-a"} 4\n`;
    response.writeHead(200, { 'content-type': 'text/plain; version=0.0.4' }).end(`${lines.join('\n')}\n${machine}`);
  });
  return listen(server);
}

const suite = await describeIf(PROMETHEUS);
suite('the default queries on metrics of Kubernetes', () => {
  let kubelet: Server;
  let stateMetrics: Server;
  let prometheus: LoopbackProgram;
  let provider: TelemetryProvider;
  let telemetry: Telemetry;

  beforeAll(async () => {
    kubelet = await startKubelet();
    stateMetrics = await startStateMetrics();
    const portOf = (server: Server) => (server.address() as AddressInfo).port;
    prometheus = await startPrometheus({
      configYaml: `
global: { scrape_interval: 300ms, scrape_timeout: 300ms }
scrape_configs:
  - { job_name: kubelet, honor_labels: true, static_configs: [{ targets: ['127.0.0.1:${portOf(kubelet)}'] }] }
  - job_name: kube-state-metrics
    static_configs: [{ targets: ['127.0.0.1:${portOf(stateMetrics)}'], labels: { namespace: monitoring, pod: ksm-0 } }]
`,
    });
    const limits = { timeoutMs: 10_000, maxSeries: 500, maxResponseBytes: 10_000_000 };
    provider = createPrometheusProvider({ url: prometheus.url, ...limits, queries: loadDefaultQueries() });
    await untilThereAreRates();
    telemetry = await gatherFor({ alertname: 'PodBusy', namespace: 'shop', pod: 'payments-6d5f8c7b9-x2x4z' });
  });

  function gatherFor(labels: Labels): Promise<Telemetry> {
    const startsAtMs = Date.now();
    const window = { fromMs: startsAtMs - 300_000, toMs: startsAtMs };
    return provider.gather(incidentOf(labels, { startsAtMs }), window, signal());
  }

  afterAll(async () => {
    await prometheus?.stop();
    for (const server of [kubelet, stateMetrics]) {
      server?.closeAllConnections();
      server?.close();
    }
  });

  /** Of each exporter, since neither waits for the other. */
  async function untilThereAreRates(): Promise<void> {
    for (const counter of ['container_cpu_usage_seconds_total', 'kube_pod_container_status_restarts_total'])
      await eventually(`a rate of ${counter}`, () => seriesOf(`rate(${counter}[2s])`));
  }

  async function seriesOf(query: string): Promise<number> {
    const now = Date.now();
    const found = await provider.queryMetrics?.({ query, fromMs: now - 60_000, toMs: now }, signal());
    return found?.items.length ?? 0;
  }

  const lastOf = (metric: string, { series } = telemetry) =>
    series.filter((one) => one.metric === metric).map((one) => [one.service, one.values.at(-1)]);

  test('read the pods of the namespace of the alert, and no others', () => {
    expect(lastOf('container_memory_limit_ratio')).toEqual([
      ['cart-7c9d8b5f6-k8w2p', 0.5],
      ['payments-6d5f8c7b9-x2x4z', 0.5],
    ]);
    expect(JSON.stringify(telemetry.series)).not.toContain('stranger');
  });

  test('show how much of its limit each pod uses', () => {
    const usage = Object.fromEntries(lastOf('container_cpu_limit_ratio')) as Record<string, number>;
    expect(usage['payments-6d5f8c7b9-x2x4z']).toBeGreaterThan(3 * (usage['cart-7c9d8b5f6-k8w2p'] ?? 1));
  });

  test('of an exporter that bears its own namespace read what it tells of the alert’s', () => {
    expect(lastOf('deployment_replicas_missing')).toEqual([['payments', 1]]);
    expect(lastOf('container_restarts')).toEqual([['payments-6d5f8c7b9-x2x4z', 0]]);
  });

  test('an alert of such an exporter is about the namespace that it tells of', async () => {
    const labels = { alertname: 'ReplicasMissing', namespace: 'monitoring', exported_namespace: 'shop' };
    const told = await gatherFor({ ...labels, deployment: 'payments' });
    expect(lastOf('deployment_replicas_missing', told)).toEqual([['payments', 1]]);
    expect(lastOf('container_memory_limit_ratio', told)).toEqual(lastOf('container_memory_limit_ratio'));
  });

  test('read machines, which have no namespace', () => {
    expect(lastOf('node_memory_used_ratio')).toEqual([['node-a', 0.75]]);
  });

  test('ask nothing that does not exist', () => {
    expect(telemetry.gaps).toEqual([]);
    expect(telemetry.series.filter((one) => /http|jvm|redis|postgres/.test(one.metric))).toEqual([]);
  });
});
