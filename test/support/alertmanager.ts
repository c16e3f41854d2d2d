import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { stringify } from 'yaml';
import { startChild, waitUntilReady } from './child.ts';
import { freePort } from './free-port.ts';
import { ALERTMANAGER, requireProgram } from './programs.ts';

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
}

export interface RunningAlertmanager {
  readonly url: string;
  readonly pid: number;
  stop(): Promise<void>;
}

/** A real Alertmanager without clustering on a loopback port. Throws `ProgramUnavailable` (see describeIf). */
export async function startAlertmanager(options: AlertmanagerOptions): Promise<RunningAlertmanager> {
  const program = await requireProgram(ALERTMANAGER);
  const folder = await mkdtemp(join(tmpdir(), 'rn-alertmanager-'));
  const port = await freePort();
  await writeFile(join(folder, 'alertmanager.yml'), options.configYaml ?? configOf(options));
  const child = await startChild(
    program,
    [
      `--config.file=${join(folder, 'alertmanager.yml')}`,
      `--storage.path=${join(folder, 'data')}`,
      `--web.listen-address=127.0.0.1:${port}`,
      '--cluster.listen-address=',
      '--log.level=warn',
      ...(options.externalUrl === undefined ? [] : [`--web.external-url=${options.externalUrl}`]),
    ],
    { cwd: folder },
  );
  const url = `http://127.0.0.1:${port}`;
  await waitUntilReady(child, 'alertmanager', async () => (await fetch(`${url}/-/ready`)).ok);
  return {
    url,
    pid: child.pid,
    stop: async () => {
      await child.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
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
