import type { Incident } from '../../../../src/domain/incident.ts';
import { NO_TELEMETRY, type ClusterEvent, type Telemetry } from '../../../../src/domain/telemetry.ts';
import type { StateFinding } from '../../../../src/funnel/layers.ts';
import { modelIncident } from '../../../../src/funnel/incident-model.ts';
import { readState, type StateReading } from '../../../../src/funnel/events/read-state.ts';
import { firingIncident } from '../../../support/incidents.ts';

export const TRIGGER_MS = Date.parse('2026-03-04T10:00:00Z');
export const at = (secondsFromTrigger: number): string =>
  new Date(TRIGGER_MS + secondsFromTrigger * 1000).toISOString();

// Objects are deep JSON that tests change in one place: anything narrower would need a cast at every step.
// oxlint-disable-next-line typescript/no-explicit-any
export type Json = { [key: string]: any };

const meta = (name: string, labels?: Json): Json => ({ name, namespace: 'shop', ...(labels ? { labels } : {}) });

export function pod(name: string, app: string, container: Json = {}, spec: Json = {}, status: Json = {}): Json {
  return {
    kind: 'Pod',
    metadata: {
      ...meta(name, { app }),
      creationTimestamp: at(-86_400),
      ownerReferences: [{ kind: 'ReplicaSet', name: `${app}-7d9f8b6c5d`, controller: true }],
    },
    spec: {
      nodeName: 'node-a',
      serviceAccountName: 'default',
      containers: [{ name: 'server', image: `${app}:1.0`, ports: [{ containerPort: 8080, name: 'http' }] }],
      ...spec,
    },
    status: {
      phase: 'Running',
      conditions: [{ type: 'Ready', status: 'True' }],
      containerStatuses: [
        { name: 'server', ready: true, restartCount: 0, state: { running: { startedAt: at(-86_000) } }, ...container },
      ],
      ...status,
    },
  };
}

export function deployment(app: string, spec: Json = {}, status: Json = {}): Json {
  return {
    kind: 'Deployment',
    metadata: meta(app),
    spec: {
      replicas: 1,
      template: {
        metadata: { labels: { app } },
        spec: {
          serviceAccountName: 'default',
          containers: [{ name: 'server', image: `${app}:1.0`, ports: [{ containerPort: 8080, name: 'http' }] }],
        },
      },
      ...spec,
    },
    status: { replicas: 1, availableReplicas: 1, readyReplicas: 1, ...status },
  };
}

export function service(app: string, spec: Json = {}): Json {
  return {
    kind: 'Service',
    metadata: meta(app),
    spec: { clusterIP: '10.0.0.7', selector: { app }, ports: [{ port: 80, targetPort: 'http' }], ...spec },
  };
}

export const node = (
  name: string,
  conditions: Json[] = [{ type: 'Ready', status: 'True' }],
  spec: Json = {},
): Json => ({
  kind: 'Node',
  metadata: { name, labels: { disk: 'ssd' } },
  spec,
  status: { conditions },
});

/** frontend → cart → store, all healthy, on two nodes. */
export function healthyShop(): Json[] {
  const apps = ['frontend', 'cart', 'store'];
  return [
    ...apps.flatMap((app) => [
      deployment(app),
      {
        kind: 'ReplicaSet',
        metadata: {
          ...meta(`${app}-7d9f8b6c5d`),
          ownerReferences: [{ kind: 'Deployment', name: app, controller: true }],
          creationTimestamp: at(-86_400),
        },
        spec: { replicas: 1 },
        status: { replicas: 1 },
      },
      pod(`${app}-7d9f8b6c5d-x2x4z`, app, {}, { nodeName: app === 'store' ? 'node-b' : 'node-a' }),
      service(app),
      { kind: 'Endpoints', metadata: meta(app), subsets: [{ addresses: [{ ip: '10.1.0.4' }] }] },
    ]),
    { kind: 'ServiceAccount', metadata: meta('default') },
    { kind: 'ConfigMap', metadata: meta('kube-root-ca.crt'), data: { 'ca.crt': '<certificate>' } },
    { kind: 'ConfigMap', metadata: meta('settings'), data: { mode: 'fast' } },
    node('node-a'),
    node('node-b'),
    ...['node-a', 'node-b'].map((name) => ({
      kind: 'Lease',
      metadata: { name, namespace: 'kube-node-lease' },
      spec: { renewTime: at(-3) },
    })),
  ];
}

/** The object of the shop, to be changed in place. */
export function find(objects: readonly Json[], kind: string, name: string): Json {
  const found = objects.find((object) => object['kind'] === kind && object['metadata'].name.startsWith(name));
  if (!found) throw new Error(`no ${kind} ${name} in the fixture`);
  return found;
}

export const EDGES = [
  { from: 'frontend', to: 'cart' },
  { from: 'cart', to: 'store' },
];

export const incident = (fields: Partial<Incident> = {}): Incident =>
  firingIncident({ startsAtMs: TRIGGER_MS, ...fields });

export function read(
  telemetry: Partial<Telemetry>,
  eventWindowMs = 300_000,
  fields: Partial<Incident> = {},
): StateReading {
  const full = { ...NO_TELEMETRY, topology: { services: ['frontend', 'cart', 'store'], edges: EDGES }, ...telemetry };
  return readState(modelIncident(incident(fields), full), { eventWindowMs });
}

export function findingsOf(objects: readonly Json[]): readonly StateFinding[] {
  return read({ objects: objects }).findings;
}

/** Changes the healthy shop and returns what is then found. */
export function afterChange(change: (objects: Json[]) => void): readonly StateFinding[] {
  const objects = healthyShop();
  change(objects);
  return findingsOf(objects);
}

export const reasonsOf = (findings: readonly StateFinding[]): readonly string[] =>
  findings.map(({ key }) => key.slice(key.lastIndexOf('/') + 1));

export function event(fields: Partial<ClusterEvent> = {}): ClusterEvent {
  return {
    timeMs: TRIGGER_MS - 60_000,
    type: 'Warning',
    reason: 'BackOff',
    message: 'Back-off restarting failed container',
    objectKind: 'Pod',
    objectName: 'cart-7d9f8b6c5d-x2x4z',
    namespace: 'shop',
    ...fields,
  };
}
