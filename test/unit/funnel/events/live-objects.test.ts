import { expect, test } from '@jest/globals';
import { NO_TELEMETRY, type Change, type KubernetesObject } from '../../../../src/domain/telemetry.ts';
import { readState } from '../../../../src/funnel/events/read-state.ts';
import { modelIncident } from '../../../../src/funnel/incident-model.ts';
import { incidentOf } from '../../../support/incidents.ts';
import { objectOf, templateOf } from '../../../support/kubernetes/objects.ts';

const startsAtMs = Date.parse('2026-01-01T10:00:00Z');

/** What is told of a live cluster whose provider read these objects and changes. */
function told(objects: readonly object[], changes: readonly Change[] = []) {
  const incident = incidentOf({ alertname: 'Down', namespace: 'shop', app: 'checkout' }, { startsAtMs });
  const telemetry = { ...NO_TELEMETRY, objects: objects as readonly KubernetesObject[], changes };
  return readState(modelIncident(incident, telemetry), { eventWindowMs: 300_000 }).findings.map(({ key }) => key);
}

const waiting = objectOf(
  'apps/v1',
  'Deployment',
  { name: 'checkout', namespace: 'shop' },
  {
    spec: {
      replicas: 1,
      template: { spec: { containers: [{ name: 'app', envFrom: [{ configMapRef: { name: 'settings' } }] }] } },
    },
  },
);
const other = (annotations: Readonly<Record<string, string>>) =>
  objectOf('v1', 'ConfigMap', { name: 'other', namespace: 'shop', annotations });

test('what is missing in a whole list is missing, in a part of a list it is unknown', () => {
  const isMissing = (key: string) => key.includes('MissingConfigMap settings');
  expect(told([waiting, other({})]).some(isMissing)).toBe(true);
  expect(told([waiting, other({ 'recording/list': 'partial' })]).some(isMissing)).toBe(false);
});

test('a rollout that the provider tells is not told again from its replica sets', () => {
  const owner = { kind: 'Deployment', name: 'checkout' };
  const set = (name: string, createdAt: string, image: string) =>
    objectOf(
      'apps/v1',
      'ReplicaSet',
      { name, namespace: 'shop', createdAt, owner },
      {
        spec: { replicas: 1, template: templateOf({ image }) },
      },
    );
  const sets = [
    set('checkout-a1b2c', '2026-01-01T08:00:00Z', 'a:1'),
    set('checkout-d4e5f', '2026-01-01T09:55:00Z', 'a:2'),
  ];
  const timeMs = Date.parse('2026-01-01T09:55:00Z');
  const change = { timeMs, service: 'checkout', kind: 'rollout', summary: 'Deployment checkout rolled out' };
  const changesIn = (keys: readonly string[]) => keys.filter((key) => key.startsWith('change:'));
  expect(changesIn(told(sets))).toHaveLength(1);
  expect(changesIn(told(sets, [change]))).toEqual([expect.stringMatching(/Deployment checkout rolled out/)]);
});
