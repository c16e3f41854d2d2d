import { readFileSync } from 'node:fs';
import { ConfigError } from '../config/load-config.ts';
import type { Config } from '../config/schema.ts';
import type { TelemetryProvider } from '../domain/provider.ts';
import { whyUnreadable } from '../platform/settings-file.ts';
import { createPrometheusProvider, loadDefaultQueries, loadQueryMap, QueryMapError } from './prometheus/index.ts';
import { createRecordingProvider } from './recording/index.ts';
import { createTopologyFileProvider } from './topology-file.ts';

/** The settings that say which providers there are. */
export type ProviderSettings = Pick<
  Config,
  | 'PROMETHEUS_URL'
  | 'PROMETHEUS_BEARER_TOKEN'
  | 'PROMETHEUS_BASIC_AUTH'
  | 'PROMETHEUS_HEADERS'
  | 'PROMETHEUS_CA_FILE'
  | 'PROMETHEUS_TIMEOUT_MS'
  | 'PROMETHEUS_MAX_SERIES'
  | 'PROMETHEUS_MAX_RESPONSE_BYTES'
  | 'QUERIES_FILE'
  | 'TOPOLOGY_FILE'
  | 'RECORDING_DIR'
  | 'MAX_LOG_LINES'
  | 'MAX_SPANS'
>;

/** Every provider that settings can switch on; undefined when they do not. */
const PROVIDERS: readonly ((settings: ProviderSettings) => TelemetryProvider | undefined)[] = [
  prometheus,
  topology,
  recording,
];

/** The providers that are configured, in the order of the list. Throws `ConfigError` that names the variable and the file, unless `onBroken` takes it. */
export function createProviders(
  settings: ProviderSettings,
  onBroken?: (error: ConfigError) => void,
): readonly TelemetryProvider[] {
  const tryTo = (create: (typeof PROVIDERS)[number]) => {
    try {
      return create(settings);
    } catch (error) {
      if (!onBroken || !(error instanceof ConfigError)) throw error;
      return onBroken(error);
    }
  };
  return PROVIDERS.map(tryTo).filter((provider) => provider !== undefined);
}

function prometheus(settings: ProviderSettings): TelemetryProvider | undefined {
  const url = settings.PROMETHEUS_URL;
  if (url === undefined) return undefined;
  const {
    PROMETHEUS_BEARER_TOKEN: bearerToken,
    PROMETHEUS_BASIC_AUTH: basicAuth,
    QUERIES_FILE: queriesFile,
  } = settings;
  const caFile = settings.PROMETHEUS_CA_FILE;
  return createPrometheusProvider({
    url,
    ...(bearerToken === undefined ? {} : { bearerToken }),
    ...(basicAuth === undefined ? {} : { basicAuth }),
    headers: Object.fromEntries((settings.PROMETHEUS_HEADERS ?? []).map(toHeader)),
    ...(caFile === undefined ? {} : { ca: named('PROMETHEUS_CA_FILE', caFile, readCertificate) }),
    timeoutMs: settings.PROMETHEUS_TIMEOUT_MS,
    maxSeries: settings.PROMETHEUS_MAX_SERIES,
    maxResponseBytes: settings.PROMETHEUS_MAX_RESPONSE_BYTES,
    queries:
      queriesFile === undefined
        ? loadDefaultQueries()
        : named('QUERIES_FILE', queriesFile, (file) => loadQueryMap(readFileSync(file, 'utf8'), file)),
  });
}

function topology(settings: ProviderSettings): TelemetryProvider | undefined {
  const file = settings.TOPOLOGY_FILE;
  return file === undefined ? undefined : named('TOPOLOGY_FILE', file, createTopologyFileProvider);
}

function recording(settings: ProviderSettings): TelemetryProvider | undefined {
  const caps = { logLines: settings.MAX_LOG_LINES, spans: settings.MAX_SPANS };
  return settings.RECORDING_DIR === undefined ? undefined : createRecordingProvider(settings.RECORDING_DIR, { caps });
}

function readCertificate(file: string): string {
  const text = readFileSync(file, 'utf8');
  if (!text.includes('-----BEGIN CERTIFICATE-----')) throw new Error('it holds no PEM certificate');
  return text;
}

const HEADER = /^([A-Za-z0-9!#$%&'*+.^_`|~-]+)=(.*)$/;

function toHeader(pair: string): readonly [name: string, value: string] {
  const match = HEADER.exec(pair);
  if (!match?.[1] || match[2] === undefined) {
    throw new ConfigError('PROMETHEUS_HEADERS: every entry has the form Name=value');
  }
  return [match[1].toLowerCase(), match[2].trim()];
}

/** Reads a file that a setting names; what goes wrong names both. */
function named<T>(variable: string, file: string, read: (file: string) => T): T {
  try {
    return read(file);
  } catch (error) {
    const problems =
      error instanceof QueryMapError
        ? error.message.split('\n')
        : [
            `${file} ${isOfFileSystem(error) ? whyUnreadable(error) : `cannot be used: ${error instanceof Error ? error.message : String(error)}`}`,
          ];
    throw new ConfigError(problems.map((problem) => `${variable}: ${problem}`).join('\n'), { cause: error });
  }
}

function isOfFileSystem(error: unknown): boolean {
  return typeof error === 'object' && error !== null && 'syscall' in error;
}
