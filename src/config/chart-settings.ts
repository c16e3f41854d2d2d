import { z } from 'zod';
import { settingGroups } from './schema.ts';

/** Settings that the chart derives from other values, and from which. */
const OF_THE_CHART: Readonly<Record<string, string>> = {
  PORT: 'the chart: 8080, behind service.port',
  STATE_DIR: 'the chart: /state',
  REDIS_SENTINELS: 'redis.external.sentinels',
  REDIS_SENTINEL_MASTER: 'redis.external.sentinelMaster',
  REDIS_SENTINEL_USERNAME: 'redis.external.sentinelUsername',
  REDIS_CLUSTER_NODES: 'redis.external.clusterNodes',
  REDIS_USERNAME: 'redis.external.username',
  REDIS_TLS: 'redis.external.tls.enabled',
  REDIS_CA_FILE: 'redis.external.tls.caKey',
  REDIS_CERT_FILE: 'redis.external.tls.certKey',
  REDIS_KEY_FILE: 'redis.external.tls.keyKey',
  KUBERNETES_ENABLED: 'kubernetes.enabled',
  KUBERNETES_NAMESPACES: 'kubernetes.namespaces',
  KUBERNETES_SERVICE_HOST: 'Kubernetes, in every pod',
  KUBERNETES_SERVICE_PORT: 'Kubernetes, in every pod',
  KUBERNETES_SERVICE_ACCOUNT_DIR: 'Kubernetes, in every pod',
};

type JsonSchema = Readonly<Record<string, unknown>>;

/**
 * JSON Schema of the chart's value `settings`: every setting that may stand there, with what it takes. What may not is there, too, since
 * Helm quotes a constant that is not met, and nothing else of a schema: so it says where the setting belongs.
 */
export function chartSettings(): JsonSchema {
  const settings: readonly (readonly [string, z.ZodType])[] = settingGroups.flatMap((group) =>
    Object.entries(group.settings),
  );
  return Object.fromEntries(settings.map(([name, schema]) => [name, chartSetting(name, schema)]));
}

function chartSetting(name: string, schema: z.ZodType): JsonSchema {
  const owner = OF_THE_CHART[name];
  if (owner !== undefined) return { const: `(not here: set by ${owner})` };
  const meta = schema.meta();
  if (meta?.['secret'] === true) return { const: '(a secret: put it into existingSecret)' };
  const known = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' });
  return { description: meta?.description ?? '', ...valuesOf(known) };
}

/** Environment variables are text, and people write `5` and `true` in YAML. Whether a number that is written as text is too large is judged at start. */
function valuesOf({ type, enum: words, minimum, maximum, format }: JsonSchema): JsonSchema {
  if (Array.isArray(words)) return { enum: words.includes('true') ? [true, false, ...words] : words };
  if (type === 'integer' || type === 'number') {
    return {
      type: [type, 'string'],
      pattern: type === 'integer' ? '^[0-9]*$' : '^([0-9]+(\\.[0-9]+)?)?$',
      ...(minimum === undefined ? {} : { minimum }),
      ...(maximum === undefined ? {} : { maximum }),
    };
  }
  // A user and password in a URL would be a secret in a ConfigMap.
  if (format === 'uri') return { type: 'string', pattern: '^https?://[^@\\s]+$' };
  return { type: ['string', 'number'] };
}
