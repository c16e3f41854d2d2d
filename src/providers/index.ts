import { ConfigError, keepMistakes } from '../config/load-config.ts';
import type { Config } from '../config/schema.ts';
import type { TelemetryProvider } from '../domain/provider.ts';
import { readNamed } from './backend/read-file.ts';
import { openElasticsearch } from './elasticsearch/open.ts';
import { openJaeger } from './jaeger/open.ts';
import { openLoki } from './loki/open.ts';
import { openKubernetes } from './kubernetes/open.ts';
import { openPrometheus } from './prometheus/open.ts';
import { createRecordingProvider } from './recording/index.ts';
import { openTempo } from './tempo/open.ts';
import { createTopologyFileProvider } from './topology-file.ts';
import { openVictoriaLogs } from './victorialogs/open.ts';

type TryTo = ReturnType<typeof keepMistakes>;

/** Every provider that settings can switch on; undefined when they do not, and when `tryTo` was refused what it needs. */
const PROVIDERS: readonly ((settings: Config, tryTo: TryTo) => TelemetryProvider | undefined)[] = [
  openPrometheus,
  openLoki,
  openElasticsearch,
  openVictoriaLogs,
  openTempo,
  openJaeger,
  openKubernetes,
  openTopologyFile,
  openRecording,
];

/**
 * The providers that are configured, in the order of the list. Everything that is wrong goes to `tell`, a line a mistake, which names the variable and the
 * file; without it, it is thrown as one `ConfigError`.
 */
export function createProviders(
  settings: Config,
  tell: (mistakes: readonly string[]) => void = refuse,
): readonly TelemetryProvider[] {
  const mistakes: string[] = [];
  const tryTo = keepMistakes(mistakes);
  const providers = PROVIDERS.map((open) => open(settings, tryTo)).filter((provider) => provider !== undefined);
  if (mistakes.length > 0) tell(mistakes);
  return providers;
}

function refuse(mistakes: readonly string[]): never {
  throw new ConfigError(mistakes.join('\n'));
}

function openTopologyFile({ TOPOLOGY_FILE: file }: Config, tryTo: TryTo): TelemetryProvider | undefined {
  return file === undefined ? undefined : tryTo(() => readNamed('TOPOLOGY_FILE', file, createTopologyFileProvider));
}

function openRecording(settings: Config): TelemetryProvider | undefined {
  const caps = { logLines: settings.MAX_LOG_LINES, spans: settings.MAX_SPANS };
  return settings.RECORDING_DIR === undefined ? undefined : createRecordingProvider(settings.RECORDING_DIR, { caps });
}
