import { createHash } from 'node:crypto';
import { chmod, lstat, mkdir, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { OWN_NAME, ownerLives, readOwner, withLockFile } from './lock-file.ts';
import { findRedisProgram, type RedisProgram } from './redis-program.ts';
import { probeRedisSocket, shutDownRedis } from './redis-socket.ts';
import type { RedisTarget } from './redis.ts';
import { keepRunning } from './keep-running.ts';
import { startTethered, type TetheredChild } from './tethered-child.ts';

export interface EmbeddedRedisOptions {
  readonly stateDir: string;
  /** Where a fetched Debian package is kept. */
  readonly cacheDir: string;
  readonly log: (line: string) => void;
  readonly signal?: AbortSignal;
  /** Environment of the programs that are started; this process' own when absent. */
  readonly env?: Readonly<Record<string, string | undefined>>;
}

export interface EmbeddedRedis {
  readonly target: RedisTarget;
  readonly version: string;
  /** False when another process started the server: `stop` then leaves it alone. */
  readonly owned: boolean;
  /** Ends the server after it wrote its append-only file. Safe to call twice. */
  stop(): Promise<void>;
}

/** Unix socket paths end at 104 (BSD, macOS) or 108 bytes. */
const MAX_SOCKET_PATH_BYTES = 100;
/** The first start may fetch a package or pull an image. */
const LOCK_WAIT_MS = 600_000;
const STOP_GRACE_MS = 10_000;

interface Place {
  readonly dataDir: string;
  readonly socketPath: string;
}

/**
 * Starts a private Redis in `stateDir`, or joins the one that a living process runs there. Unix socket only (no port), append-only
 * file on, `noeviction`, folders 0700. The server ends with this process, also after kill -9, and what it acknowledged is there at
 * the next start. If the server itself dies it is started again, at most 5 times in 10 minutes. Throws `RedisUnavailable` when no
 * Redis can be had.
 */
export async function startEmbeddedRedis(options: EmbeddedRedisOptions): Promise<EmbeddedRedis> {
  const place = await preparePlace(resolve(options.stateDir));
  const ownerFile = join(place.dataDir, 'owner');
  const lock = { waitMs: LOCK_WAIT_MS, signal: options.signal };
  return withLockFile(join(place.dataDir, 'start.lock'), lock, async () => {
    const running = await runningServer(place.socketPath, ownerFile);
    if (running !== undefined) {
      options.log(`using the Redis ${running} that already runs at ${place.socketPath}`);
      return { target: { socketPath: place.socketPath }, version: running, owned: false, stop: async () => undefined };
    }
    const program = await findRedisProgram(options);
    const server = await startOwnServer(place, program, options);
    await writeFile(ownerFile, OWN_NAME);
    return server;
  });
}

/** Version of a server whose owner lives. One that a killed process left behind is ended first: its files are reused. */
async function runningServer(socketPath: string, ownerFile: string): Promise<string | undefined> {
  for (let attempt = 0; attempt < 50; attempt += 1) {
    const state = await probeRedisSocket(socketPath);
    if (state.kind === 'none') return undefined;
    if (state.kind === 'server') {
      if (ownerLives(await readOwner(ownerFile))) {
        if (state.ready) return state.version;
      } else {
        await shutDownRedis(socketPath);
      }
    }
    await sleep(200);
  }
  throw new Error(`the Redis at ${socketPath} neither answers nor ends; end it by hand and try again`);
}

async function preparePlace(stateDir: string): Promise<Place> {
  const dataDir = join(stateDir, 'redis');
  await mkdir(dataDir, { recursive: true, mode: 0o700 });
  await chmod(dataDir, 0o700);
  const inState = join(dataDir, 'redis.sock');
  if (Buffer.byteLength(inState) <= MAX_SOCKET_PATH_BYTES) return { dataDir, socketPath: inState };
  const hash = createHash('sha256').update(dataDir).digest('hex').slice(0, 16);
  const socketDir = join(tmpdir(), `rootnote-${hash}`);
  await mkdir(socketDir, { recursive: true, mode: 0o700 });
  // The temporary folder is everybody's: someone else may have made this one first.
  const info = await lstat(socketDir);
  if (!info.isDirectory() || info.uid !== process.getuid?.()) {
    throw new Error(`${socketDir} belongs to someone else; choose a shorter STATE_DIR`);
  }
  await chmod(socketDir, 0o700);
  return { dataDir, socketPath: join(socketDir, 'redis.sock') };
}

function serverArgs(program: RedisProgram, { dataDir, socketPath }: Place): string[] {
  const settings: Readonly<Record<string, string>> = {
    port: '0',
    unixsocket: socketPath,
    unixsocketperm: '700',
    dir: dataDir,
    appendonly: 'yes',
    appendfsync: 'everysec',
    save: '',
    'maxmemory-policy': 'noeviction',
    daemonize: 'no',
  };
  return [
    ...program.leadingArgs([...new Set([dataDir, dirname(socketPath)])]),
    ...Object.entries(settings).flatMap(([name, value]) => [`--${name}`, value]),
  ];
}

async function startOwnServer(
  place: Place,
  program: RedisProgram,
  { log, env, signal }: EmbeddedRedisOptions,
): Promise<EmbeddedRedis> {
  const start = () => startTethered(program.command, serverArgs(program, place), { cwd: place.dataDir, env });
  const first = await start();
  const version = await waitUntilReady(first, place.socketPath, program.readyTimeoutMs, signal);
  const kept = keepRunning({
    first,
    start: async () => {
      // The tether may have been killed alone and the server live on.
      await shutDownRedis(place.socketPath);
      return start();
    },
    name: 'the embedded Redis',
    log,
  });
  log(`started a private Redis ${version} from ${program.origin}; data in ${place.dataDir}`);
  return {
    target: { socketPath: place.socketPath },
    version,
    owned: true,
    stop: () => kept.stop(STOP_GRACE_MS),
  };
}

async function waitUntilReady(
  child: TetheredChild,
  socketPath: string,
  timeoutMs: number,
  signal: AbortSignal | undefined,
): Promise<string> {
  const deadline = Date.now() + timeoutMs;
  for (;;) {
    const state = await probeRedisSocket(socketPath);
    if (state.kind === 'server' && state.ready) return state.version;
    const exitCode = child.exitCode();
    if (exitCode !== undefined) throw new Error(`redis-server ended with code ${exitCode}: ${child.output()}`);
    if (Date.now() > deadline || signal?.aborted) {
      await child.stop(STOP_GRACE_MS);
      signal?.throwIfAborted();
      throw new Error(`redis-server was not ready after ${timeoutMs} ms: ${child.output()}`);
    }
    await sleep(20);
  }
}
