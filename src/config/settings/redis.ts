import { z } from 'zod';
import { flag, integer } from './kinds.ts';

const FORM = 'must be host:port, or several of them with commas between';

/** Where a node of Redis listens. */
export interface RedisNode {
  readonly host: string;
  readonly port: number;
}

/** `host:port,[::1]:port`; each once. */
const nodes = z.string().transform((value, context): readonly RedisNode[] => {
  const found = [...new Set(value.split(',').map((item) => item.trim()))].filter(Boolean).map(readNode);
  const isWhole = found.length > 0 && found.every((node) => node !== undefined);
  if (isWhole) return found;
  context.addIssue({ code: 'custom', message: FORM });
  return z.NEVER;
});

function readNode(text: string): RedisNode | undefined {
  const [, ipv6, name, port] = /^(?:\[([\da-fA-F:.]+)\]|([^\s:/@[\]]+)):(\d{1,5})$/.exec(text) ?? [];
  const host = ipv6 ?? name;
  const number = Number(port);
  return host !== undefined && number >= 1 && number <= 65_535 ? { host, port: number } : undefined;
}

export const redis = {
  REDIS_URL: z
    .url({ protocol: /^rediss?$/, error: 'must be a URL that starts with redis:// or rediss://' })
    .optional()
    .describe(
      'redis:// or rediss:// URL of one node. Unset, and no Sentinels or cluster either: a private redis-server is started in STATE_DIR.',
    )
    .meta({ secret: true }),
  REDIS_SENTINELS: nodes
    .optional()
    .describe('Sentinels that know the master, instead of REDIS_URL: host:port, with commas between.'),
  REDIS_SENTINEL_MASTER: z.string().min(1).default('mymaster').describe('Name of the master at the Sentinels.'),
  REDIS_SENTINEL_USERNAME: z.string().optional().describe('ACL user at the Sentinels.'),
  REDIS_SENTINEL_PASSWORD: z.string().optional().describe('Password at the Sentinels.').meta({ secret: true }),
  REDIS_CLUSTER_NODES: nodes
    .optional()
    .describe(
      'Some nodes of a Redis Cluster, instead of REDIS_URL: host:port, with commas between. They tell the others.',
    ),
  REDIS_USERNAME: z.string().optional().describe('ACL user at Redis; unset: the default user.'),
  REDIS_PASSWORD: z
    .string()
    .optional()
    .describe('Password at Redis, where REDIS_URL does not hold one.')
    .meta({ secret: true }),
  REDIS_TLS: flag
    .default(false)
    .describe('Whether Sentinels and nodes of a cluster are spoken to by TLS. REDIS_URL says it by rediss://.'),
  REDIS_CA_FILE: z
    .string()
    .optional()
    .describe('File (PEM) with the authority that the certificates of Redis come from.'),
  REDIS_CERT_FILE: z.string().optional().describe('File (PEM) with the certificate that Rootnote shows to Redis.'),
  REDIS_KEY_FILE: z.string().optional().describe('File (PEM) with the key of that certificate.'),
  REDIS_MIN_REPLICAS: integer(0, 5)
    .default(0)
    .describe(
      'An alert is acknowledged, and a report posted, only when so many replicas have what Redis was told of it. 1 makes a failover lose nothing.',
    ),
  REDIS_PREFIX: z
    .string()
    .regex(/^(?:[\w-]{1,40}|\{[\w-]{1,40}\})$/, 'must be 1 to 40 letters, digits, _ or -, in braces or not')
    .default('rootnote')
    .describe(
      'Prefix of every Redis key. Change it when several installations share one Redis. In a cluster it is put in braces, which keep all keys in one slot.',
    ),
} as const;
