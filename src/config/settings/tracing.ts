import { z } from 'zod';
import { list, url } from './kinds.ts';

const SHARE = 'must be a number from 0 to 1';

export const tracing = {
  OTEL_EXPORTER_OTLP_ENDPOINT: url
    .optional()
    .describe(
      'Base URL of an OpenTelemetry collector (OTLP over HTTP, JSON). Unset, and no traces endpoint: no tracing.',
    ),
  OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: url
    .optional()
    .describe('Full URL for traces; goes before OTEL_EXPORTER_OTLP_ENDPOINT, which gets /v1/traces appended.'),
  OTEL_EXPORTER_OTLP_HEADERS: list
    .transform((pairs) => pairs.map(percentDecoded))
    .refine((pairs) => pairs.every((pair) => /^[\w-]+=./.test(pair)), 'must be name=value, comma separated')
    .optional()
    .describe('Headers for the collector, comma separated `name=value`, values percent-encoded.')
    .meta({ secret: true }),
  OTEL_SERVICE_NAME: z.string().default('rootnote').describe('Name of this service in traces.'),
  OTEL_TRACES_SAMPLER: z
    .enum(['always_on', 'always_off', 'traceidratio'])
    .default('always_on')
    .describe('Which traces are recorded that begin here; what continues another one follows that one.'),
  OTEL_TRACES_SAMPLER_ARG: z.coerce
    .number({ error: SHARE })
    .min(0, { error: SHARE })
    .max(1, { error: SHARE })
    .default(1)
    .describe('Share of traces from 0 to 1, for the sampler traceidratio.'),
} as const;

/** A `%` that encodes nothing stands for itself. */
function percentDecoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
