import type { Config } from '../config/schema.ts';
import type { CheckResult } from '../domain/check-result.ts';
import { httpRequest } from '../platform/http-request.ts';
import { TRACING_OFF, type Tracing, type TracingOptions } from '../platform/tracing.ts';
import { version } from './version.ts';

/** Tracing to the configured collector, or none; OpenTelemetry is loaded only for the first. The caller stops it. */
export async function openTracing(config: Config, deps: Pick<TracingOptions, 'redact' | 'onLost'>): Promise<Tracing> {
  const url = collectorUrl(config);
  if (url === undefined) return TRACING_OFF;
  const { startTracing } = await import('../platform/otlp-tracing.ts');
  return startTracing({
    ...deps,
    url,
    headers: collectorHeaders(config),
    serviceName: config.OTEL_SERVICE_NAME,
    version: version(),
    sampler: config.OTEL_TRACES_SAMPLER,
    ratio: config.OTEL_TRACES_SAMPLER_ARG,
  });
}

const CHECK_TIMEOUT_MS = 5000;
const MOST_ANSWER_BYTES = 65_536;

/** Whether the collector takes spans: it is sent none, in a request like any other. */
export async function checkTracing(config: Config, signal: AbortSignal): Promise<CheckResult> {
  const name = 'traces';
  const url = collectorUrl(config);
  if (url === undefined) return { name, status: 'off', value: 'no OpenTelemetry collector is configured' };
  const { host } = new URL(url);
  const remedy =
    'Check OTEL_EXPORTER_OTLP_ENDPOINT (OTLP over HTTP, usually port 4318) and OTEL_EXPORTER_OTLP_HEADERS.';
  try {
    const { status } = await httpRequest({
      url,
      method: 'POST',
      headers: { 'content-type': 'application/json', ...collectorHeaders(config) },
      body: JSON.stringify({ resourceSpans: [] }),
      timeoutMs: CHECK_TIMEOUT_MS,
      maxBytes: MOST_ANSWER_BYTES,
      signal,
    });
    if (status >= 200 && status < 300) return { name, status: 'ok', value: `the collector at ${host} takes spans` };
    return { name, status: 'fail', value: `the collector at ${host} answers HTTP ${status}`, remedy };
  } catch (error) {
    return { name, status: 'fail', value: error instanceof Error ? error.message : String(error), remedy };
  }
}

function collectorUrl(config: Config): string | undefined {
  const base = config.OTEL_EXPORTER_OTLP_ENDPOINT;
  return config.OTEL_EXPORTER_OTLP_TRACES_ENDPOINT ?? (base === undefined ? undefined : `${base}/v1/traces`);
}

function collectorHeaders(config: Config): Readonly<Record<string, string>> {
  return Object.fromEntries(
    (config.OTEL_EXPORTER_OTLP_HEADERS ?? []).map((pair) => {
      const end = pair.indexOf('=');
      return [pair.slice(0, end).trim(), pair.slice(end + 1).trim()];
    }),
  );
}
