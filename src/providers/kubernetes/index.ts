import type { TelemetryProvider } from '../../domain/provider.ts';
import type { KubernetesAccess } from './access.ts';
import { createKubernetesApi, type ApiLimits } from './api.ts';
import { PROVIDER } from './api-error.ts';
import { checkKubernetes } from './check.ts';
import { gatherFromKubernetes } from './gather.ts';
import type { LogOptions } from './logs.ts';
import { queryChanges, queryEvents, queryLogs, queryObjects } from './queries.ts';

export interface KubernetesOptions extends ApiLimits {
  readonly access: KubernetesAccess;
  /** That may be looked at; empty: all. */
  readonly namespaces: readonly string[];
  /** Most objects, and most events, kept for one incident. */
  readonly maxObjects: number;
  readonly logs: LogOptions;
}

/** Objects, events, changes and container logs of one cluster, by GET and LIST alone. Never Secrets, never a watch. */
export function createKubernetesProvider({ access, ...options }: KubernetesOptions): TelemetryProvider {
  const cluster = { ...options, api: createKubernetesApi(access, options) };
  return {
    name: PROVIDER,
    gather: (incident, window, signal) => gatherFromKubernetes(cluster, incident, window, signal),
    queryObjects: (query, signal) => queryObjects(cluster, query, signal),
    queryEvents: (query, signal) => queryEvents(cluster, query, signal),
    queryChanges: (query, signal) => queryChanges(cluster, query, signal),
    ...(options.logs.which === 'none' ? {} : { queryLogs: (query, signal) => queryLogs(cluster, query, signal) }),
    check: (signal) => checkKubernetes(cluster.api, options.namespaces, signal),
  };
}
