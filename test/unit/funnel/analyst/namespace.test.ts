import { describe, expect, test } from '@jest/globals';
import type { Brief, Suspect } from '../../../../src/domain/brief.ts';
import type { Evidence } from '../../../../src/domain/evidence.ts';
import type { Incident } from '../../../../src/domain/incident.ts';
import { ROOT_CAUSE_TYPES } from '../../../../src/domain/root-cause-type.ts';
import type { KubernetesObject } from '../../../../src/domain/telemetry.ts';
import { analyse } from '../../../../src/funnel/analyst/analyse.ts';
import { distil } from '../../../../src/funnel/distil.ts';
import { incident, MINUTE_MS, series, step, telemetry, TRIGGER_MS } from '../incident-model/shop.ts';

const KINDS = { E: 'event', M: 'metric', C: 'change', L: 'log', O: 'state' } as const;

/** Evidence about `store`, if nothing else is said. */
const item = (id: string, namespace?: string, over: Partial<Evidence> = {}): Evidence => ({
  id,
  kind: KINDS[id.charAt(0) as keyof typeof KINDS],
  service: 'store',
  ...(namespace === undefined ? {} : { namespace }),
  statement: 'store: what was seen',
  atMs: TRIGGER_MS - MINUTE_MS,
  ...over,
});

const reasonOf = (...evidenceIds: string[]) => ({ type: 'object', score: 3, statement: 'seen', evidenceIds });

interface Case {
  readonly evidence: readonly Evidence[];
  readonly cited?: readonly string[];
  readonly suspect?: Partial<Suspect>;
  readonly alert?: Partial<Incident>;
  readonly brief?: Partial<Brief>;
}

const ALERT = { service: 'web', labels: { service: 'web', namespace: 'shop' } };

function planOf({ evidence, cited = ['E1'], suspect = {}, alert = {}, brief = {} }: Case) {
  const accused: Suspect = {
    service: 'store',
    score: 3,
    rootCauseType: 'deployment_change',
    reasons: [reasonOf(...cited)],
    ...suspect,
  };
  return analyse(incident({ ...ALERT, ...alert }), {
    text: '',
    tokens: 0,
    rawTokens: 1000,
    ranking: { suspects: [accused], confidence: 0.8, confidenceReasons: [] },
    evidence,
    gaps: [],
    ...brief,
  }).action_plan;
}

const commandsOf = (given: Case) => planOf(given).flatMap(({ command }) => command ?? []);
/** The namespaces that commands of a plan name, in kubectl's way or in PromQL's. */
const namespacesIn = (commands: readonly string[]) => [
  ...new Set(commands.flatMap((command) => /(?:-n |namespace=")([\w-]+)/.exec(command)?.[1] ?? [])),
];

describe('a command names the namespace of the suspect', () => {
  const store = { service: 'store' };
  const own = { ...store, labels: { service: 'store', namespace: 'shop' } };

  test.each<[string, Case, readonly string[]]>([
    ['of its event, not of the alert', { evidence: [item('E1', 'depot')] }, ['depot']],
    ['of its series', { evidence: [item('M1', 'depot')], cited: ['M1'] }, ['depot']],
    [
      'of the change that set it off',
      { evidence: [item('C1', 'depot')], suspect: { trigger: reasonOf('C1') } },
      ['depot'],
    ],
    [
      'of what names its type',
      { evidence: [item('O1', 'depot')], suspect: { mechanism: [reasonOf('O1')] } },
      ['depot'],
    ],
    ['without one on the alert', { evidence: [item('E1', 'depot')], alert: { labels: {} } }, ['depot']],
    [
      'of its evidence, though the alert about it names another',
      { evidence: [item('E1', 'depot')], alert: own },
      ['depot'],
    ],
    ['as far as anything says it', { evidence: [item('E1', 'depot'), item('L1')], cited: ['L1', 'E1'] }, ['depot']],
    ['by what else is known of it', { evidence: [item('E1', 'depot'), item('L1')], cited: ['L1'] }, ['depot']],
    ['by what it is suspected for before that', { evidence: [item('E1', 'depot'), item('E2', 'shop')] }, ['depot']],
    ['of the alert about it, where nothing else says', { evidence: [item('L1')], cited: ['L1'], alert: own }, ['shop']],
    [
      'of an alert that its canonical name is behind',
      { evidence: [item('L1')], cited: ['L1'], brief: { callPath: ['store'] } },
      ['shop'],
    ],
    [
      'of the alert about it, rather than of who scrapes',
      {
        evidence: [item('L1')],
        cited: ['L1'],
        alert: { ...store, labels: { namespace: 'monitoring', exported_namespace: 'shop' } },
      },
      ['shop'],
    ],
    [
      'of the alert about it, where evidence tells of that and another',
      { evidence: [item('E1', 'depot'), item('E2', 'shop')], cited: ['E1', 'E2'], alert: own },
      ['shop'],
    ],
  ])('%s', (_name, given, namespaces) => {
    expect(namespacesIn(commandsOf(given))).toEqual(namespaces);
  });

  test.each<[string, Case]>([
    ['nothing says where it runs', { evidence: [item('L1')], cited: ['L1'] }],
    ['its evidence disagrees', { evidence: [item('E1', 'depot'), item('E2', 'shop')], cited: ['E1', 'E2'] }],
    [
      'its evidence disagrees, and the alert about it is elsewhere',
      { evidence: [item('E1', 'depot'), item('E2', 'lab')], cited: ['E1', 'E2'], alert: own },
    ],
    ['what it is suspected for tells of another service', { evidence: [item('E1', 'depot', { service: 'web' })] }],
    [
      'the alert names none',
      { evidence: [item('L1')], cited: ['L1'], alert: { ...store, labels: { pod: 'store-0' } } },
    ],
    ['what names it is no name', { evidence: [item('E1', 'depot; rm -rf /')] }],
  ])('there is none where %s', (_name, given) => {
    expect(commandsOf(given)).toEqual([]);
    expect(planOf(given).length).toBeGreaterThanOrEqual(3);
  });

  test.each(ROOT_CAUSE_TYPES)('in doubt every command for %s is one for the whole cluster', (rootCauseType) => {
    const evidence = [
      item('E1', 'depot'),
      item('E2', 'shop'),
      item('E3', 'shop', { query: 'kubectl -n shop describe pod x' }),
    ];
    for (const command of commandsOf({ evidence, cited: ['E1', 'E2'], suspect: { rootCauseType } }))
      expect(command).toMatch(/^kubectl get (nodes|pods -A) |^kubectl -n kube-system |node_/);
  });
});

describe('a node', () => {
  const alert = { service: 'worker-4', labels: { node: 'worker-4', namespace: 'monitoring' } };
  const pressure = item('O1', undefined, { service: undefined, query: 'kubectl describe node worker-4' });

  test.each<[string, Case]>([
    ['that the alert names', { evidence: [item('M1', 'monitoring', { service: 'worker-4' })], cited: ['M1'], alert }],
    [
      'that was looked at',
      { evidence: [pressure, item('M1', 'monitoring', { service: 'worker-4' })], cited: ['O1', 'M1'] },
    ],
  ])('%s is in no namespace', (_name, given) => {
    const commands = commandsOf({ ...given, suspect: { service: 'worker-4', rootCauseType: 'node_failure' } });
    expect(commands).toContain('kubectl get nodes -o wide');
    expect(namespacesIn(commands)).toEqual([]);
  });
});

describe('the object that shows the cause', () => {
  const firstWith = (query: string, namespace?: string) =>
    planOf({ evidence: [item('O1', namespace, { query })], cited: ['O1'] }).find(({ step }) => step.includes('object'));

  test('is looked at where it lies', () => {
    expect(firstWith('kubectl -n depot describe pod store-0', 'depot')?.command).toBe(
      'kubectl -n depot describe pod store-0',
    );
    expect(firstWith('kubectl describe persistentvolume pv-7')?.command).toBe('kubectl describe persistentvolume pv-7');
  });

  test('has no command where its namespace was not recorded', () => {
    expect(firstWith('kubectl describe pod store-0')).toMatchObject({ why: 'store: what was seen', risk: 'R0' });
    expect(firstWith('kubectl describe pod store-0')?.command).toBeUndefined();
  });
});

describe('a Deployment is changed only where it was seen', () => {
  const rollout = 'rollout of store: Deployment store rolled out, revision 7';
  const undo = (given: Case) => commandsOf(given).filter((command) => command.includes('rollout undo'));
  const suspect = { trigger: reasonOf('C1') };

  test('by a rollout of that namespace', () => {
    const given = { suspect, evidence: [item('C1', 'depot', { statement: rollout }), item('E1', 'depot')] };
    expect(undo(given)).toEqual(['kubectl -n depot rollout undo deployment/store']);
  });

  test.each<[string, Case]>([
    [
      'a rollout of nobody knows where',
      { suspect, evidence: [item('C1', undefined, { statement: rollout }), item('E1', 'depot')] },
    ],
    [
      'one of its name in another',
      { evidence: [item('E1', 'depot'), item('O1', 'shop', { query: 'kubectl -n shop describe deployment store' })] },
    ],
    [
      "the alert's of its name",
      { evidence: [item('E1', 'depot')], alert: { labels: { deployment: 'store', namespace: 'shop' } } },
    ],
  ])('not by %s', (_name, given) => {
    expect(namespacesIn(commandsOf(given))).toEqual(['depot']);
    expect(undo(given)).toEqual([]);
  });
});

describe('from what was read to the plan', () => {
  const deployment = (namespace: string): KubernetesObject => ({
    kind: 'Deployment',
    metadata: { name: 'stock', namespace, labels: { app: 'stock' } },
    spec: { replicas: 1, selector: { matchLabels: { app: 'stock' } } },
  });
  const pod = (namespace: string, state: object, ready: boolean): KubernetesObject => ({
    kind: 'Pod',
    metadata: { name: 'stock-7d9f8b6c5d-x2x4z', namespace, labels: { app: 'stock' } },
    status: {
      phase: 'Running',
      containerStatuses: [{ name: 'stock', ready, restartCount: ready ? 0 : 7, state }],
    },
  });
  const plan = (over: Parameters<typeof telemetry>[0], labels: Incident['labels']) => {
    const alert = incident({ labels });
    const brief = distil(alert, telemetry({ rawCharacters: 1000, ...over }), {
      tokenBudget: 5820,
      eventWindowMs: 300_000,
    });
    const { root_cause_service: service, action_plan: actions } = analyse(alert, brief);
    return { service, commands: actions.flatMap(({ command }) => command ?? []) };
  };
  const waits = { waiting: { reason: 'CrashLoopBackOff' } };

  test.each<[string, Incident['labels'], string]>([
    ['an alert without a namespace', { service: 'web' }, 'stock'],
    ['an alert of another one', { service: 'web', namespace: 'shop' }, 'stock.depot'],
  ])('%s leads to the pod that crashes, not to its namesake', (_name, labels, name) => {
    const objects = [
      deployment('shop'),
      deployment('depot'),
      pod('shop', { running: {} }, true),
      pod('depot', waits, false),
    ];
    const { service, commands } = plan({ objects }, labels);
    expect(service).toBe(name);
    expect(namespacesIn(commands)).toEqual(['depot']);
    expect(commands).toContain('kubectl -n depot logs deployment/stock --since=15m --tail=200');
    expect(commands).toContain('kubectl -n depot describe pod stock-7d9f8b6c5d-x2x4z');
  });

  test('an event tells where it happened, and so does a series', () => {
    const event = {
      timeMs: TRIGGER_MS - MINUTE_MS,
      type: 'Warning',
      reason: 'BackOff',
      message: 'Back-off restarting failed container',
      objectKind: 'Pod',
      objectName: 'stock-7d9f8b6c5d-x2x4z',
      namespace: 'depot',
      count: 9,
    };
    const busy = series('stock', 'process_cpu_percent', step(10, 97), { unit: '%', labels: { namespace: 'depot' } });
    for (const given of [{ events: [event] }, { series: [busy] }]) {
      const { service, commands } = plan(given, { service: 'web', namespace: 'shop' });
      expect(service).toBe('stock');
      expect(namespacesIn(commands)).toEqual(['depot']);
    }
  });
});
