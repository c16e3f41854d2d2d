import { readFileSync } from 'node:fs';
import { expect, test } from '@jest/globals';
import { parse } from 'yaml';
import { ALL_RESOURCES } from '../../../src/providers/kubernetes/resources.ts';
import { CASES, EVERYTHING, FILES, HARDENED, KEDA } from '../../support/helm/cases.ts';
import {
  CHART,
  describeWithHelm,
  ofKind,
  one,
  podsOf,
  render,
  runHelm,
  type PodSpec,
  type Values,
} from '../../support/helm/chart.ts';
import {
  granted,
  requireMounts,
  requireNames,
  requireProbesAndResources,
  requireReadOnlyRoles,
  requireRestricted,
  requireSelectors,
  requireSettings,
  rights,
} from '../../support/helm/requirements.ts';

const ALL_RIGHTS = { kubernetes: { rbac: { configMaps: true } } };

describeWithHelm('the chart', () => {
  test('helm lint has nothing to say, strict', () => {
    for (const values of [{}, CASES['mode split with everything'] ?? {}]) {
      const { status, stdout } = runHelm(['lint', CHART, '--strict'], values);
      expect({ status, stdout }).toEqual({ status: 0, stdout: expect.stringContaining('0 chart(s) failed') });
      expect(stdout).not.toMatch(/\[(?:WARNING|ERROR)\]/);
    }
  });

  test.each(Object.entries(CASES))('%s: what Kubernetes and people need holds', (_name, values) => {
    const objects = render(values);
    requireNames(objects);
    requireSelectors(objects);
    for (const pod of podsOf(objects)) {
      requireRestricted(pod);
      requireProbesAndResources(pod);
      requireMounts(pod, objects);
      requireSettings(pod, objects);
    }
    requireReadOnlyRoles(objects);
  });

  test('mode all is one Deployment, mode split one for each role', () => {
    const roles = (values: Values) =>
      podsOf(render(values)).flatMap(({ of, spec }) => (of.startsWith('Deployment') ? [spec.containers[0]?.args] : []));
    expect(roles({})).toEqual([['all']]);
    expect(roles({ mode: 'split' })).toEqual([['serve'], ['work'], ['schedule']]);
  });

  test('the token of the service account is mounted where Rootnote investigates, and nowhere else', () => {
    const holders = (values: Values) =>
      podsOf(render(values)).flatMap(({ of, spec }) => (spec.automountServiceAccountToken === false ? [] : [of]));
    expect(holders({ mode: 'split' })).toEqual(['Deployment rel-rootnote-work', 'Pod rel-rootnote-test-doctor']);
    expect(holders({})).toEqual(['Deployment rel-rootnote-all', 'Pod rel-rootnote-test-doctor']);
    expect(holders({ kubernetes: { enabled: false } })).toEqual([]);
  });

  test('the roles grant what the provider reads, and nothing else', () => {
    const read = ALL_RESOURCES.map(({ group, plural }) => `${group}/${plural}`);
    expect(granted(render(ALL_RIGHTS))).toEqual(new Set([...read, '/pods/log']));
    const withoutContents = [...read, '/pods/log'].filter((name) => name !== '/configmaps');
    expect(granted(render())).toEqual(new Set(withoutContents));
    const withoutLeases = render({ kubernetes: { rbac: { nodeLeases: false } } });
    expect(ofKind(withoutLeases, 'Role')).toEqual([]);
    const narrow = render(CASES['namespaces alone']);
    expect(ofKind(narrow, 'ClusterRole')).toEqual([]);
    expect(ofKind(narrow, 'Role').map(({ metadata }) => metadata.namespace)).toEqual(['shop']);
    expect([...granted(narrow)]).not.toContain('/configmaps');
    expect([...granted(narrow)]).not.toContain('/pods/log');
  });

  test('the rights by hand of docs/kubernetes.md are those of the chart', () => {
    const [, yaml = ''] =
      /```yaml\n(apiVersion: rbac[\s\S]+?)```/.exec(readFileSync('docs/kubernetes.md', 'utf8')) ?? [];
    const byHand = rights([parse(yaml) as object]);
    expect([...byHand].toSorted()).toEqual([...rights(render(ALL_RIGHTS))].toSorted());
    expect(byHand).toContain('get /pods/log');
  });

  test('what a pod runs comes from a registry that is named', () => {
    const [redis] = podsOf(render()).filter(({ of }) => of.startsWith('StatefulSet'));
    expect(redis?.spec.containers.map(({ image }) => image)).toEqual(['docker.io/valkey/valkey:8.1-alpine']);
  });

  test('only pods of the release reach the bundled Redis, whether or not it is told who reaches Rootnote', () => {
    const policies = (values: Values) => ofKind(render(values), 'NetworkPolicy').map(({ metadata }) => metadata.name);
    expect(policies({})).toEqual(['rel-rootnote-redis']);
    expect(policies({ redis: { bundled: { networkPolicy: false } } })).toEqual([]);
  });

  test('a receiver may have a Secret of its own, and then holds nothing that others need', () => {
    const secrets = (values: Values) =>
      Object.fromEntries(podsOf(render(values)).map(({ of, spec }) => [of.replace(/ .*-/, ' '), secretsOf(spec)]));
    expect(secrets({ mode: 'split', serve: { existingSecret: 'mine' } })).toEqual({
      'Deployment serve': ['mine'],
      'Deployment work': ['rootnote'],
      'Deployment schedule': ['rootnote'],
      'StatefulSet redis': ['rootnote/REDIS_PASSWORD'],
      'Pod doctor': ['rootnote', 'mine'],
      'Pod webhook': ['mine/ALERTMANAGER_BEARER_TOKENS', 'mine/ALERTMANAGER_BASIC_AUTH'],
    });
    const files = podsOf(render({ ...FILES, mode: 'split' })).map(({ of, spec }) => [
      of.replace(/ .*-/, ' '),
      (spec.containers[0]?.env ?? []).some(({ name }) => name === 'ROUTES_FILE' || name === 'MCP_CONFIG_FILE'),
    ]);
    expect(Object.fromEntries(files)).toMatchObject({ 'Deployment serve': false, 'Deployment work': true });
  });

  test('the hardened values: nothing of the cluster, nothing from elsewhere, no open way', () => {
    const objects = render(HARDENED);
    expect(ofKind(objects, 'ClusterRole')).toEqual([]);
    expect([...granted(objects)]).not.toContain('/configmaps');
    expect(ofKind(objects, 'Role').map(({ metadata }) => metadata.namespace)).toEqual(['payments', 'shop']);
    for (const { spec, stays } of podsOf(objects)) {
      for (const { image, resources } of spec.containers) {
        expect(image).toMatch(/^registry\.example\.com\//);
        if (stays) expect(resources).toMatchObject({ limits: { 'ephemeral-storage': expect.anything() } });
      }
    }
    const ways = ofKind(objects, 'NetworkPolicy').flatMap(({ spec }) => [
      ...((spec?.['ingress'] ?? []) as readonly Way[]),
      ...((spec?.['egress'] ?? []) as readonly Way[]),
    ]);
    // Name servers are asked wherever they are.
    const [open, ...others] = ways.filter(({ from = [], to = [] }) => from.length + to.length === 0);
    expect(open?.ports.map(({ port }) => port)).toEqual([53, 53]);
    expect(others).toEqual([]);
    expect(ways.filter(({ ports }) => ports.length === 0)).toEqual([]);
    expect(JSON.stringify(ways)).not.toContain('"namespaceSelector":{}');
    const serve = podsOf(objects).find(({ of }) => of.endsWith('-serve'));
    expect(serve && secretsOf(serve.spec)).toEqual(['rootnote-receiver']);
  });

  test('a change of settings or files replaces the pods, any other does not', () => {
    const checksums = (values: Values) => podsOf(render(values))[0]?.annotations;
    expect(checksums({ settings: { LOG_LEVEL: 'debug' } })).not.toEqual(checksums({}));
    expect(checksums({ routes: { content: 'default: [slack]' } })).not.toEqual(
      checksums({ routes: { content: 'default: []' } }),
    );
    expect(checksums({ service: { port: 80 } })).toEqual(checksums({}));
  });

  test('numbers of settings are written as people write them', () => {
    const { data } = one(
      render({ settings: { MAX_LOG_LINES: 10_000_000, OTEL_TRACES_SAMPLER_ARG: 0.25, PAGERDUTY_NOTES: false } }),
      'ConfigMap',
      'rel-rootnote-settings',
    );
    expect(data).toEqual({
      COMMANDS_ENABLED: 'false',
      MAX_LOG_LINES: '10000000',
      OTEL_TRACES_SAMPLER_ARG: '0.25',
      PAGERDUTY_NOTES: 'false',
    });
  });

  test('text of files arrives as it was, whatever it begins with and ends its lines with', () => {
    const texts = { 'indented.md': '\n    code\nand text', 'windows.md': '---\r\na: b\r\n---\r\n\tx # y\r\n' };
    const objects = render({ skills: { files: texts }, routes: { content: '  routes: []\n' } });
    expect(one(objects, 'ConfigMap', 'rel-rootnote-skills').data).toEqual(texts);
    expect(one(objects, 'ConfigMap', 'rel-rootnote-routes').data).toEqual({ 'routes.yaml': '  routes: []\n' });
  });

  test('text of files arrives as it was, braces included', () => {
    const objects = render(FILES);
    expect(one(objects, 'ConfigMap', 'rel-rootnote-skills').data?.['one.md']).toBe(
      '---\ndescription: one\n---\n\nText with {{ braces }}.\n',
    );
    expect(JSON.parse(one(objects, 'ConfigMap', 'rel-rootnote-topology').data?.['topology.json'] ?? '')).toEqual({
      services: [],
      edges: [],
    });
  });

  test('a ConfigMap of your own is read by the key that the values name', () => {
    const yaml = readFileSync(`${CHART}/values.yaml`, 'utf8');
    const documented = [...yaml.matchAll(/A ConfigMap with the key `([^`]+)` instead/g)].map(([, key]) => key);
    const names = ['routes', 'queries', 'sources', 'topology', 'mcp', 'redactPatterns'];
    const own = Object.fromEntries(names.map((name) => [name, { existingConfigMap: 'mine' }]));
    const variables = podsOf(render(own))[0]?.spec.containers[0]?.env ?? [];
    const read = variables.flatMap(({ value }) => /^\/etc\/rootnote\/[^/]+\/(.+)$/.exec(value ?? '')?.[1] ?? []);
    expect(read).toEqual(documented);
    expect(read).toHaveLength(names.length);
  });

  test('it listens on every address of the pod, of the kind that is asked for', () => {
    const host = (values: Values) =>
      podsOf(render(values))[0]?.spec.containers[0]?.env?.find(({ name }) => name === 'HOST')?.value;
    expect(host({})).toBe('0.0.0.0');
    expect(host({ settings: { HOST: '::' } })).toBe('::');
  });

  test('Kubernetes waits longer than Rootnote needs to stop', () => {
    const wait = (values: Values) => podsOf(render(values))[0]?.spec.terminationGracePeriodSeconds;
    expect(wait({})).toBe(35);
    expect(wait({ settings: { SHUTDOWN_GRACE_MS: 90_500 } })).toBe(101);
  });

  test('where somebody else counts the replicas, the chart does not', () => {
    const replicas = (values: Values) => one(render(values), 'Deployment', 'rel-rootnote-all').spec?.['replicas'];
    expect(replicas({ all: { replicas: 3 } })).toBe(3);
    expect(replicas({ all: { autoscaling: { enabled: true } } })).toBeUndefined();
    expect(replicas({ all: { keda: KEDA } })).toBeUndefined();
  });

  test('the ingress lets webhooks in and leaves metrics and probes inside', () => {
    const [ingress] = ofKind(render(EVERYTHING), 'Ingress');
    const paths = JSON.stringify(ingress?.spec).match(/"path":"[^"]*"/g);
    expect(paths).toEqual(['"path":"/webhooks"']);
  });

  test('every way to Redis is told by the settings of Rootnote', () => {
    const redis = (name: string) => {
      const env = podsOf(render(CASES[name]))[0]?.spec.containers[0]?.env ?? [];
      return Object.fromEntries(
        env.flatMap(({ name: key, value }) => (key.startsWith('REDIS_') ? [[key, value]] : [])),
      );
    };
    expect(redis('mode all')).toEqual({ REDIS_URL: 'redis://rel-rootnote-redis:6379/0' });
    expect(redis('Redis elsewhere')).toEqual({
      REDIS_URL: 'rediss://redis:6380/1',
      REDIS_USERNAME: 'rootnote',
      REDIS_TLS: 'true',
      REDIS_CA_FILE: '/etc/rootnote/redis-tls/ca.crt',
      REDIS_CERT_FILE: '/etc/rootnote/redis-tls/tls.crt',
      REDIS_KEY_FILE: '/etc/rootnote/redis-tls/tls.key',
    });
    expect(redis('Redis with Sentinels')).toEqual({
      REDIS_SENTINELS: 'a:26379,b:26379',
      REDIS_SENTINEL_MASTER: 'main',
      REDIS_SENTINEL_USERNAME: 'u',
    });
    expect(redis('Redis as a cluster')).toEqual({ REDIS_CLUSTER_NODES: 'a:6379,[::1]:6379' });
  });
});

interface Way {
  readonly ports: readonly { readonly port: number | string }[];
  readonly from?: readonly unknown[];
  readonly to?: readonly unknown[];
}

/** `name` of each that is given whole, `name/key` of each that is not. */
function secretsOf({ containers }: PodSpec): readonly string[] {
  return containers.flatMap(({ env = [], envFrom = [] }) => [
    ...envFrom.flatMap(({ secretRef }) => (secretRef ? [secretRef.name] : [])),
    ...env.flatMap(({ valueFrom: { secretKeyRef: ref } = {} }) => (ref ? [`${ref.name}/${ref.key}`] : [])),
  ]);
}
