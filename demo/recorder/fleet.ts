import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { freePort } from '../../test/support/free-port.ts';
import { CALLS, DEFINITIONS, SETTINGS } from '../services/definitions.ts';

/** The demo's services as running processes. */
export interface Fleet {
  /** Where each listens: `127.0.0.1:8123`. */
  readonly addresses: Readonly<Record<string, string>>;
  /** Every line the services logged so far, as written. */
  readonly logLines: readonly string[];
  /** Changes one setting in the service's configuration file and lets it reload; returns what was done, in words. */
  configure(service: string, setting: string, value: number): Promise<string>;
  /** SIGTERM, then a new process. */
  restart(service: string): Promise<void>;
  stop(): Promise<void>;
}

// Its extension is that of this file: .ts under a test runner, .js once built.
const MAIN = fileURLToPath(new URL(`../services/main${import.meta.url.slice(-3)}`, import.meta.url));

export async function startFleet(): Promise<Fleet> {
  const folder = await mkdtemp(join(tmpdir(), 'rootnote-demo-'));
  const logLines: string[] = [];
  const processes = new Map<string, ChildProcess>();
  const settings = new Map(Object.entries(SETTINGS));
  const ports = new Map<string, number>();
  for (const { name } of DEFINITIONS) ports.set(name, await freePort());
  const address = (service: string) => `127.0.0.1:${ports.get(service)}`;

  const configFile = (service: string) => join(folder, `${service}.json`);
  const writeConfig = (service: string) => {
    const callees = CALLS.filter(([from]) => from === service).map(([, to]) => [to, `http://${address(to)}`] as const);
    const config = {
      port: ports.get(service),
      peers: Object.fromEntries(callees),
      settings: settings.get(service) ?? {},
    };
    return writeFile(configFile(service), JSON.stringify(config, null, 2));
  };
  const start = async (service: string) => {
    const child = fork(MAIN, [service, configFile(service)], { stdio: ['ignore', 'pipe', 'inherit', 'ipc'] });
    processes.set(service, child);
    if (!child.stdout) throw new Error(`${service} has no output`);
    const lines = createInterface({ input: child.stdout });
    lines.on('line', (line) => logLines.push(line));
    await once(lines, 'line');
  };
  const stop = async (service: string) => {
    const child = processes.get(service);
    if (!child || child.exitCode !== null) return;
    const gone = once(child, 'exit');
    child.kill('SIGTERM');
    await gone;
  };

  for (const { name } of DEFINITIONS) await writeConfig(name);
  await Promise.all(DEFINITIONS.map(({ name }) => start(name)));
  return {
    addresses: Object.fromEntries(DEFINITIONS.map(({ name }) => [name, address(name)])),
    logLines,
    configure: async (service, setting, value) => {
      const before = settings.get(service) ?? {};
      settings.set(service, { ...before, [setting]: value });
      await writeConfig(service);
      processes.get(service)?.kill('SIGHUP');
      return `${service} configuration: ${setting} changed from ${before[setting]} to ${value}`;
    },
    restart: async (service) => {
      await stop(service);
      await start(service);
    },
    stop: async () => {
      await Promise.all(DEFINITIONS.map(({ name }) => stop(name)));
      await rm(folder, { recursive: true, force: true });
    },
  };
}
