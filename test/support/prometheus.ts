import { join } from 'node:path';
import { stringify } from 'yaml';
import { startLoopbackProgram, type LoopbackProgram } from './loopback-program.ts';
import { PROMETHEUS } from './programs.ts';

export interface PrometheusOptions {
  /** What to scrape, one job a name: `{ checkout: '127.0.0.1:8123' }`. The label `service` carries the name too. */
  readonly scrapeTargets?: Readonly<Record<string, string>>;
  /** A whole configuration instead; the other options but `rulesYaml` are then ignored. Rules lie in `rules.yml` beside it. */
  readonly configYaml?: string;
  readonly rulesYaml?: string;
  readonly alertmanagerUrl?: string;
  /**
   * After so long an alert that fires is sent again; Prometheus's own default is a minute. It takes seconds to know its Alertmanager, and what fires before
   * that is sent to nobody.
   */
  readonly resendDelay?: string;
  /** Scrape and rule evaluation interval, default `1s`. */
  readonly scrapeInterval?: string;
  /** What links in alerts point to; default is the machine's name. */
  readonly externalUrl?: string;
}

/** A real Prometheus on a loopback port with data of its own. Throws `ProgramUnavailable` (see describeIf). */
export function startPrometheus(options: PrometheusOptions): Promise<LoopbackProgram> {
  return startLoopbackProgram(
    PROMETHEUS,
    {
      'rules.yml': options.rulesYaml ?? 'groups: []\n',
      'prometheus.yml': options.configYaml ?? configOf(options),
    },
    (folder) => [
      `--config.file=${join(folder, 'prometheus.yml')}`,
      `--storage.tsdb.path=${join(folder, 'data')}`,
      '--web.enable-lifecycle',
      ...(options.resendDelay === undefined ? [] : [`--rules.alert.resend-delay=${options.resendDelay}`]),
    ],
    options.externalUrl,
  );
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
