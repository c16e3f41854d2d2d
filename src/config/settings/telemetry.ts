import { z } from 'zod';
import { basicAuth, integer, list, token, url } from './kinds.ts';

const HEADER = /^[A-Za-z0-9!#$%&'*+.^_`|~-]+=/;

export const telemetry = {
  PROMETHEUS_URL: url.optional().describe('Prometheus, Thanos, Mimir or VictoriaMetrics base URL (without /api/v1).'),
  PROMETHEUS_BEARER_TOKEN: token.optional().describe('Bearer token for Prometheus.').meta({ secret: true }),
  PROMETHEUS_BASIC_AUTH: basicAuth.optional().describe('user:password for Prometheus.').meta({ secret: true }),
  PROMETHEUS_HEADERS: list
    .refine((pairs) => pairs.every((pair) => HEADER.test(pair)), 'must be Name=value, comma separated')
    .optional()
    .describe('Extra headers, comma separated `Name=value` (for example X-Scope-OrgID=tenant).')
    .meta({ secret: true }),
  PROMETHEUS_CA_FILE: z.string().optional().describe('PEM file with the certificate authority of Prometheus.'),
  PROMETHEUS_TIMEOUT_MS: integer(100, 300_000).default(15_000).describe('Deadline of one request to Prometheus.'),
  PROMETHEUS_MAX_SERIES: integer(10, 100_000).default(2000).describe('Most series read for one incident.'),
  PROMETHEUS_MAX_RESPONSE_BYTES: integer(10_000, 1_000_000_000)
    .default(33_554_432)
    .describe('Most bytes read of one answer of Prometheus.'),
  MAX_LOG_LINES: integer(1000, 10_000_000)
    .default(1_000_000)
    .describe(
      'Most log lines looked at for one incident. Of more an even part is kept: least of what is said most, errors and seldom lines whole.',
    ),
  MAX_SPANS: integer(1000, 10_000_000)
    .default(1_000_000)
    .describe('Most spans looked at for one incident. Of more, an even part of the traces is kept.'),
  MAX_SERIES: integer(10, 100_000)
    .default(10_000)
    .describe(
      'Most metric series looked at for one incident, of all providers together; those nearest to the alert are kept.',
    ),
  RECORDING_DIR: z
    .string()
    .optional()
    .describe('Folder of a recorded incident that is read as if it were live: for demonstrations and tests.'),
  QUERIES_FILE: z
    .string()
    .optional()
    .describe('YAML with the queries to ask for an alert; replaces the built-in map (docs/configuration.md).'),
  TOPOLOGY_FILE: z
    .string()
    .optional()
    .describe('JSON `{services, edges: [{from, to}]}`: who calls whom, when no provider knows it.'),
} as const;
