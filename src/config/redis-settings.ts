import type { SettingProblem } from './load-config.ts';
import type { Config } from './schema.ts';
import { redis } from './settings/redis.ts';

const PLACES = ['REDIS_URL', 'REDIS_SENTINELS', 'REDIS_CLUSTER_NODES'] as const;
const OF_OTHERS = ['REDIS_PASSWORD', 'REDIS_TLS', 'REDIS_CA_FILE', 'REDIS_CERT_FILE', 'REDIS_MIN_REPLICAS'] as const;
/** Whoever sets that has said nothing new. */
const DEFAULT_MASTER = redis.REDIS_SENTINEL_MASTER.parse(undefined);
const OF_TLS = ['REDIS_CA_FILE', 'REDIS_CERT_FILE'] as const;

/** Else it is the embedded one. */
export function isRedisElsewhere(config: Config): boolean {
  return PLACES.some((setting) => config[setting] !== undefined);
}

/** All keys of ours and of BullMQ's have to be in one slot of a cluster: only the part in braces says in which. */
export function withKeysInOneSlot(config: Config): Config {
  const { REDIS_CLUSTER_NODES: nodes, REDIS_PREFIX: prefix } = config;
  return nodes === undefined || prefix.startsWith('{') ? config : { ...config, REDIS_PREFIX: `{${prefix}}` };
}

/** Settings of Redis that contradict each other, each with what to do. */
export function redisContradictions(config: Config): readonly SettingProblem[] {
  const [place, ...others] = PLACES.filter((setting) => config[setting] !== undefined);
  const alone = masterAlone(config);
  if (place === undefined) return [...alone, ...OF_OTHERS.filter((setting) => config[setting]).map(needsPlace)];
  const twice = others.map((setting) => ({
    setting,
    message: `says where Redis is, and so does ${place}: unset one of them`,
  }));
  return [...alone, ...twice, ...(place === 'REDIS_URL' ? beyondUrl(config) : withoutTls(config, config.REDIS_TLS))];
}

function masterAlone(config: Config): readonly SettingProblem[] {
  if (config.REDIS_SENTINELS !== undefined || config.REDIS_SENTINEL_MASTER === DEFAULT_MASTER) return [];
  return [{ setting: 'REDIS_SENTINEL_MASTER', message: 'is for Sentinels: set REDIS_SENTINELS, too, or unset it' }];
}

function needsPlace(setting: string): SettingProblem {
  return { setting, message: `is for a Redis elsewhere: set ${PLACES.join(' or ')}, or unset it` };
}

function beyondUrl(config: Config): readonly SettingProblem[] {
  const url = new URL(config.REDIS_URL ?? '');
  const isTls = url.protocol === 'rediss:';
  const problems = [...withoutTls(config, isTls)];
  if (config.REDIS_TLS && !isTls)
    problems.push({ setting: 'REDIS_TLS', message: 'begin REDIS_URL with rediss:// instead' });
  if (config.REDIS_PASSWORD !== undefined && (url.username !== '' || url.password !== ''))
    problems.push({
      setting: 'REDIS_PASSWORD',
      message: 'is set, and REDIS_URL holds credentials, too: take one of them out',
    });
  return problems;
}

function withoutTls(config: Config, isTls: boolean): readonly SettingProblem[] {
  if (isTls) return [];
  const remedy = config.REDIS_URL === undefined ? 'set REDIS_TLS=true' : 'begin REDIS_URL with rediss://';
  return OF_TLS.filter((setting) => config[setting] !== undefined).map((setting) => ({
    setting,
    message: `is for TLS: ${remedy}, or unset it`,
  }));
}
