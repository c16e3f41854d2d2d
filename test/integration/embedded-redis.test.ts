import { mkdir, mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { Redis } from 'ioredis';
import { startEmbeddedRedis, type EmbeddedRedis } from '../../src/platform/embedded-redis.ts';
import { probeRedisSocket } from '../../src/platform/redis-socket.ts';
import { startChild, waitUntilReady, type Child } from '../support/child.ts';
import { describeIf } from '../support/describe-if.ts';
import { eventually } from '../support/eventually.ts';
import { CACHE_DIR, REDIS, requireProgram } from '../support/programs.ts';

let stateDir: string;
let log: string[];
const started: EmbeddedRedis[] = [];

beforeEach(async () => {
  stateDir = await mkdtemp(join(tmpdir(), 'rn-state-'));
  log = [];
});
afterEach(async () => {
  for (const server of started.splice(0)) await server.stop();
  await rm(stateDir, { recursive: true, force: true });
});

async function start(folder = stateDir): Promise<EmbeddedRedis> {
  const server = await startEmbeddedRedis({ stateDir: folder, cacheDir: CACHE_DIR, log: (line) => log.push(line) });
  started.push(server);
  return server;
}

function socketOf(server: EmbeddedRedis): string {
  if (!('socketPath' in server.target)) throw new Error('not a socket');
  return server.target.socketPath;
}

async function ask<T>(socketPath: string, question: (redis: Redis) => Promise<T>): Promise<T> {
  const redis = new Redis({ path: socketPath, maxRetriesPerRequest: null, retryStrategy: () => 50 });
  redis.on('error', () => undefined);
  try {
    return await question(redis);
  } finally {
    redis.disconnect();
  }
}

async function pidBehind(socketPath: string): Promise<number | undefined> {
  const state = await probeRedisSocket(socketPath);
  return state.kind === 'server' && state.ready ? state.pid : undefined;
}

/** Of the server that serves there, another one than `before`. A busy one may take longer to answer than a probe waits. */
async function servingPid(socketPath: string, before?: number): Promise<number> {
  const pid = await eventually(
    'a server answers',
    () => pidBehind(socketPath),
    (found) => found !== undefined && found !== before,
  );
  return pid as number;
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

const withRedis = await describeIf(REDIS);
withRedis('the embedded Redis', () => {
  test('listens on a private socket only, appends to a file and evicts nothing', async () => {
    const server = await start();
    const socketPath = socketOf(server);
    const setting = (name: string) => ask(socketPath, (redis) => redis.config('GET', name));
    expect(await setting('port')).toContain('0');
    expect(await setting('appendonly')).toContain('yes');
    expect(await setting('maxmemory-policy')).toContain('noeviction');
    expect((await stat(dirname(socketPath))).mode & 0o777).toBe(0o700);
    expect(server).toMatchObject({ owned: true, version: expect.stringMatching(/^\d+\.\d+/) });
  });

  test('is joined by a second start, which leaves it running at its stop', async () => {
    const first = await start();
    const second = await start();
    expect([first.owned, second.owned]).toEqual([true, false]);
    expect(second.target).toEqual(first.target);
    const pid = await servingPid(socketOf(first));
    await second.stop();
    expect(await servingPid(socketOf(first))).toBe(pid);
    await first.stop();
    expect(await probeRedisSocket(socketOf(first))).toEqual({ kind: 'none' });
  });

  test('two starts at the same moment make one server', async () => {
    const both = await Promise.all([start(), start()]);
    expect(both.filter((server) => server.owned)).toHaveLength(1);
  });

  test('keeps its data over stop and start', async () => {
    const first = await start();
    await ask(socketOf(first), (redis) => redis.set('key', 'value'));
    await first.stop();
    expect(await ask(socketOf(await start()), (redis) => redis.get('key'))).toBe('value');
  });

  test('comes back with its data when the server is killed', async () => {
    const server = await start();
    const socketPath = socketOf(server);
    await ask(socketPath, (redis) => redis.set('key', 'value'));
    const before = await servingPid(socketPath);
    process.kill(before, 'SIGKILL');
    await servingPid(socketPath, before);
    expect(await ask(socketPath, (redis) => redis.get('key'))).toBe('value');
    expect(log.join('\n')).toContain('starting it again');
  });

  test('uses a short private folder for its socket when the state folder has a long name', async () => {
    const deep = join(stateDir, 'x'.repeat(120));
    await mkdir(deep);
    const socketPath = socketOf(await start(deep));
    expect(Buffer.byteLength(socketPath)).toBeLessThanOrEqual(100);
    expect((await stat(dirname(socketPath))).mode & 0o777).toBe(0o700);
    expect(await readdir(join(deep, 'redis'))).toContain('appendonlydir');
    await rm(dirname(socketPath), { recursive: true, force: true });
  });

  test('a socket file without a server is no obstacle', async () => {
    const first = await start();
    const socketPath = socketOf(first);
    await first.stop();
    const left = await startChild(process.execPath, ['-e', LISTEN_AND_WAIT, socketPath]);
    await waitUntilReady(left, 'listener', async () => left.output().includes('listening'));
    await left.kill();
    expect((await stat(socketPath)).isSocket()).toBe(true);
    expect((await start()).owned).toBe(true);
  });

  test('runs in Docker where nothing else is to be had (a stand-in passes the command on)', async () => {
    const bin = join(stateDir, 'bin');
    await mkdir(bin);
    const redis = await requireProgram(REDIS);
    const docker = `#!/bin/sh
      [ "$1" = version ] && exit 0
      while [ "$1" != valkey-server ]; do shift; done
      shift
      PATH=${process.env['PATH']} exec ${redis} "$@"\n`;
    await writeFile(join(bin, 'docker'), docker, { mode: 0o755 });
    const server = await startEmbeddedRedis({
      stateDir,
      cacheDir: join(stateDir, 'cache'),
      log: (line) => log.push(line),
      env: { PATH: bin },
    });
    started.push(server);
    expect(await ask(socketOf(server), (client) => client.ping())).toBe('PONG');
    expect(log.join('\n')).toContain('from Docker');
  });

  test('ends when its owner is killed with -9, and the next start finds everything', async () => {
    const owner = await startOwner(stateDir);
    const socketPath = join(stateDir, 'redis', 'redis.sock');
    const pid = await servingPid(socketPath);
    await ask(socketPath, (redis) => redis.set('key', 'value'));
    await owner.kill();
    const next = await start();
    expect(next.owned).toBe(true);
    await eventually('the first server has ended', () => !isAlive(pid));
    expect(await ask(socketOf(next), (redis) => redis.get('key'))).toBe('value');
  });
});

const LISTEN_AND_WAIT = `require('node:net').createServer().listen(process.argv[1], () => console.log('listening'))`;

/** A process of its own that starts the embedded Redis, says so and waits. */
async function startOwner(folder: string): Promise<Child> {
  const module = new URL('../../src/platform/embedded-redis.ts', import.meta.url).href;
  const loader = new URL('../support/typescript-loader.mjs', import.meta.url).href;
  const script = `import { startEmbeddedRedis } from '${module}';
    const log = (line) => console.log(line);
    await startEmbeddedRedis({ stateDir: process.argv[1], cacheDir: process.argv[2], log });
    console.log('owner is ready');`;
  const args = ['--import', loader, '--input-type=module', '-e', script, folder, CACHE_DIR];
  const owner = await startChild(process.execPath, args);
  await waitUntilReady(owner, 'owner', async () => owner.output().includes('owner is ready'), 60_000);
  return owner;
}
