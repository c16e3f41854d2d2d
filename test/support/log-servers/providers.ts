import type { TelemetryProvider } from '../../../src/domain/provider.ts';
import { createElasticsearchProvider } from '../../../src/providers/elasticsearch/index.ts';
import { createLokiProvider } from '../../../src/providers/loki/index.ts';
import { createVictoriaLogsProvider } from '../../../src/providers/victorialogs/index.ts';

export interface ProviderOptions {
  readonly url: string;
  readonly maxLines?: number;
  readonly timeoutMs?: number;
  readonly maxResponseBytes?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly index?: string;
}

const DEFAULTS = { maxLines: 100_000, timeoutMs: 20_000, maxResponseBytes: 33_554_432 };
const NAMES = { namespace: ['namespace'], trace: ['trace_id'] };

/** The providers with the fields that the fixture has. */
export const providers = {
  loki: (options: ProviderOptions): TelemetryProvider =>
    createLokiProvider({
      ...DEFAULTS,
      ...options,
      names: { ...NAMES, service: ['service_name', 'service'], level: ['detected_level', 'level'] },
    }),
  victorialogs: (options: ProviderOptions): TelemetryProvider =>
    createVictoriaLogsProvider({
      ...DEFAULTS,
      ...options,
      names: { ...NAMES, service: ['app', 'service'], level: ['level'] },
    }),
  elasticsearch: (options: ProviderOptions): TelemetryProvider =>
    createElasticsearchProvider({
      ...DEFAULTS,
      index: 'logs-*',
      ...options,
      names: {
        time: '@timestamp',
        message: ['message', 'log'],
        service: ['service.name', 'kubernetes.container_name'],
        namespace: ['kubernetes.namespace', 'kubernetes.namespace_name'],
        level: ['log.level', 'level'],
        trace: ['trace.id', 'trace_id'],
      },
    }),
};
