import { readFileSync } from 'node:fs';
import { ConfigError, keepMistakes } from '../config/load-config.ts';
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

type TryTo = ReturnType<typeof keepMistakes>;

/** Every provider that settings can switch on; undefined when they do not, and when `tryTo` was refused what it needs. */
const PROVIDERS: readonly ((settings: ProviderSettings, tryTo: TryTo) => TelemetryProvider | undefined)[] = [
  prometheus,
  topology,
  recording,
];

/**
 * The providers that are configured, in the order of the list. Everything that is wrong goes to `tell`, a line a mistake, which names the variable and the
 * file; without it, it is thrown as one `ConfigError`.
 */
export function createProviders(
  settings: ProviderSettings,
  tell: (mistakes: readonly string[]) => void = refuse,
): readonly TelemetryProvider[] {
  const mistakes: string[] = [];
  const tryTo = keepMistakes(mistakes);
  const providers = PROVIDERS.map((create) => create(settings, tryTo)).filter((provider) => provider !== undefined);
  if (mistakes.length > 0) tell(mistakes);
  return providers;
}

function refuse(mistakes: readonly string[]): never {
  throw new ConfigError(mistakes.join('\n'));
}

function prometheus(settings: ProviderSettings, tryTo: TryTo): TelemetryProvider | undefined {
  const {
    PROMETHEUS_URL: url,
    PROMETHEUS_BEARER_TOKEN: bearerToken,
    PROMETHEUS_BASIC_AUTH: basicAuth,
    PROMETHEUS_CA_FILE: caFile,
    QUERIES_FILE: queriesFile,
  } = settings;
  if (url === undefined) return undefined;
  const trusted = tryTo(() =>
    caFile === undefined ? {} : { ca: named('PROMETHEUS_CA_FILE', caFile, readCertificate) },
  );
  const queries = tryTo(() =>
    queriesFile === undefined ? loadDefaultQueries() : named('QUERIES_FILE', queriesFile, readQueries),
  );
  if (!trusted || !queries) return undefined;
  return createPrometheusProvider({
    url,
    ...(bearerToken === undefined ? {} : { bearerToken }),
    ...(basicAuth === undefined ? {} : { basicAuth }),
    headers: Object.fromEntries((settings.PROMETHEUS_HEADERS ?? []).map(toHeader)),
    ...trusted,
    timeoutMs: settings.PROMETHEUS_TIMEOUT_MS,
    maxSeries: settings.PROMETHEUS_MAX_SERIES,
    maxResponseBytes: settings.PROMETHEUS_MAX_RESPONSE_BYTES,
    queries,
  });
}

function topology({ TOPOLOGY_FILE: file }: ProviderSettings, tryTo: TryTo): TelemetryProvider | undefined {
  return file === undefined ? undefined : tryTo(() => named('TOPOLOGY_FILE', file, createTopologyFileProvider));
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

function readQueries(file: string) {
  return loadQueryMap(readFileSync(file, 'utf8'), file);
}

/** The setting has made sure of its form. */
function toHeader(pair: string): readonly [name: string, value: string] {
  const [name = '', ...value] = pair.split('=');
  return [name.toLowerCase(), value.join('=').trim()];
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
