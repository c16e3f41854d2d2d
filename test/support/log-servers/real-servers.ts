import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { stringify } from 'yaml';
import { findProgram } from '../../../src/platform/find-program.ts';
import { startChild, waitUntilReady } from '../child.ts';
import { eventually } from '../eventually.ts';
import { freePort } from '../free-port.ts';
import { fieldsOf, STREAM_FIELDS, type WrittenLine } from './written-lines.ts';

export interface RealServer {
  readonly url: string;
  stop(): Promise<void>;
}

/** Neither is in the Debian archive: they are tested against where somebody has built them (docs/logs.md). */
export async function findLogProgram(variable: string, name: string): Promise<string | undefined> {
  return (await findProgram([process.env[variable] ?? name]))?.command;
}

/** A VictoriaLogs with these lines. */
export async function startVictoriaLogs(command: string, lines: readonly WrittenLine[]): Promise<RealServer> {
  const server = await startIn(
    'victoria-logs',
    command,
    {},
    (folder, address) => [
      `-storageDataPath=${join(folder, 'data')}`,
      `-httpListenAddr=${address}`,
      '-retentionPeriod=100y',
      '-loggerLevel=ERROR',
    ],
    '/health',
  );
  const row = (line: WrittenLine) => ({ _time: `${line.timeNs}`, _msg: line.message, ...fieldsOf(line) });
  const params = `_stream_fields=${STREAM_FIELDS.join(',')}`;
  const body = lines.map((line) => `${JSON.stringify(row(line))}\n`).join('');
  const headers = { 'content-type': 'application/stream+json' };
  const answer = await fetch(`${server.url}/insert/jsonline?${params}`, { method: 'POST', headers, body });
  if (!answer.ok) throw new Error(await answer.text());
  // Else lines are there before their streams can be asked for.
  await fetch(`${server.url}/internal/force_flush`);
  await eventually('VictoriaLogs has all lines', async () => {
    const form = new URLSearchParams({
      query: '_time:[2026-01-01T00:00:00Z, 2026-02-01T00:00:00Z) {service=~".+"} | stats count() n',
    });
    const counted = (await (
      await fetch(`${server.url}/select/logsql/query`, { method: 'POST', body: form })
    ).json()) as {
      readonly n: string;
    };
    return Number(counted.n) >= lines.length;
  });
  return server;
}

/** A Loki with these lines; level and trace are structured metadata. */
export async function startLoki(command: string, lines: readonly WrittenLine[]): Promise<RealServer> {
  const grpcPort = await freePort();
  const server = await startIn(
    'loki',
    command,
    { 'loki.yaml': (folder, port) => lokiConfig(folder, port, grpcPort) },
    (folder) => [`-config.file=${join(folder, 'loki.yaml')}`, '-log.level=error'],
    '/ready',
  );
  for (let from = 0; from < lines.length; from += 10_000) {
    const streams = new Map<string, { readonly stream: object; readonly values: unknown[] }>();
    for (const line of lines.slice(from, from + 10_000)) {
      const { service, namespace = '', ...metadata } = fieldsOf(line);
      const stream = { service, namespace };
      const entry = streams.get(JSON.stringify(stream)) ?? { stream, values: [] };
      entry.values.push([String(line.timeNs), line.message, metadata]);
      streams.set(JSON.stringify(stream), entry);
    }
    const body = JSON.stringify({ streams: [...streams.values()] });
    const headers = { 'content-type': 'application/json' };
    const answer = await fetch(`${server.url}/loki/api/v1/push`, { method: 'POST', headers, body });
    if (!answer.ok) throw new Error(await answer.text());
  }
  // What is in memory is only looked at for the last hours.
  await fetch(`${server.url}/flush`, { method: 'POST' });
  await eventually('Loki has all lines', async () => {
    const params = new URLSearchParams({
      query: 'sum(count_over_time({service=~".+"}[30d]))',
      time: '2026-01-20T00:00:00Z',
    });
    const answer = await fetch(`${server.url}/loki/api/v1/query?${params.toString()}`);
    const { data } = (await answer.json()) as {
      readonly data: { readonly result: readonly { readonly value: readonly [number, string] }[] };
    };
    return Number(data.result[0]?.value[1]) >= lines.length;
  });
  return server;
}

function lokiConfig(folder: string, port: number, grpcPort: number): string {
  return stringify({
    auth_enabled: false,
    analytics: { reporting_enabled: false },
    server: {
      http_listen_address: '127.0.0.1',
      http_listen_port: port,
      grpc_listen_address: '127.0.0.1',
      grpc_listen_port: grpcPort,
      grpc_server_max_recv_msg_size: 100_000_000,
    },
    common: {
      instance_addr: '127.0.0.1',
      path_prefix: folder,
      replication_factor: 1,
      ring: { kvstore: { store: 'inmemory' } },
      storage: { filesystem: { chunks_directory: join(folder, 'chunks'), rules_directory: join(folder, 'rules') } },
    },
    schema_config: {
      configs: [
        {
          from: '2020-10-24',
          store: 'tsdb',
          object_store: 'filesystem',
          schema: 'v13',
          index: { prefix: 'index_', period: '24h' },
        },
      ],
    },
    limits_config: {
      reject_old_samples: false,
      ingestion_rate_mb: 1000,
      ingestion_burst_size_mb: 1000,
      per_stream_rate_limit: '1GB',
      per_stream_rate_limit_burst: '1GB',
      discover_service_name: ['service'],
    },
  });
}

type FileOf = (folder: string, port: number) => string;

async function startIn(
  name: string,
  command: string,
  files: Readonly<Record<string, FileOf>>,
  argumentsFor: (folder: string, address: string) => readonly string[],
  readyPath: string,
): Promise<RealServer> {
  const folder = await mkdtemp(join(tmpdir(), `rn-${name}-`));
  const port = await freePort();
  for (const [file, textOf] of Object.entries(files)) await writeFile(join(folder, file), textOf(folder, port));
  const child = await startChild(command, argumentsFor(folder, `127.0.0.1:${port}`), { cwd: folder });
  const url = `http://127.0.0.1:${port}`;
  await waitUntilReady(child, name, async () => (await fetch(`${url}${readyPath}`)).ok, 60_000);
  const stop = async () => {
    await child.stop();
    await rm(folder, { recursive: true, force: true });
  };
  return { url, stop };
}
