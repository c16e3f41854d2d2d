import { expect } from '@jest/globals';
import { examineConfig } from '../../../src/config/load-config.ts';
import { Config } from '../../../src/config/schema.ts';
import { ofKind, one, podsOf, type KubeObject, type Pod } from './chart.ts';

export function requireNames(objects: readonly KubeObject[]): void {
  const names = objects.map(({ kind, metadata }) => `${kind} ${metadata.namespace ?? ''}/${metadata.name}`);
  expect(names).toEqual([...new Set(names)]);
  for (const { kind, metadata } of objects) {
    // Pods of a StatefulSet carry its name and a hash of eleven characters as a label.
    const longest = kind === 'StatefulSet' ? 52 : 63;
    expect(metadata.name).toMatch(new RegExp(`^[a-z0-9]([-a-z0-9]{0,${longest - 2}}[a-z0-9])?$`));
    expect(metadata.labels?.['app.kubernetes.io/instance']).toBe('rel');
    for (const value of Object.values(metadata.labels ?? {}))
      expect(value).toMatch(/^[A-Za-z0-9]([-\w.]{0,61}[A-Za-z0-9])?$/);
  }
}

type Labels = Readonly<Record<string, string>>;

/** Whatever selects, selects some pod, and what a workload selects are its own pods alone. */
export function requireSelectors(objects: readonly KubeObject[]): void {
  const pods = podsOf(objects);
  const matching = (labels: Labels) =>
    pods.filter((pod) => Object.entries(labels).every(([name, value]) => pod.labels[name] === value));
  for (const { kind, metadata, spec } of objects) {
    if (kind === 'Service') requireTargets(metadata, spec, matching(spec?.['selector'] as Labels));
    const labels = (spec?.['selector'] as { readonly matchLabels?: Labels } | undefined)?.matchLabels;
    if (kind === 'Deployment' || kind === 'StatefulSet')
      expect(matching(labels ?? {}).map(({ of }) => of)).toEqual([`${kind} ${metadata.name}`]);
    if (kind === 'PodDisruptionBudget' || kind === 'PodMonitor')
      expect(matching(labels ?? {}).length).toBeGreaterThan(0);
    const podSelector = spec?.['podSelector'] as { readonly matchLabels?: Labels } | undefined;
    if (kind === 'NetworkPolicy') expect(matching(podSelector?.matchLabels ?? {}).length).toBeGreaterThan(0);
    if (kind === 'ServiceMonitor')
      expect(
        ofKind(objects, 'Service').filter((service) =>
          Object.entries(labels ?? {}).every(([name, value]) => service.metadata.labels?.[name] === value),
        ),
      ).toHaveLength(1);
  }
}

/** A Service leads to pods of its own component, or with metrics to all, and to a port that they have. */
function requireTargets(metadata: KubeObject['metadata'], spec: KubeObject['spec'], pods: readonly Pod[]): void {
  const component = metadata.labels?.['app.kubernetes.io/component'];
  const ports = (spec?.['ports'] ?? []) as readonly { readonly targetPort: string }[];
  expect(pods.length).toBeGreaterThan(0);
  for (const pod of pods) {
    if (component !== 'metrics') expect(pod.labels['app.kubernetes.io/component']).toBe(component);
    const names = pod.spec.containers.flatMap((container) => container.ports ?? []).map(({ name }) => name);
    for (const { targetPort } of ports) expect(names).toContain(targetPort);
  }
}

/** The restricted pod security standard, and a read-only root. */
export function requireRestricted({ spec }: Pod): void {
  expect(spec.securityContext).toMatchObject({ runAsNonRoot: true, seccompProfile: { type: 'RuntimeDefault' } });
  expect(Number(spec.securityContext['runAsUser'])).toBeGreaterThan(0);
  expect(spec.enableServiceLinks).toBe(false);
  for (const { securityContext } of spec.containers)
    expect(securityContext).toEqual({
      allowPrivilegeEscalation: false,
      readOnlyRootFilesystem: true,
      capabilities: { drop: ['ALL'] },
    });
}

export function requireProbesAndResources({ spec, stays }: Pod): void {
  for (const container of spec.containers) {
    expect(container.resources).toMatchObject({
      requests: { cpu: expect.anything(), memory: expect.anything(), 'ephemeral-storage': expect.anything() },
      limits: { memory: expect.anything() },
    });
    if (!stays) continue;
    for (const probe of ['startupProbe', 'livenessProbe', 'readinessProbe'] as const)
      expect(container[probe]).toBeDefined();
  }
}

/** Every mount has its volume, every ConfigMap of the chart exists, and every file that a setting names is a key of it. */
export function requireMounts({ spec }: Pod, objects: readonly KubeObject[]): void {
  const foreign = ['my-sources', 'ca'];
  for (const { volumeMounts = [], env = [] } of spec.containers) {
    for (const { name } of volumeMounts)
      if (name !== 'data') expect(spec.volumes?.map((volume) => volume.name)).toContain(name);
    for (const { value } of env) {
      const [, folder, file] = /^\/etc\/rootnote\/([a-z-]+)(?:\/(.+))?$/.exec(value ?? '') ?? [];
      if (folder === undefined) continue;
      expect(volumeMounts).toContainEqual(
        expect.objectContaining({ name: folder, mountPath: `/etc/rootnote/${folder}` }),
      );
      const configMap = spec.volumes?.find((volume) => volume.name === folder)?.configMap?.name;
      if (configMap === undefined || foreign.includes(configMap)) continue;
      const { data = {} } = one(objects, 'ConfigMap', configMap);
      if (file !== undefined) expect(Object.keys(data)).toContain(file);
      expect(Object.values(data).join('')).not.toBe('');
    }
  }
}

/** Variables that no setting knows do nothing, and nobody notices; what Rootnote does not take ends its start. */
export function requireSettings({ spec, of }: Pod, objects: readonly KubeObject[]): void {
  if (of.includes('redis') || of.includes('test-webhook')) return;
  const foreign = ['A', 'NODE_EXTRA_CA_CERTS'];
  const variables = spec.containers.flatMap(({ env = [] }) => env).filter(({ name }) => !foreign.includes(name));
  const names = variables.map(({ name }) => name);
  expect(names.filter((name) => !(name in Config.shape))).toEqual([]);
  expect(names).toEqual([...new Set(names)]);
  const settings = ofKind(objects, 'ConfigMap').find(({ metadata }) => metadata.name.endsWith('-settings'))?.data;
  const ofSentinels = names.includes('REDIS_SENTINELS') ? { REDIS_SENTINEL_PASSWORD: 'another' } : {};
  const secrets = { ALERTMANAGER_BEARER_TOKENS: 'a-token', REDIS_PASSWORD: 'a-password', ...ofSentinels };
  const environment = Object.fromEntries(variables.map(({ name, value }) => [name, value]));
  const { problems } = examineConfig({ ...settings, ...secrets, ...environment });
  // The files are in the container.
  expect(problems.filter(({ message }) => !/^\/etc\/rootnote\/\S+ is not there$/.test(message))).toEqual([]);
}

interface Rule {
  readonly apiGroups: readonly string[];
  readonly resources: readonly string[];
  readonly verbs: readonly string[];
}

function rulesOf(objects: readonly object[]): readonly Rule[] {
  return objects.flatMap((object) => (object as { readonly rules?: readonly Rule[] }).rules ?? []);
}

export function granted(objects: readonly KubeObject[]): ReadonlySet<string> {
  return new Set([...rights(objects)].map((right) => right.replace(/^\w+ /, '')));
}

/** Each as `list apps/deployments`. */
export function rights(objects: readonly object[]): ReadonlySet<string> {
  return new Set(
    rulesOf(objects).flatMap(({ verbs, apiGroups, resources }) =>
      verbs.flatMap((verb) => apiGroups.flatMap((group) => resources.map((name) => `${verb} ${group}/${name}`))),
    ),
  );
}

export function requireReadOnlyRoles(objects: readonly KubeObject[]): void {
  for (const { verbs, resources, apiGroups } of rulesOf(objects)) {
    expect(verbs.filter((verb) => verb !== 'get' && verb !== 'list')).toEqual([]);
    expect([...resources, ...apiGroups].filter((name) => name.includes('secret') || name.includes('*'))).toEqual([]);
  }
}
