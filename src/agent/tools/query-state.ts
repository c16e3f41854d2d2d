import { z } from 'zod';
import type { TelemetryProvider } from '../../domain/provider.ts';
import { chooseProvider, given, nameInput, providerInput, providersWith, reading } from './provider-choice.ts';
import { defineTool, type Tool } from './tool.ts';

/** Objects read for one call; those that are not well are shown first. */
const MAX_OBJECTS = 500;

/** As people type them; the API's own names are taken as they are. */
const SHORT_NAMES: Readonly<Record<string, string>> = {
  po: 'Pod',
  deploy: 'Deployment',
  sts: 'StatefulSet',
  ds: 'DaemonSet',
  rs: 'ReplicaSet',
  svc: 'Service',
  ep: 'Endpoints',
  endpoint: 'Endpoints',
  ing: 'Ingress',
  ingresse: 'Ingress',
  cm: 'ConfigMap',
  no: 'Node',
  ns: 'Namespace',
  pvc: 'PersistentVolumeClaim',
  pv: 'PersistentVolume',
  hpa: 'HorizontalPodAutoscaler',
  pdb: 'PodDisruptionBudget',
  netpol: 'NetworkPolicy',
  networkpolicie: 'NetworkPolicy',
  storageclasse: 'StorageClass',
  quota: 'ResourceQuota',
  sa: 'ServiceAccount',
};

/** Undefined when no provider answers for objects. */
export function queryStateTool(providers: readonly TelemetryProvider[]): Tool | undefined {
  const able = providersWith(providers, 'queryObjects');
  if (able.length === 0) return undefined;
  return defineTool({
    name: 'query_state',
    description:
      'Reads Kubernetes objects as they are now: phase, conditions, restarts and how containers ended, replicas wanted and ready, what nodes, volumes and ' +
      'quotas say. When at most six match, also their configuration: images, resources, probes, environment, ports, selectors. Each is one line ' +
      'with an evidence id you can cite; what is not well comes first. Never Secrets. Names take * as wildcard.',
    input: z.strictObject({
      ...providerInput(able),
      service: nameInput('Only what belongs to this service: workloads, pods, Services, claims, configuration.'),
      kind: nameInput('Only of this kind, such as Pod, Deployment, Node, ConfigMap.'),
      name: nameInput('Only of this name.'),
      namespace: nameInput('Only in this namespace.'),
    }),
    async run(input, _context, signal) {
      const provider = chooseProvider(able, input.provider);
      const { service, kind, name, namespace } = input;
      const filter = given({ service, kind: kind === undefined ? undefined : kindNamed(kind), name, namespace });
      const searched = `${provider.name}: objects ${JSON.stringify(filter)}`;
      const query = { ...filter, limit: MAX_OBJECTS };
      const answer = await reading(provider.name, searched, provider.queryObjects(query, signal));
      return { kind: 'objects', searched, objects: answer.items, notes: answer.note ? [answer.note] : [] };
    },
  });
}

/** `pods` → `pod`, `deploy` → `Deployment`: providers do not mind the case. */
function kindNamed(word: string): string {
  const lower = word.toLowerCase();
  const singular = lower === 'endpoints' || lower === 'ingress' || lower.length <= 3 ? lower : lower.replace(/s$/, '');
  return SHORT_NAMES[lower] ?? SHORT_NAMES[singular] ?? (singular === lower ? word : singular);
}
