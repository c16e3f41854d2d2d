import type { keepMistakes } from '../../config/load-config.ts';
import type { Config } from '../../config/schema.ts';
import type { CheckResult } from '../../domain/check-result.ts';
import type { TelemetryProvider } from '../../domain/provider.ts';
import { readNamed } from '../backend/read-file.ts';
import type { KubernetesAccess } from './access.ts';
import { PROVIDER } from './api-error.ts';
import { accessFromPod, hasServiceAccount } from './in-cluster.ts';
import { createKubernetesProvider } from './index.ts';
import { accessFromKubeconfig } from './kubeconfig.ts';
import type { LogOptions } from './logs.ts';

/** The provider that the settings ask for; undefined when they do not, and when a file that they name cannot be used. */
export function openKubernetes(
  settings: Config,
  tryTo: ReturnType<typeof keepMistakes>,
): TelemetryProvider | undefined {
  if (!isWanted(settings)) return undefined;
  const access = tryTo(() => accessOf(settings));
  if (access === undefined) return undefined;
  return createKubernetesProvider({
    access,
    namespaces: settings.KUBERNETES_NAMESPACES,
    timeoutMs: settings.KUBERNETES_TIMEOUT_MS,
    maxResponseBytes: settings.KUBERNETES_MAX_RESPONSE_BYTES,
    maxObjects: settings.KUBERNETES_MAX_OBJECTS,
    logs: {
      which: whichLogs(settings),
      mostPods: settings.KUBERNETES_LOG_PODS,
      mostLines: settings.KUBERNETES_LOG_LINES,
    },
  });
}

/** A recording is shown alone: what is live now has nothing to do with it. */
function isWanted(settings: Config): boolean {
  const { KUBERNETES_ENABLED: enabled, KUBERNETES_KUBECONFIG: kubeconfig, RECORDING_DIR: recording } = settings;
  if (enabled !== 'auto') return enabled === 'true';
  return recording === undefined && (kubeconfig !== undefined || hasServiceAccount(podSurroundings(settings)));
}

/** For `rootnote doctor`, in a pod that could read its cluster but has no token; undefined elsewhere. */
export function kubernetesOff(settings: Config): CheckResult | undefined {
  const { KUBERNETES_SERVICE_HOST: host, KUBERNETES_SERVICE_ACCOUNT_DIR: accountDir } = settings;
  if (host === undefined || settings.KUBERNETES_ENABLED !== 'auto' || isWanted(settings)) return undefined;
  const value =
    settings.RECORDING_DIR === undefined ? `there is no token in ${accountDir}` : 'RECORDING_DIR is shown alone';
  return { name: PROVIDER, status: 'off', value };
}

function accessOf(settings: Config): KubernetesAccess {
  const { KUBERNETES_KUBECONFIG: file, KUBERNETES_CONTEXT: context } = settings;
  if (file === undefined) return accessFromPod(podSurroundings(settings));
  return readNamed('KUBERNETES_KUBECONFIG', file, (name) => accessFromKubeconfig(name, context));
}

function podSurroundings(settings: Config) {
  return {
    host: settings.KUBERNETES_SERVICE_HOST,
    port: settings.KUBERNETES_SERVICE_PORT,
    accountDir: settings.KUBERNETES_SERVICE_ACCOUNT_DIR,
  };
}

/** A line that a log server gives too would be counted twice. */
const LOG_SERVERS = ['LOKI_URL', 'ELASTICSEARCH_URL', 'VICTORIALOGS_URL'] as const satisfies readonly (keyof Config)[];

function whichLogs(settings: Config): LogOptions['which'] {
  if (settings.KUBERNETES_LOGS !== 'auto') return settings.KUBERNETES_LOGS;
  const isElsewhere = LOG_SERVERS.some((setting) => settings[setting] !== undefined);
  return isElsewhere ? 'crashed' : 'all';
}
