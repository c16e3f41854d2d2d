import { readFileSync } from 'node:fs';
import { createSecureContext } from 'node:tls';
import { unusable } from '../config/load-config.ts';
import type { Config } from '../config/schema.ts';
import type { RedisAccess, RedisTarget, RedisTls } from '../platform/redis-target.ts';

/** The Redis that settings lead to; undefined for the embedded one. Throws ConfigError for certificates that cannot be used. */
export function targetOf(config: Config): RedisTarget | undefined {
  const { REDIS_URL: url, REDIS_SENTINELS: sentinels, REDIS_CLUSTER_NODES: clusterNodes } = config;
  if (url !== undefined) return { url, ...accessOf(config, url.startsWith('rediss:')) };
  const access = accessOf(config, config.REDIS_TLS);
  if (clusterNodes !== undefined) return { clusterNodes, ...access };
  if (sentinels === undefined) return undefined;
  const { REDIS_SENTINEL_USERNAME: sentinelUsername, REDIS_SENTINEL_PASSWORD: sentinelPassword } = config;
  return {
    sentinels,
    master: config.REDIS_SENTINEL_MASTER,
    ...(sentinelUsername === undefined ? {} : { sentinelUsername }),
    ...(sentinelPassword === undefined ? {} : { sentinelPassword }),
    ...access,
  };
}

function accessOf(config: Config, isTls: boolean): RedisAccess {
  const { REDIS_USERNAME: username, REDIS_PASSWORD: password } = config;
  return {
    ...(username === undefined ? {} : { username }),
    ...(password === undefined ? {} : { password }),
    ...(isTls ? { tls: readTls(config) } : {}),
  };
}

const FILES = { ca: 'REDIS_CA_FILE', cert: 'REDIS_CERT_FILE', key: 'REDIS_KEY_FILE' } as const;

function readTls(config: Config): RedisTls {
  const set = Object.entries(FILES).filter(([, setting]) => config[setting] !== undefined);
  const names = set.map(([, setting]) => setting).join(', ');
  try {
    const tls = Object.fromEntries(set.map(([part, setting]) => [part, readFileSync(config[setting] ?? '', 'utf8')]));
    createSecureContext(tls);
    return tls;
  } catch (error) {
    // The code alone: what OpenSSL says may quote the file.
    const code = error instanceof Error && 'code' in error ? ` (${String(error.code)})` : '';
    throw unusable([
      `${names}: cannot be used: PEM files are needed, and a key that belongs to its certificate${code}`,
    ]);
  }
}
