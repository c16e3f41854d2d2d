import { spawnSync } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { runProbes } from '../../src/checks/run-probes.ts';
import type { Job } from '../../src/domain/check.ts';
import type { TelemetryProvider } from '../../src/domain/provider.ts';
import { createPrometheusProvider, loadDefaultQueries } from '../../src/providers/prometheus/index.ts';
import { readJobs } from '../../src/schedule/read-jobs.ts';
import { describeIf } from '../support/describe-if.ts';
import { startLoopbackProgram, type LoopbackProgram } from '../support/loopback-program.ts';
import { counting, openMetricsText, type MadeUpSeries } from '../support/made-up-metrics.ts';
import { PROMETHEUS, requireProgram, type TestProgram } from '../support/programs.ts';

const PROMTOOL: TestProgram = {
  names: ['promtool'],
  debian: { packages: ['prometheus'], binary: 'usr/bin/promtool' },
};
const HOURS = 10;
const END_MS = Math.floor(Date.now() / 60_000) * 60_000;
/** Nothing has happened yet. */
const QUIET_MS = END_MS - 2 * 3_600_000;
/** Everything begins so many seconds before the end. */
const TROUBLE_S = -12 * 60;
const inTrouble = (second: number) => second >= TROUBLE_S;

const suite = await describeIf(PROMTOOL);

suite('the checks that are shipped, on a real Prometheus with metrics that are made up', () => {
  let prometheus: LoopbackProgram;
  let provider: TelemetryProvider;
  let folder = '';
  let jobs: readonly Job[] = [];

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'rn-metrics-'));
    const [text, data] = [join(folder, 'metrics.txt'), join(folder, 'data')];
    await writeFile(text, openMetricsText(SERIES, END_MS, HOURS));
    const promtool = await requireProgram(PROMTOOL);
    const made = spawnSync(promtool, ['tsdb', 'create-blocks-from', 'openmetrics', text, data], { encoding: 'utf8' });
    expect({ status: made.status, said: made.status === 0 ? '' : made.stderr }).toEqual({ status: 0, said: '' });
    prometheus = await startLoopbackProgram(
      PROMETHEUS,
      { 'prometheus.yml': '{}\n' },
      () => ['--config.file=prometheus.yml', `--storage.tsdb.path=${data}`],
      undefined,
    );
    const limits = { timeoutMs: 20_000, maxResponseBytes: 50_000_000, maxSeries: 500 };
    provider = createPrometheusProvider({ url: prometheus.url, ...limits, queries: loadDefaultQueries() });
    ({ jobs } = await readJobs('jobs'));
  });
  afterAll(async () => {
    await prometheus.stop();
    await rm(folder, { recursive: true, force: true });
  });

  /** What each probe of a check says: its findings by object, or its status. */
  async function ask(name: string, nowMs: number): Promise<Readonly<Record<string, unknown>>> {
    const { probes = [] } = jobs.find((job) => job.name === name) ?? {};
    const signal = AbortSignal.timeout(60_000);
    const answers = await runProbes(probes, { providers: [provider], nowMs, signal });
    return Object.fromEntries(
      answers.map(({ name: probe, status, findings }) => [
        probe,
        status === 'found' ? findings.map(({ object }) => object).toSorted() : status,
      ]),
    );
  }

  test('golden signals: latency, errors, traffic and memory are found where they are, and are clear before', async () => {
    expect(await ask('hourly-golden-signals', END_MS)).toEqual({
      'latency-moved': ['shop/payments'],
      'latency-high': ['shop/payments'],
      'error-ratio': ['shop/payments'],
      'errors-moved': ['shop/payments'],
      'traffic-dropped': ['shop/cart'],
      'cpu-throttled': 'clear',
      'memory-near-limit': ['shop/payments app'],
      'pool-used-up': 'unanswered',
      'pool-waiting': 'unanswered',
    });
    const quiet = await ask('hourly-golden-signals', QUIET_MS);
    expect(new Set(Object.values(quiet))).toEqual(new Set(['clear', 'unanswered']));
    expect(quiet).toMatchObject({ 'latency-moved': 'clear', 'error-ratio': 'clear', 'traffic-dropped': 'clear' });
  });

  test('disks: the claim that fills up is found hours before, the one that stays is not', async () => {
    expect(await ask('disk-and-pvc-forecast', END_MS)).toEqual({
      'claim-full-in-a-day': ['shop/data-db-0'],
      'claim-full-in-a-week': 'unanswered',
      'claim-inodes': 'clear',
      'node-disk-full-in-a-day': 'clear',
      'node-inodes': 'clear',
      'disk-read-only': 'clear',
    });
    expect(await ask('disk-and-pvc-forecast', END_MS - 8 * 3_600_000)).toMatchObject({
      'claim-full-in-a-day': 'clear',
    });
  });

  test('restarts: what crashes and is killed is found; that nothing does is an answer, and that nothing is measured is none', async () => {
    expect(await ask('restart-and-oom-sweep', END_MS)).toMatchObject({
      restarts: ['shop/payments app'],
      'crash-loop': ['shop/payments app'],
      'oom-killed': ['shop/payments app'],
      'node-oom': ['node-a:9100'],
      'containers-restarted': 'unanswered',
    });
    expect(await ask('restart-and-oom-sweep', QUIET_MS)).toMatchObject({
      restarts: 'clear',
      'crash-loop': 'clear',
      'oom-killed': 'clear',
      'node-oom': 'clear',
    });
    const before = await ask('restart-and-oom-sweep', END_MS - 24 * 3_600_000);
    expect(new Set(Object.values(before))).toEqual(new Set(['unanswered']));
  });

  test('certificates, backups and queues by the names that exporters have', async () => {
    expect(await ask('certificate-expiry', END_MS)).toMatchObject({
      'endpoint-expires': ['https://shop.example'],
      'endpoint-expires-now': 'clear',
      'managed-expires': 'clear',
    });
    expect(await ask('backup-freshness', END_MS)).toMatchObject({
      'backup-cronjob': ['shop/db-backup'],
      velero: 'clear',
    });
    expect(await ask('queue-and-replication-lag', END_MS)).toMatchObject({
      'kafka-lag': ['mailer orders'],
      'bullmq-waiting': 'clear',
      'postgres-replica-lag': ['db-1:9187'],
    });
  });
});

const POD = { namespace: 'shop', pod: 'payments-6d5f8c7b9-x2x4z', container: 'app' };
const GIB = 1024 ** 3;
const day = (days: number) => END_MS / 1000 + days * 86_400;

/** Requests a second of which a share is slower than a bound. */
function histogram(service: string, slowShare: (second: number) => number): readonly MadeUpSeries[] {
  const bucket = (le: string, share: (second: number) => number): MadeUpSeries => ({
    name: 'http_request_duration_seconds_bucket',
    labels: { namespace: 'shop', service, le },
    at: counting((second) => 10 * share(second), HOURS),
  });
  const fast = (second: number) => 1 - slowShare(second);
  return [
    bucket('0.1', (second) => 0.9 * fast(second)),
    bucket('0.5', fast),
    bucket('5', () => 1),
    bucket('+Inf', () => 1),
  ];
}

function requests(service: string, perSecond: (second: number) => number, code: string): MadeUpSeries {
  return { name: 'http_requests_total', labels: { namespace: 'shop', service, code }, at: counting(perSecond, HOURS) };
}

function level(name: string, labels: MadeUpSeries['labels'], at: MadeUpSeries['at'] | number): MadeUpSeries {
  return { name, labels, at: typeof at === 'number' ? () => at : at };
}

const SERIES: readonly MadeUpSeries[] = [
  ...histogram('payments', (second) => (inTrouble(second) ? 0.9 : 0.01)),
  ...histogram('checkout', () => 0.01),
  requests('payments', (second) => (inTrouble(second) ? 5 : 10), '200'),
  requests('payments', (second) => (inTrouble(second) ? 5 : 0.01), '500'),
  requests('cart', (second) => (inTrouble(second) ? 0.5 : 20), '200'),
  level(
    'container_cpu_cfs_throttled_periods_total',
    POD,
    counting(() => 0.1, HOURS),
  ),
  level(
    'container_cpu_cfs_periods_total',
    POD,
    counting(() => 10, HOURS),
  ),
  level('container_memory_working_set_bytes', POD, (second) => (second >= -18 * 60 ? 0.98 : 0.5) * GIB),
  level('kube_pod_container_resource_limits', { ...POD, resource: 'memory' }, GIB),
  level('kubelet_volume_stats_capacity_bytes', { namespace: 'shop', persistentvolumeclaim: 'data-db-0' }, 100 * GIB),
  // Half full, and from eight hours on four percent more an hour.
  level('kubelet_volume_stats_available_bytes', { namespace: 'shop', persistentvolumeclaim: 'data-db-0' }, (second) =>
    Math.round((50 - 4 * Math.max(0, second / 3600 + 8)) * GIB),
  ),
  level('kubelet_volume_stats_capacity_bytes', { namespace: 'shop', persistentvolumeclaim: 'data-cache-0' }, 10 * GIB),
  level('kubelet_volume_stats_available_bytes', { namespace: 'shop', persistentvolumeclaim: 'data-cache-0' }, 4 * GIB),
  level('kubelet_volume_stats_inodes', { namespace: 'shop', persistentvolumeclaim: 'data-db-0' }, 1e6),
  level('kubelet_volume_stats_inodes_free', { namespace: 'shop', persistentvolumeclaim: 'data-db-0' }, 9e5),
  ...['avail_bytes', 'size_bytes', 'files_free', 'files'].map((what, i) =>
    level(`node_filesystem_${what}`, { instance: 'node-a:9100', mountpoint: '/', fstype: 'ext4' }, i % 2 ? 1e9 : 6e8),
  ),
  level('node_filesystem_readonly', { instance: 'node-a:9100', mountpoint: '/', fstype: 'ext4' }, 0),
  level(
    'kube_pod_container_status_restarts_total',
    POD,
    counting((second) => (inTrouble(second) ? 1 / 60 : 0), HOURS),
  ),
  level('kube_pod_container_status_waiting', POD, 0),
  level('kube_pod_container_status_waiting_reason', { ...POD, reason: 'CrashLoopBackOff' }, (second) =>
    inTrouble(second) ? 1 : undefined,
  ),
  level('kube_pod_container_status_last_terminated_reason', { ...POD, reason: 'OOMKilled' }, (second) =>
    inTrouble(second) ? 1 : undefined,
  ),
  level(
    'node_vmstat_oom_kill',
    { instance: 'node-a:9100' },
    counting((second) => (inTrouble(second) ? 1 / 120 : 0), HOURS),
  ),
  level('probe_ssl_earliest_cert_expiry', { instance: 'https://shop.example' }, day(9)),
  level('probe_ssl_earliest_cert_expiry', { instance: 'https://api.example' }, day(80)),
  level('certmanager_certificate_expiration_timestamp_seconds', { namespace: 'shop', name: 'web-tls' }, day(60)),
  level('kube_cronjob_status_last_successful_time', { namespace: 'shop', cronjob: 'db-backup' }, day(-3)),
  level('velero_backup_last_successful_timestamp', { schedule: 'nightly' }, day(-0.4)),
  level('kafka_consumergroup_lag', { consumergroup: 'mailer', topic: 'orders' }, (second) =>
    second >= -20 * 60 ? 90_000 : 40,
  ),
  level('bullmq_job_count', { queue: 'mail', state: 'waiting' }, 7),
  level('pg_replication_lag_seconds', { instance: 'db-1:9187' }, (second) => (second >= -16 * 60 ? 400 : 1)),
  level('pg_replication_is_replica', { instance: 'db-1:9187' }, 1),
];
