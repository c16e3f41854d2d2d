import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { startChild, type Child } from './child.ts';
import { eventually } from './eventually.ts';
import { freePort } from './free-port.ts';
import { ProgramUnavailable, projectRoot, REDIS, requireProgram } from './programs.ts';

type Environment = Readonly<Record<string, string>>;

export interface RootnoteProcess {
  readonly url: string;
  readonly pid: number;
  /** Its working directory and STATE_DIR; removed with the process. */
  readonly folder: string;
  /** Both streams so far. */
  readonly output: () => string;
  /** Closes our end of its output, as a log collector that died. */
  stopReading(): void;
  /** Status of a GET, undefined while nobody listens. */
  status(path: string): Promise<number | undefined>;
  post(body: string, headers?: Readonly<Record<string, string>>): Promise<WebhookAnswer>;
  /** The same of a body that must be accepted, and what this process, a worker too, decided about it. Repeats are told at LOG_LEVEL=debug only. */
  postDecided(body: string): Promise<Admitted>;
  /** SIGTERM, then waits for it to end by itself. Returns the exit code; null when something had to kill it. */
  terminate(): Promise<number | null>;
  /** kill -9; returns when it is gone. */
  kill(): Promise<void>;
}

export interface WebhookAnswer {
  readonly status: number;
  readonly body: unknown;
  readonly headers: Headers;
}

export interface Admitted {
  readonly arrivalId: string;
  readonly decision: string;
  /** Absent when ignored. */
  readonly incidentId?: string;
}

export interface Finished {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface StartOptions {
  /** Default: /readyz answers 200. `alive`: /healthz does, for a role that cannot be ready yet. `started`: the process is there. */
  readonly until?: 'ready' | 'alive' | 'started';
  /** Folder of an earlier process, to start again on its state. */
  readonly folder?: string;
}

const BIN = join(projectRoot(), 'bin', 'rootnote.mjs');
/** A stale build is made first, and a Redis may have to be fetched. */
const START_LIMIT_MS = 180_000;
const EXIT_LIMIT_MS = 60_000;

const started = new Set<Child>();
const folders = new Set<string>();

/** Ends every process that this test file started and removes their folders. For `afterEach`. */
export async function stopRootnotes(): Promise<void> {
  await Promise.all([...started].map((child) => child.kill()));
  started.clear();
  await Promise.all([...folders].map((folder) => rm(folder, { recursive: true, force: true, maxRetries: 5 })));
  folders.clear();
}

/** A folder that `stopRootnotes` removes. */
export async function temporaryFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'rn-process-'));
  folders.add(folder);
  return folder;
}

/** Starts one role as users do, on a free loopback port, in a folder of its own, with nothing in its environment but PATH and `env`. */
export async function startRootnote(
  role: 'all' | 'serve' | 'work' | 'schedule',
  env: Environment,
  { until = 'ready', folder: given }: StartOptions = {},
): Promise<RootnoteProcess> {
  const folder = given ?? (await temporaryFolder());
  const port = env['PORT'] ?? String(await freePort());
  const child = await startChild(process.execPath, [BIN, role], {
    cwd: folder,
    env: { PATH: await pathWithRedis(), STATE_DIR: folder, ...env, PORT: port },
  });
  started.add(child);
  const url = `http://127.0.0.1:${port}`;
  const running = describeProcess(child, url, folder);
  if (until === 'started') return running;
  const wanted = until === 'ready' ? '/readyz' : '/healthz';
  await eventually(
    `rootnote ${role} answers ${wanted}`,
    async () => ({ status: await running.status(wanted), exited: child.exited(), output: child.output() }),
    ({ status, exited }) => status === 200 || exited,
    START_LIMIT_MS,
  );
  if (child.exited()) throw new Error(`rootnote ${role} ended at once: ${child.output()}`);
  return running;
}

/** What the log of a worker says of each arrival that it decided. */
export function admittedIn(output: string): readonly Admitted[] {
  // What follows the last line break may be the beginning of a line.
  const lines = output
    .split('\n')
    .slice(0, -1)
    .filter((line) => line.includes('"msg":"notification admitted"'));
  return lines.map((line) => JSON.parse(line) as Admitted);
}

function describeProcess(child: Child, url: string, folder: string): RootnoteProcess {
  const post: RootnoteProcess['post'] = async (body, headers = {}) => {
    const response = await fetch(`${url}/webhooks/alertmanager`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body,
    });
    return { status: response.status, body: await response.json(), headers: response.headers };
  };
  return {
    url,
    pid: child.pid,
    folder,
    output: () => child.output(),
    stopReading: () => {
      child.process.stdout?.destroy();
      child.process.stderr?.destroy();
    },
    status: async (path) => {
      try {
        const response = await fetch(`${url}${path}`);
        await response.text();
        return response.status;
      } catch {
        return undefined;
      }
    },
    post,
    postDecided: async (body) => {
      const answer = await post(body);
      const { id } = answer.body as { readonly id?: string };
      if (answer.status !== 202 || id === undefined)
        throw new Error(`not accepted: ${answer.status} ${JSON.stringify(answer.body)}`);
      const decided = () => admittedIn(child.output()).find(({ arrivalId }) => arrivalId === id);
      return (await eventually(`${id} is decided`, decided)) as Admitted;
    },
    terminate: async () => {
      child.process.kill('SIGTERM');
      await eventually(
        'the process ends after SIGTERM',
        () => child.output(),
        () => child.exited(),
        EXIT_LIMIT_MS,
      );
      // It is gone; this waits for the last of what it printed.
      await child.stop();
      return child.process.exitCode;
    },
    kill: () => child.kill(),
  };
}

/** Starts one command that ends by itself. `PATH` in `env` replaces the one with Redis on it. */
export async function startRootnoteCommand(
  args: readonly string[],
  env: Environment = {},
  cwd?: string,
): Promise<{ readonly child: Child; readonly finished: Promise<Finished> }> {
  const folder = cwd ?? (await temporaryFolder());
  const child = await startChild(process.execPath, [BIN, ...args], {
    cwd: folder,
    env: { PATH: await pathWithRedis(), STATE_DIR: folder, ...env },
  });
  started.add(child);
  const streams = { stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr'] as const)
    child.process[name]?.on('data', (chunk: Buffer) => (streams[name] += chunk.toString('utf8')));
  const closed = once(child.process, 'close', { signal: AbortSignal.timeout(START_LIMIT_MS) });
  return { child, finished: closed.then(() => ({ code: child.process.exitCode, ...streams })) };
}

/** The same, to its end. */
export async function runRootnote(args: readonly string[], env: Environment = {}, cwd?: string): Promise<Finished> {
  return (await startRootnoteCommand(args, env, cwd)).finished;
}

/** So that no test fetches a Redis that the test run already has. */
async function pathWithRedis(): Promise<string> {
  const path = process.env['PATH'] ?? '';
  try {
    const program = await requireProgram(REDIS);
    return program.includes('/') ? `${dirname(program)}${delimiter}${path}` : path;
  } catch (error) {
    if (error instanceof ProgramUnavailable) return path;
    throw error;
  }
}
