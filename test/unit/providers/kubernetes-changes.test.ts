import { describe, expect, test } from '@jest/globals';
import type { ClusterEvent } from '../../../src/domain/telemetry.ts';
import { changesOf } from '../../../src/providers/kubernetes/changes.ts';
import { editsOf } from '../../../src/providers/kubernetes/edits.ts';
import { ALL_RESOURCES } from '../../../src/providers/kubernetes/resources.ts';
import { compareTemplates } from '../../../src/providers/kubernetes/template-diff.ts';
import { trimObject } from '../../../src/providers/kubernetes/trim.ts';
import { objectOf, templateOf, type TemplateFacts } from '../../support/kubernetes/objects.ts';

/** As a list hands them on. */
function changesIn(objects: readonly object[], events: readonly ClusterEvent[] = []) {
  return changesOf(
    objects.map((item) => {
      const record = item as Readonly<Record<string, unknown>>;
      const resource = ALL_RESOURCES.find(({ kind }) => kind === record['kind']);
      const object = resource && trimObject(record, resource);
      if (!resource || !object) throw new Error('a kind that is not read');
      return { object, edits: editsOf(record, resource) };
    }),
    events,
  );
}

const owner = { kind: 'Deployment', name: 'checkout' };
const setOf = (revision: number, createdAt: string, template: TemplateFacts) =>
  objectOf(
    'apps/v1',
    'ReplicaSet',
    {
      name: `checkout-${'abc'[revision - 1]}`,
      namespace: 'shop',
      createdAt,
      owner,
      annotations: { 'deployment.kubernetes.io/revision': String(revision) },
    },
    { spec: { replicas: 1, template: templateOf(template) } },
  );
const editedAt = (time: string, fields: object, more: object = {}) => [
  { manager: 'kubectl-edit', operation: 'Update', time, fieldsType: 'FieldsV1', fieldsV1: fields, ...more },
];
const deploymentOf = (managedFields?: readonly object[], spec: object = { replicas: 3 }) =>
  objectOf(
    'apps/v1',
    'Deployment',
    { name: 'checkout', namespace: 'shop', ...(managedFields && { managedFields }) },
    { spec },
  );

const first = '2026-01-01T08:00:00Z';
const second = '2026-01-01T09:55:00Z';

describe('rollouts', () => {
  test('tell what a new revision of a deployment changed, at the time it was made', () => {
    const changes = changesIn([
      deploymentOf(),
      setOf(1, first, { env: { LOG_LEVEL: 'info' } }),
      setOf(2, second, { image: 'registry.example/checkout:2', env: { LOG_LEVEL: 'debug' } }),
    ]);
    expect(changes).toEqual([
      {
        timeMs: Date.parse(second),
        service: 'checkout',
        namespace: 'shop',
        kind: 'rollout',
        summary:
          'Deployment checkout rolled out ReplicaSet checkout-b in place of ReplicaSet checkout-a: image of app registry.example/checkout:1 → registry.example/checkout:2; env LOG_LEVEL of app info → debug',
      },
    ]);
  });

  test('of configuration alone are told as that', () => {
    const [change] = changesIn([setOf(1, first, { env: { PORT: '80' } }), setOf(2, second, {})]);
    expect(change).toMatchObject({
      kind: 'rollout of configuration',
      summary: expect.stringMatching(/env PORT of app 80 → \(unset\)/),
    });
  });

  test('a first revision is no change', () => {
    expect(changesIn([deploymentOf(), setOf(1, second, {})])).toEqual([]);
  });

  test('going back to an older revision has the time of whoever ordered it', () => {
    const undoneAt = '2026-01-01T09:58:00Z';
    const changes = changesIn([
      deploymentOf(editedAt(undoneAt, { 'f:spec': { 'f:template': {} } })),
      setOf(3, first, { image: 'registry.example/checkout:1' }),
      setOf(2, second, { image: 'registry.example/checkout:2' }),
    ]);
    expect(changes).toHaveLength(1);
    expect(changes[0]).toMatchObject({
      timeMs: Date.parse(undoneAt),
      summary: expect.stringMatching(
        /went back to ReplicaSet checkout-c in place of ReplicaSet checkout-b: image .*:2 → .*:1$/,
      ),
    });
  });

  test('of stateful sets are read from their revisions', () => {
    const revision = (name: string, number: number, createdAt: string, image: string) =>
      objectOf(
        'apps/v1',
        'ControllerRevision',
        { name, namespace: 'shop', createdAt, owner: { kind: 'StatefulSet', name: 'db' } },
        { revision: number, data: { spec: { template: { ...templateOf({ image }), $patch: 'replace' } } } },
      );
    const changes = changesIn([
      objectOf('apps/v1', 'StatefulSet', { name: 'db', namespace: 'shop' }),
      revision('db-1', 1, first, 'postgres:16'),
      revision('db-2', 2, second, 'postgres:17'),
    ]);
    expect(changes).toMatchObject([
      { service: 'db', summary: expect.stringMatching(/^StatefulSet db rolled out .*postgres:16 → postgres:17$/) },
    ]);
  });
});

describe('edits', () => {
  test('of a config map are told to the workloads that read it, with the keys, not their values', () => {
    const map = objectOf(
      'v1',
      'ConfigMap',
      {
        name: 'settings',
        namespace: 'shop',
        managedFields: editedAt(second, { 'f:data': { '.': {}, 'f:LOG_LEVEL': {} } }),
      },
      { data: { LOG_LEVEL: 'private' } },
    );
    const reader = {
      template: { spec: { containers: [{ name: 'app', envFrom: [{ configMapRef: { name: 'settings' } }] }] } },
    };
    expect(changesIn([map, deploymentOf(undefined, reader)])).toEqual([
      {
        timeMs: Date.parse(second),
        service: 'checkout',
        namespace: 'shop',
        kind: 'config change',
        summary: 'ConfigMap settings last written by kubectl-edit (data.LOG_LEVEL)',
      },
    ]);
  });

  test('scaling says to how many, and by whom', () => {
    const scale = (manager: string) =>
      changesIn([
        deploymentOf([{ manager, subresource: 'scale', time: second, fieldsV1: { 'f:spec': { 'f:replicas': {} } } }]),
      ]);
    expect(scale('kubectl')).toMatchObject([
      { kind: 'scaling', summary: 'Deployment checkout scaled to 3 by kubectl' },
    ]);
    expect(scale('kube-controller-manager')).toMatchObject([
      { kind: 'autoscaling', summary: 'Deployment checkout scaled to 3 by its autoscaler' },
    ]);
  });

  test('of many fields name none: whoever owns them wrote them all at some time', () => {
    const fields = { 'f:spec': { 'f:replicas': {}, 'f:template': {}, 'f:strategy': {} } };
    const [change] = changesIn([deploymentOf(editedAt(second, fields, { manager: 'unknown' }))]);
    expect(change?.summary).toBe('Deployment checkout last written by an unnamed client');
  });

  test('an edit that began a rollout is not told twice', () => {
    const edited = deploymentOf(editedAt('2026-01-01T09:55:01Z', { 'f:spec': { 'f:template': {} } }));
    const changes = changesIn([
      edited,
      setOf(1, first, {}),
      setOf(2, second, { image: 'registry.example/checkout:2' }),
    ]);
    expect(changes.map(({ kind }) => kind)).toEqual(['rollout']);
  });

  test.each([
    ['what the cluster itself writes', { manager: 'kube-controller-manager' }],
    ['a status', { subresource: 'status' }],
    ['annotations alone', { fieldsV1: { 'f:metadata': { 'f:annotations': {} } } }],
    ['what was set when it was made', { time: '2025-12-01T08:00:01Z' }],
    ['an entry without a time', { time: undefined }],
  ])('%s is none', (_what, more) => {
    expect(changesIn([deploymentOf(editedAt(second, { 'f:spec': { 'f:replicas': {} } }, more))])).toEqual([]);
  });

  test('a cordoned node is told to the node', () => {
    const node = objectOf('v1', 'Node', {
      name: 'node-1',
      managedFields: editedAt(second, { 'f:spec': { 'f:unschedulable': {} } }, { manager: 'kubectl-cordon' }),
    });
    expect(changesIn([node])).toMatchObject([
      {
        service: 'node-1',
        kind: 'edit',
        summary: 'Node node-1 last written by kubectl-cordon (spec.unschedulable)',
      },
    ]);
  });
});

describe('scaling that the controller reported', () => {
  const scaled = (set: string, words: string, time: string): ClusterEvent => ({
    timeMs: Date.parse(time),
    type: 'Normal',
    reason: 'ScalingReplicaSet',
    message: `Scaled up replica set ${set} ${words}`,
    objectKind: 'Deployment',
    objectName: 'checkout',
    namespace: 'shop',
  });
  const byHand = deploymentOf(editedAt(second, { 'f:spec': { 'f:replicas': {} } }, { manager: 'kubectl-scale' }));

  test.each(['from 1 to 6', 'to 6 from 1'])('says %s, by whom, and the edit is not told beside it', (words) => {
    expect(changesIn([byHand, setOf(1, first, {})], [scaled('checkout-a', words, '2026-01-01T09:55:02Z')])).toEqual([
      {
        timeMs: Date.parse('2026-01-01T09:55:02Z'),
        service: 'checkout',
        namespace: 'shop',
        kind: 'scaling',
        summary: 'Deployment checkout scaled from 1 to 6 by kubectl-scale',
      },
    ]);
  });

  test('is none when a rollout fills one set and empties another', () => {
    const events = [
      scaled('checkout-b', 'from 1 to 3', '2026-01-01T09:55:30Z'),
      scaled('checkout-a', 'from 3 to 2', '2026-01-01T09:56:00Z'),
    ];
    expect(changesIn([setOf(1, first, {})], events)).toEqual([]);
  });

  test('is none when a deployment is made', () => {
    expect(changesIn([setOf(1, second, {})], [scaled('checkout-a', 'from 0 to 3', '2026-01-01T09:55:01Z')])).toEqual(
      [],
    );
  });
});

describe('two templates', () => {
  const container = (fields: object) => ({ spec: { containers: [{ name: 'app', ...fields }] } });

  test.each([
    [
      { resources: { limits: { memory: '512Mi' } } },
      { resources: { limits: { memory: '64Mi' } } },
      'memory limit of app 512Mi → 64Mi',
    ],
    [{ command: ['a'] }, { command: ['b'] }, 'command of app changed'],
    [{ readinessProbe: { httpGet: { path: '/' } } }, {}, 'readinessProbe of app changed'],
    [
      { envFrom: [{ configMapRef: { name: 'settings-a1' } }] },
      { envFrom: [{ configMapRef: { name: 'settings-b2' } }] },
      'environment source 1 of app settings-a1 → settings-b2',
    ],
    [
      { env: [{ name: 'KEY', value: 'x' }] },
      { env: [{ name: 'KEY', valueFrom: { secretKeyRef: { name: 'keys', key: 'k' } } }] },
      'env KEY of app x → key k of secret keys',
    ],
  ])('%j and %j differ in words', (before, after, words) => {
    expect(compareTemplates(container(before), container(after)).parts).toEqual([words]);
  });

  test('a restart by kubectl is told as one', () => {
    const at = (time: string) => ({
      metadata: { annotations: { 'kubectl.kubernetes.io/restartedAt': time } },
      spec: {},
    });
    expect(compareTemplates(at(first), at(second)).parts).toEqual(['restarted by kubectl rollout restart']);
  });
});
