import type { TelemetryProvider } from '../../domain/provider.ts';
import type { BackendAccess } from '../backend/access.ts';
import { createLogProvider } from '../logs/create-log-provider.ts';
import { createElasticsearchApi } from './api.ts';
import { createElasticsearchSource, type ElasticsearchFieldNames } from './source.ts';

export interface ElasticsearchOptions extends BackendAccess {
  /** Names or patterns of indices and data streams, comma separated. */
  readonly index: string;
  readonly names: ElasticsearchFieldNames;
  readonly maxLines: number;
}

/** Elasticsearch from 7.10 on, or OpenSearch. */
export function createElasticsearchProvider(options: ElasticsearchOptions): TelemetryProvider {
  const { index, names, maxLines, ...access } = options;
  return createLogProvider({
    source: createElasticsearchSource(createElasticsearchApi(access, index), names),
    names,
    maxLines,
  });
}
