import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { stringify } from 'yaml';
import { startChild, waitUntilReady } from './child.ts';
import { freePort } from './free-port.ts';
import { PROMETHEUS, requireProgram } from './programs.ts';

export interface PrometheusOptions {
  /** What to scrape, one job a name: `{ checkout: '127.0.0.1:8123' }`. The label `service` carries the name too. */
  readonly scrapeTargets?: Readonly<Record<string, string>>;
  /** A whole configuration instead; the other options but `rulesYaml` are then ignored. Rules lie in `rules.yml` beside it. */
  readonly configYaml?: string;
  readonly rulesYaml?: string;
  readonly alertmanagerUrl?: string;
  /** Scrape and rule evaluation interval, default `1s`. */
  readonly scrapeInterval?: string;
  /** What links in alerts point to; default is the machine's name. */
  readonly externalUrl?: string;
}

export interface RunningPrometheus {
  readonly url: string;
  readonly pid: number;
  stop(): Promise<void>;
}

/** A real Prometheus on a loopback port with data of its own. Throws `ProgramUnavailable` (see describeIf). */
export async function startPrometheus(options: PrometheusOptions): Promise<RunningPrometheus> {
  const program = await requireProgram(PROMETHEUS);
  const folder = await mkdtemp(join(tmpdir(), 'rn-prometheus-'));
  const port = await freePort();
  await writeFile(join(folder, 'rules.yml'), options.rulesYaml ?? 'groups: []\n');
  await writeFile(join(folder, 'prometheus.yml'), options.configYaml ?? configOf(options));
  const child = await startChild(
    program,
    [
      `--config.file=${join(folder, 'prometheus.yml')}`,
      `--storage.tsdb.path=${join(folder, 'data')}`,
      `--web.listen-address=127.0.0.1:${port}`,
      '--web.enable-lifecycle',
      '--log.level=warn',
      ...(options.externalUrl === undefined ? [] : [`--web.external-url=${options.externalUrl}`]),
    ],
    { cwd: folder },
  );
  const url = `http://127.0.0.1:${port}`;
  await waitUntilReady(child, 'prometheus', async () => (await fetch(`${url}/-/ready`)).ok);
  return {
    url,
    pid: child.pid,
    stop: async () => {
      await child.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

function configOf(options: PrometheusOptions): string {
  const interval = options.scrapeInterval ?? '1s';
  const scrape = Object.entries(options.scrapeTargets ?? {}).map(([service, target]) => ({
    job_name: service,
    static_configs: [{ targets: [target], labels: { service } }],
  }));
  return stringify({
    global: { scrape_interval: interval, scrape_timeout: interval, evaluation_interval: interval },
    rule_files: ['rules.yml'],
    scrape_configs: scrape,
    ...(options.alertmanagerUrl === undefined
      ? {}
      : { alerting: { alertmanagers: [{ static_configs: [{ targets: [new URL(options.alertmanagerUrl).host] }] }] } }),
  });
}
