import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { gzipSync } from 'node:zlib';
import { startAlertmanager } from '../test/support/alertmanager.ts';
import { startPrometheus } from '../test/support/prometheus.ts';
import { catchWebhook, RULES } from './recorder/alerting.ts';
import { startFleet, type Fleet } from './recorder/fleet.ts';
import { startLoad } from './recorder/load.ts';
import { readMetrics, STEP_SECONDS } from './recorder/metrics.ts';
import { CALLS, DEFINITIONS } from './services/definitions.ts';

/**
 * Makes the demo's recording: real services under load, a harmless change, then the fault; a real Prometheus fires, a real
 * Alertmanager posts, and what all of them said is written down. `--baseline` is the healthy time in seconds.
 */
const { values: options } = parseArgs({
  options: { out: { type: 'string', default: 'demo/recording' }, baseline: { type: 'string', default: '400' } },
});
const baselineSeconds = Number(options.baseline);
const AFTER_ALERT_SECONDS = 120;
const ALERT_TIMEOUT_SECONDS = 240;
const ORDERS_PER_SECOND = 7;
const VISITS_PER_SECOND = 4;

const stops: (() => unknown)[] = [];
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(130));
const nowSeconds = () => Math.round(Date.now()) / 1000;
const tell = (line: string) => process.stderr.write(`${new Date().toISOString()} ${line}\n`);

interface Acts {
  readonly changes: object[];
  readonly events: object[];
}

async function changeSetting(fleet: Fleet, acts: Acts, service: string, setting: string, value: number) {
  const summary = await fleet.configure(service, setting, value);
  tell(summary);
  acts.changes.push({ time: nowSeconds(), service, kind: 'config', summary });
}

async function restart(fleet: Fleet, acts: Acts, service: string) {
  await fleet.restart(service);
  tell(`${service} restarted`);
  acts.events.push({
    time: nowSeconds(),
    type: 'Normal',
    reason: 'Restarted',
    message: `${service} was restarted to apply its configuration`,
    objectKind: 'Process',
    objectName: service,
    service,
  });
}

async function run(): Promise<void> {
  const fleet = await startFleet();
  stops.push(() => fleet.stop());
  const webhook = await catchWebhook();
  stops.push(() => webhook.stop());
  const alertmanager = await startAlertmanager({
    webhookUrl: webhook.url,
    groupWait: '5s',
    externalUrl: 'http://alertmanager.demo:9093',
  });
  stops.push(() => alertmanager.stop());
  const prometheus = await startPrometheus({
    scrapeTargets: fleet.addresses,
    scrapeInterval: `${STEP_SECONDS}s`,
    rulesYaml: RULES,
    alertmanagerUrl: alertmanager.url,
    externalUrl: 'http://prometheus.demo:9090',
  });
  stops.push(() => prometheus.stop());

  const storefront = `http://${fleet.addresses['storefront']}`;
  let cart = 1000;
  stops.push(startLoad(() => `${storefront}/order?cart=${(cart += 1)}`, ORDERS_PER_SECOND));
  stops.push(startLoad(() => storefront, VISITS_PER_SECOND));
  const from = nowSeconds();
  const acts: Acts = { changes: [], events: [] };
  tell(`healthy time: ${baselineSeconds} s`);
  await sleep((baselineSeconds * 1000) / 2);
  await changeSetting(fleet, acts, 'catalogue', 'cache_seconds', 60);
  await restart(fleet, acts, 'catalogue');
  await sleep((baselineSeconds * 1000) / 2);
  await changeSetting(fleet, acts, 'payments', 'db_pool_max', 2);

  const alert = await Promise.race([webhook.firstBody, sleep(ALERT_TIMEOUT_SECONDS * 1000, undefined, { ref: false })]);
  if (alert === undefined) throw new Error(`no alert came within ${ALERT_TIMEOUT_SECONDS} s of the fault`);
  tell('Alertmanager posted its webhook');
  await sleep(AFTER_ALERT_SECONDS * 1000);
  const to = nowSeconds();
  const rows = await readMetrics(prometheus.url, Math.ceil(from + 20), Math.floor(to));
  await writeRecording({ alert, rows, acts, logLines: [...fleet.logLines], from, to });
}

interface Material {
  readonly alert: string;
  readonly rows: readonly string[];
  readonly acts: Acts;
  readonly logLines: readonly string[];
  readonly from: number;
  readonly to: number;
}

async function writeRecording({ alert, rows, acts, logLines, from, to }: Material): Promise<void> {
  await mkdir(options.out, { recursive: true });
  const body = JSON.parse(alert) as { readonly alerts: readonly { readonly startsAt: string }[] };
  const lines = (items: readonly object[]) => items.map((item) => `${JSON.stringify(item)}\n`).join('');
  const series = new Set(rows.map((row) => row.split(',').slice(1, 3).join(','))).size;
  const caseInfo = {
    dataset: 'demo',
    case: 'payments-pool',
    sampling_s: STEP_SECONDS,
    alert_epoch: Date.parse(body.alerts[0]?.startsAt ?? '') / 1000,
    metrics: { from, to, rows: rows.length, series },
    logs: { from, to, rows: logLines.length, thinned: false },
  };
  const topology = {
    services: DEFINITIONS.map(({ name }) => name),
    edges: CALLS.map(([caller, callee]) => ({ from: caller, to: callee })),
  };
  const files: Readonly<Record<string, string | Buffer>> = {
    'alert.json': `${JSON.stringify(body, null, 2)}\n`,
    'case.json': `${JSON.stringify(caseInfo, null, 2)}\n`,
    'topology.json': `${JSON.stringify(topology, null, 2)}\n`,
    'changes.jsonl': lines(acts.changes),
    'events.jsonl': lines(acts.events),
    'metrics.csv.gz': gzipSync(`time,service,metric,value\n${rows.join('\n')}\n`, { level: 9 }),
    'logs.jsonl.gz': gzipSync(`${logLines.join('\n')}\n`, { level: 9 }),
  };
  for (const [name, content] of Object.entries(files)) {
    await writeFile(join(options.out, name), content);
    tell(`${name}: ${content.length} bytes`);
  }
}

try {
  await run();
} finally {
  for (const stop of stops.toReversed()) await stop();
}
