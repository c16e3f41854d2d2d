import { ConfigError } from '../config/load-config.ts';
import { UnsafeListenError } from '../http/authorize.ts';
import { RedisUnavailable } from '../platform/redis-program.ts';
import { EvictionPolicyError } from '../queue/eviction-policy.ts';
import { AmbiguousId } from './find-id.ts';
import { InputError } from './input-error.ts';
import { RedisUnreachable, WrongKindOfRedis } from './open-redis.ts';

const FOR_PEOPLE = [
  ConfigError,
  InputError,
  UnsafeListenError,
  RedisUnavailable,
  RedisUnreachable,
  WrongKindOfRedis,
  EvictionPolicyError,
  AmbiguousId,
];

const NOT_WRITABLE: ReadonlySet<string> = new Set(['EACCES', 'EPERM', 'EROFS', 'ENOTDIR', 'ENOSPC']);

/** The message for errors that a person can do something about; undefined for bugs, which keep their stack. */
export function explainError(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined;
  if (FOR_PEOPLE.some((kind) => error instanceof kind)) return error.message;
  const { code, address, port, path } = error as { code?: string; address?: string; port?: number; path?: string };
  if (path !== undefined && NOT_WRITABLE.has(code ?? ''))
    return `${path} cannot be made or written (${code}); set STATE_DIR to a folder that Rootnote may write to`;
  if (code === 'EADDRINUSE')
    return `${address}:${port} is already in use; set PORT to another port (0 picks a free one)`;
  if (code === 'EADDRNOTAVAIL' || code === 'EACCES')
    return `cannot listen on ${address}:${port} (${code}); check HOST and PORT`;
  return undefined;
}
