import { fetchDebianProgram, REDIS_PACKAGE } from './debian-package.ts';
import { findProgram } from './find-program.ts';
import { ProgramError, runProgram } from './run-program.ts';

export interface RedisProgram {
  readonly command: string;
  /** Arguments before those of redis-server itself, for a server that works in these folders. */
  leadingArgs(folders: readonly string[]): readonly string[];
  /** Words for the log: where it came from. */
  readonly origin: string;
  readonly readyTimeoutMs: number;
}

export interface FindRedisOptions {
  readonly cacheDir: string;
  readonly log: (line: string) => void;
  readonly env?: Readonly<Record<string, string | undefined>>;
  readonly signal?: AbortSignal | undefined;
}

/** No Redis can be had here. The message tells the ways to get one. */
export class RedisUnavailable extends Error {
  override readonly name = 'RedisUnavailable';
}

/** BullMQ's recommended minimum. */
const OLDEST_VERSION = [6, 2] as const;
const DOCKER_IMAGE = 'valkey/valkey:8-alpine';
const READY_TIMEOUT_MS = 30_000;
/** Docker may have to pull the image first. */
const DOCKER_READY_TIMEOUT_MS = 180_000;

/** A program on PATH, else one unpacked from the Debian archive, else Docker. Throws `RedisUnavailable` with one clear message. */
export async function findRedisProgram(options: FindRedisOptions): Promise<RedisProgram> {
  const tried: string[] = [];
  const installed = await findProgram(['redis-server', 'valkey-server'], options);
  if (installed && isRecent(installed.versionText)) return onThisMachine(installed.command, installed.command);
  tried.push(installed ? `${installed.command} is too old` : 'no redis-server or valkey-server on PATH');

  try {
    const fetched = await fetchDebianProgram({ ...options, ...REDIS_PACKAGE, onProgress: options.log });
    return onThisMachine(fetched, 'the Debian package');
  } catch (error) {
    options.signal?.throwIfAborted();
    if (!(error instanceof ProgramError)) throw error;
    tried.push(`no Debian package (${firstLine(error.message)})`);
  }

  try {
    await runProgram('docker', ['version', '--format', '{{.Server.Version}}'], { ...options, timeoutMs: 10_000 });
    return inDocker();
  } catch (error) {
    options.signal?.throwIfAborted();
    if (!(error instanceof ProgramError)) throw error;
    tried.push(`no Docker (${firstLine(error.message)})`);
  }
  throw new RedisUnavailable(
    `Rootnote needs Redis 6.2 or newer (or Valkey) and found none: ${tried.join('; ')}. Do one of these: ` +
      '(1) install redis-server or valkey-server so that it is on PATH; (2) let Rootnote fetch the Debian package (it needs ' +
      'apt-get, dpkg and a reachable archive) or start Docker; (3) set REDIS_URL to a Redis that runs elsewhere. ' +
      '`rootnote investigate` works without Redis.',
  );
}

function onThisMachine(command: string, origin: string): RedisProgram {
  return { command, leadingArgs: () => [], origin, readyTimeoutMs: READY_TIMEOUT_MS };
}

/** Folders keep their names inside, so the socket is shared through one of them and no port is opened. */
function inDocker(): RedisProgram {
  const user = `${process.getuid?.() ?? 0}:${process.getgid?.() ?? 0}`;
  const run = ['run', '--rm', '--init', '--network', 'none', '--user', user];
  return {
    command: 'docker',
    leadingArgs: (folders) => [
      ...run,
      ...folders.flatMap((folder) => ['--volume', `${folder}:${folder}`]),
      DOCKER_IMAGE,
      'valkey-server',
    ],
    origin: `Docker (${DOCKER_IMAGE})`,
    readyTimeoutMs: DOCKER_READY_TIMEOUT_MS,
  };
}

/** Reads `Redis server v=7.0.15 sha=…`. */
function isRecent(versionText: string): boolean {
  const [, major, minor] = /v=(\d+)\.(\d+)/.exec(versionText) ?? [];
  const [oldestMajor, oldestMinor] = OLDEST_VERSION;
  return Number(major) > oldestMajor || (Number(major) === oldestMajor && Number(minor) >= oldestMinor);
}

function firstLine(text: string): string {
  return text.split('\n')[0]?.slice(0, 160) ?? '';
}
