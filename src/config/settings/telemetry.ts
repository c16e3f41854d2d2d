import { z } from 'zod';
import { accessSettings } from './access.ts';
import { integer } from './kinds.ts';

export const telemetry = {
  ...accessSettings(
    'PROMETHEUS',
    'Prometheus',
    'Prometheus, Thanos, Mimir or VictoriaMetrics base URL (without /api/v1).',
  ),
  PROMETHEUS_MAX_SERIES: integer(10, 100_000).default(2000).describe('Most series read for one incident.'),
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
