import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import type { RedisTarget } from '../../src/platform/redis.ts';
import { startChild, waitUntilReady, type Child } from './child.ts';
import { freePort } from './free-port.ts';
import { REDIS, requireProgram } from './programs.ts';

export interface TestRedis {
  /** Its unix socket. */
  readonly target: RedisTarget;
  /** The same server on a loopback port, for code that takes a URL. */
  readonly url: string;
  /** Settings with which a process of the product uses it. */
  readonly env: Readonly<Record<string, string>>;
  /** Of the running server; changes with `restart`. Absent where there are several. */
  readonly pid?: number;
  /** Ends the server and removes its data. */
  stop(): Promise<void>;
  /** kill -9; returns when it is gone. Data stay, `restart` brings it back. */
  kill(): Promise<void>;
  /** SIGSTOP: connections stay open and nothing answers. */
  pause(): void;
  resume(): void;
  /** Ends the server if it runs and starts it again on the same data, socket and port. */
  restart(): Promise<void>;
}

export interface TestRedisOptions {
  /** Further lines for redis-server, as arguments: `['--maxmemory', '5mb']`. */
  readonly args?: readonly string[];
  readonly appendFsync?: 'everysec' | 'always';
}

/** `cluster`: whoever asks for no particular server gets one of several nodes. Set by test/integration/redis-cluster-suites.test.ts. */
const isCluster = () => process.env['ROOTNOTE_TEST_REDIS'] === 'cluster';

/** The prefix of a test's keys: in a cluster all of them have to be in one slot. */
export const prefixOf = (name: string): string => (isCluster() ? `{${name}}` : name);

/** A private redis-server with append-only file and `noeviction`. Throws `ProgramUnavailable` (see describeIf). */
export async function startTestRedis(options: TestRedisOptions = {}): Promise<TestRedis> {
  if (isCluster() && Object.keys(options).length === 0) return (await import('./redis-cluster.ts')).startTestCluster();
  const program = await requireProgram(REDIS);
  const folder = await mkdtemp(join(tmpdir(), 'rn-redis-'));
  const socketPath = join(folder, 'redis.sock');
  const port = await freePort();
  const start = () => startServer(program, { folder, socketPath, port, options });
  let child = await start();
  return {
    target: { socketPath },
    url: `redis://127.0.0.1:${port}`,
    env: { REDIS_URL: `redis://127.0.0.1:${port}` },
    get pid() {
      return child.pid;
    },
    stop: async () => {
      await child.stop();
      await rm(folder, { recursive: true, force: true });
    },
    kill: () => child.kill(),
    pause: () => void child.process.kill('SIGSTOP'),
    resume: () => void child.process.kill('SIGCONT'),
    restart: async () => {
      await child.stop();
      child = await start();
    },
  };
}

interface Place {
  readonly folder: string;
  readonly socketPath: string;
  readonly port: number;
  readonly options: TestRedisOptions;
}

async function startServer(program: string, { folder, socketPath, port, options }: Place): Promise<Child> {
  const settings: Readonly<Record<string, string>> = {
    port: String(port),
    bind: '127.0.0.1',
    unixsocket: socketPath,
    unixsocketperm: '700',
    dir: folder,
    appendonly: 'yes',
    appendfsync: options.appendFsync ?? 'everysec',
    save: '',
    'maxmemory-policy': 'noeviction',
    daemonize: 'no',
  };
  const args = Object.entries(settings).flatMap(([name, value]) => [`--${name}`, value]);
  args.push(...(options.args ?? []));
  const child = await startChild(program, args, { cwd: folder });
  await waitUntilReady(child, 'redis-server', () => answersPing(socketPath));
  return child;
}

async function answersPing(socketPath: string): Promise<boolean> {
  const redis = new Redis({ path: socketPath, lazyConnect: true, retryStrategy: () => null, maxRetriesPerRequest: 0 });
  redis.on('error', () => undefined);
  // One that fails is closed. To close it again would leave a timer of ioredis behind, for two seconds (disconnectTimeout).
  await redis.connect();
  try {
    return (await redis.ping()) === 'PONG';
  } finally {
    redis.disconnect();
  }
}
