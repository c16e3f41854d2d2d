import { join } from 'node:path';
import { stringify } from 'yaml';
import { startLoopbackProgram, type LoopbackProgram } from './loopback-program.ts';
import { ALERTMANAGER } from './programs.ts';

export interface AlertmanagerOptions {
  /** Where notifications go: one receiver, grouped by alertname and service, quick timers. */
  readonly webhookUrl?: string;
  readonly bearerToken?: string;
  readonly groupWait?: string;
  readonly groupInterval?: string;
  readonly repeatInterval?: string;
  /** What links in notifications point to; default is the machine's name. */
  readonly externalUrl?: string;
  /** A whole configuration instead of the options above. */
  readonly configYaml?: string;
  /** Gossip with peers. Default: it is alone. */
  readonly cluster?: ClusterOptions;
}

export interface ClusterOptions {
  /** Loopback address with port, for gossip. */
  readonly address: string;
  readonly peers: readonly string[];
  /** How long each peer waits for those before it to send. Alertmanager's own default is 15 s. */
  readonly peerTimeout: string;
}

/** A real Alertmanager on a loopback port. Throws `ProgramUnavailable` (see describeIf). */
export function startAlertmanager(options: AlertmanagerOptions): Promise<LoopbackProgram> {
  return startLoopbackProgram(
    ALERTMANAGER,
    { 'alertmanager.yml': options.configYaml ?? configOf(options) },
    (folder) => [
      `--config.file=${join(folder, 'alertmanager.yml')}`,
      `--storage.path=${join(folder, 'data')}`,
      ...clusterArguments(options.cluster),
    ],
    options.externalUrl,
  );
}

function clusterArguments(cluster: ClusterOptions | undefined): readonly string[] {
  if (!cluster) return ['--cluster.listen-address='];
  return [
    `--cluster.listen-address=${cluster.address}`,
    `--cluster.advertise-address=${cluster.address}`,
    `--cluster.peer-timeout=${cluster.peerTimeout}`,
    '--cluster.settle-timeout=2s',
    ...cluster.peers.map((peer) => `--cluster.peer=${peer}`),
  ];
}

function configOf(options: AlertmanagerOptions): string {
  if (options.webhookUrl === undefined) throw new Error('either webhookUrl or configYaml is needed');
  const credentials = options.bearerToken;
  return stringify({
    route: {
      receiver: 'rootnote',
      group_by: ['alertname', 'service'],
      group_wait: options.groupWait ?? '100ms',
      group_interval: options.groupInterval ?? '1s',
      repeat_interval: options.repeatInterval ?? '4h',
    },
    receivers: [
      {
        name: 'rootnote',
        webhook_configs: [
          {
            url: options.webhookUrl,
            send_resolved: true,
            ...(credentials === undefined ? {} : { http_config: { authorization: { credentials } } }),
          },
        ],
      },
    ],
  });
}
