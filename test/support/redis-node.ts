import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import { startChild, waitUntilReady, type Child } from './child.ts';
import { REDIS, requireProgram } from './programs.ts';

/** One redis-server among several, on a loopback port that stays its own. */
export interface RedisNode {
  readonly port: number;
  readonly address: string;
  start(...args: readonly string[]): Promise<void>;
  kill(): Promise<void>;
  stop(): Promise<void>;
  pause(): void;
  resume(): void;
  /** One command, on a connection of its own. */
  ask(command: string, ...args: readonly (string | number)[]): Promise<unknown>;
  /** What it printed since its last start. */
  log(): string;
}

/** Not started yet. `lines`: of its configuration file, which a Sentinel writes, too. */
export async function createRedisNode(
  folder: string,
  port: number,
  lines: readonly string[],
  kind: 'server' | 'sentinel' = 'server',
): Promise<RedisNode> {
  const program = await requireProgram(REDIS);
  const home = join(folder, String(port));
  const file = join(home, 'redis.conf');
  await mkdir(home, { recursive: true });
  await writeFile(file, [`port ${port}`, 'bind 127.0.0.1', `dir ${home}`, 'daemonize no', ...lines, ''].join('\n'));
  let child: Child | undefined;
  const ask: RedisNode['ask'] = async (command, ...args) => {
    const redis = new Redis(port, '127.0.0.1', { lazyConnect: true, retryStrategy: () => null });
    redis.on('error', () => undefined);
    try {
      await redis.connect();
      return await redis.call(command, ...args);
    } finally {
      redis.disconnect();
    }
  };
  return {
    port,
    address: `127.0.0.1:${port}`,
    ask,
    start: async (...args) => {
      child = await startChild(program, [file, ...(kind === 'sentinel' ? ['--sentinel'] : []), ...args], { cwd: home });
      await waitUntilReady(child, `redis-server ${port}`, async () => (await ask('PING')) === 'PONG');
    },
    kill: async () => child?.kill(),
    stop: async () => child?.stop(),
    pause: () => void child?.process.kill('SIGSTOP'),
    resume: () => void child?.process.kill('SIGCONT'),
    log: () => child?.output() ?? '',
  };
}

/** What every server that keeps data has. */
export const KEEPS_DATA = ['appendonly yes', 'appendfsync everysec', 'save ""', 'maxmemory-policy noeviction'];
