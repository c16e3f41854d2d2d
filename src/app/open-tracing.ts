import type { Config } from '../config/schema.ts';
import { startTracing, TRACING_OFF, type Tracing, type TracingOptions } from '../platform/tracing.ts';
import { version } from './version.ts';

/** Tracing to the configured collector, or none. The caller stops it. */
export function openTracing(config: Config, deps: Pick<TracingOptions, 'redact' | 'onLost'>): Tracing {
  const base = config.OTEL_EXPORTER_OTLP_ENDPOINT;
  const url = config.OTEL_EXPORTER_OTLP_TRACES_ENDPOINT ?? (base === undefined ? undefined : `${base}/v1/traces`);
  if (url === undefined) return TRACING_OFF;
  return startTracing({
    ...deps,
    url,
    headers: Object.fromEntries((config.OTEL_EXPORTER_OTLP_HEADERS ?? []).map(toHeader)),
    serviceName: config.OTEL_SERVICE_NAME,
    version: version(),
    sampler: config.OTEL_TRACES_SAMPLER,
    ratio: config.OTEL_TRACES_SAMPLER_ARG,
  });
}

function toHeader(pair: string): readonly [name: string, value: string] {
  const end = pair.indexOf('=');
  return [pair.slice(0, end).trim(), pair.slice(end + 1).trim()];
}
