import { readFileSync } from 'node:fs';
import { expect, test } from '@jest/globals';
import { parse } from 'yaml';
import { ALL_RESOURCES } from '../../../src/providers/kubernetes/resources.ts';
import type { AskedRight, ImitationOptions } from '../../support/kubernetes/api-server.ts';
import { manyPods, objectOf } from '../../support/kubernetes/objects.ts';
import { useKubernetes } from '../../support/kubernetes/provider.ts';
import { failure } from '../../support/kubernetes/status.ts';

const kubernetes = useKubernetes();

async function check(options: ImitationOptions, namespaces: readonly string[] = []) {
  const logs = { which: 'all', mostPods: 10, mostLines: 100 } as const;
  const provider = await kubernetes.start(options, { namespaces, logs });
  return provider.check(new AbortController().signal);
}

const objects = [
  ...manyPods(12),
  objectOf('v1', 'Node', { name: 'node-1' }),
  objectOf('v1', 'Node', { name: 'node-2' }),
  objectOf('v1', 'Namespace', { name: 'shop' }),
];

test('shows the version and what was seen, counted without reading it all', async () => {
  expect(await check({ objects })).toEqual({
    name: 'kubernetes',
    status: 'ok',
    value: 'Kubernetes v1.34.0, 12 pods, 2 nodes, 1 namespaces, with the token of a test',
  });
  expect(
    kubernetes
      .asked()
      .filter(({ plural }) => plural === 'pods')
      .map(({ params }) => params.get('limit')),
  ).toEqual(['1']);
});

test('names each list that is refused, and how to allow it', async () => {
  const forbids = ({ resource }: AskedRight) => ['nodes', 'pods/log', 'jobs'].includes(resource);
  expect(await check({ objects, forbids })).toMatchObject({
    status: 'warn',
    value: expect.stringMatching(/12 pods, 1 namespaces/),
    details: ['not allowed: list jobs.batch', 'not allowed: list nodes', 'not allowed: get pods/log'],
    remedy: expect.stringMatching(/docs\/kubernetes\.md/),
  });
});

test('asks for the namespaces that may be looked at', async () => {
  const forbids = ({ namespace }: AskedRight) => namespace !== 'shop';
  const result = await check({ objects, forbids }, ['shop']);
  expect(result).toMatchObject({ status: 'warn', value: expect.stringMatching(/12 pods in shop/) });
  expect(result.details?.every((line) => !line.includes(' in '))).toBe(true);
});

test('fails when not even pods may be read', async () => {
  expect(await check({ objects, forbids: () => true })).toMatchObject({
    status: 'fail',
    value: expect.stringMatching(/pods not readable/),
  });
});

test('warns of an identity that could read Secrets or change anything', async () => {
  const reply: ImitationOptions['reply'] = ({ plural }) =>
    plural === 'selfsubjectaccessreviews' ? { status: 201, json: { status: { allowed: true } } } : undefined;
  expect(await check({ objects, reply })).toMatchObject({
    status: 'warn',
    details: [
      expect.stringMatching(
        /never does it: list secrets, get secrets, create pods\/exec, delete pods, patch deployments/,
      ),
    ],
    remedy: expect.stringMatching(/Take away what is too much/),
  });
});

test('a server that does not know us, or fails, fails with what to do', async () => {
  const unknown = await check({ tokens: () => [] });
  expect(unknown).toMatchObject({
    status: 'fail',
    value: expect.stringMatching(/HTTP 401/),
    remedy: expect.stringMatching(/new one/),
  });
  const broken = await check({ reply: () => failure(500, 'InternalError', 'etcd is gone') });
  expect(broken).toMatchObject({ status: 'fail', value: expect.stringMatching(/HTTP 500: etcd is gone/) });
});

test('the role of docs/kubernetes.md allows what is read, and nothing else', () => {
  const [, text = ''] = /```yaml\n([\s\S]*?)```/.exec(readFileSync('docs/kubernetes.md', 'utf8')) ?? [];
  const role = parse(text) as {
    readonly rules: readonly {
      readonly apiGroups: readonly string[];
      readonly resources: readonly string[];
      readonly verbs: readonly string[];
    }[];
  };
  const allowed = role.rules.flatMap(({ apiGroups, resources }) =>
    apiGroups.flatMap((group) => resources.map((resource) => `${group}/${resource}`)),
  );
  const read = ALL_RESOURCES.map(({ group, plural }) => `${group}/${plural}`);
  expect(allowed.toSorted()).toEqual([...new Set([...read, '/pods/log'])].toSorted());
  expect(role.rules.every(({ verbs }) => verbs.every((verb) => verb === 'get' || verb === 'list'))).toBe(true);
});
