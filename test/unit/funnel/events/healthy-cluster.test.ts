import { describe, expect, test } from '@jest/globals';
import { healthyCluster } from './healthy-cluster.ts';
import { read, type Json } from './shop-cluster.ts';

/** What may be said of a cluster that works: restarts of long ago, say. */
const LOW = 0.2;

function alarms(objects: readonly Json[]): readonly string[] {
  const { findings } = read({ objects, topology: { services: [], edges: [] } });
  return findings.filter(({ severity }) => severity > LOW).map(({ evidence }) => evidence.statement);
}

/** As rebuilt from the text of `kubectl describe`. */
function described(objects: readonly Json[]): Json[] {
  return objects.map((object) => {
    const metadata = { ...object['metadata'], annotations: { 'recording/source': 'describe' } };
    return { ...object, metadata };
  });
}

/** Takes a field away wherever it stands; `*` is each entry of a list. */
function without(objects: readonly Json[], kind: string, path: string): Json[] {
  const changed = structuredClone(objects) as Json[];
  for (const object of changed) if (object['kind'] === kind) remove(object, path.split('.'));
  return changed;
}

function remove(value: unknown, [key = '', ...rest]: readonly string[]): void {
  if (typeof value !== 'object' || value === null) return;
  const parent = value as Json;
  if (rest.length === 0) delete parent[key];
  else for (const child of key === '*' ? Object.values(parent) : [parent[key]]) remove(child, rest);
}

const NOT_RECORDED = [
  ['Pod', 'metadata.labels'],
  ['Pod', 'metadata.creationTimestamp'],
  ['Pod', 'metadata.ownerReferences'],
  ['Pod', 'spec'],
  ['Pod', 'spec.nodeName'],
  ['Pod', 'spec.containers.*.ports'],
  ['Pod', 'spec.containers.*.ports.*.name'],
  ['Pod', 'status'],
  ['Pod', 'status.conditions'],
  ['Pod', 'status.containerStatuses'],
  ['Service', 'spec'],
  ['Service', 'spec.selector'],
  ['Service', 'spec.ports'],
  ['Service', 'spec.ports.*.name'],
  ['Service', 'spec.ports.*.port'],
  ['Service', 'spec.ports.*.targetPort'],
  ['Endpoints', 'subsets'],
  ['Endpoints', 'subsets.*.addresses'],
  ['Deployment', 'spec.replicas'],
  ['Deployment', 'status'],
  ['Deployment', 'status.replicas'],
  ['StatefulSet', 'status.replicas'],
  ['ReplicaSet', 'status.replicas'],
  ['DaemonSet', 'status.numberReady'],
  ['ConfigMap', 'data'],
  ['NetworkPolicy', 'spec'],
  ['NetworkPolicy', 'spec.podSelector'],
  ['NetworkPolicy', 'spec.policyTypes'],
  ['Node', 'metadata.labels'],
  ['Node', 'status'],
  ['PersistentVolumeClaim', 'status'],
  ['ResourceQuota', 'status.used'],
  ['Ingress', 'spec.defaultBackend'],
  ['RoleBinding', 'roleRef'],
  ['Lease', 'spec.renewTime'],
] as const;

describe('a healthy cluster raises no alarm', () => {
  test('as the API returns it', () => expect(alarms(healthyCluster())).toEqual([]));

  test('rebuilt from descriptions', () => expect(alarms(described(healthyCluster()))).toEqual([]));

  test.each([...new Set(healthyCluster().map(({ kind }) => kind as string))])('when no %s was read', (kind) => {
    expect(alarms(healthyCluster().filter((object) => object['kind'] !== kind))).toEqual([]);
  });

  test.each(NOT_RECORDED)('when of every %s the field %s was not recorded', (kind, path) => {
    expect(alarms(without(described(healthyCluster()), kind, path))).toEqual([]);
  });

  test('when pods that failed were replaced, and the rows of a table show what ended', () => {
    const old: Json = {
      kind: 'Pod',
      metadata: { name: 'api-6c8f7d9b54-zzzzz', namespace: 'market', labels: { 'app.kubernetes.io/name': 'api' } },
      spec: { nodeName: 'worker-1' },
      status: { phase: 'Failed', reason: 'Evicted', message: 'The node was low on resource: memory.' },
    };
    const row = (name: string, status: string): Json => ({
      kind: 'Pod',
      metadata: {
        name,
        namespace: 'market',
        annotations: { 'recording/source': 'get', 'recording/status': status, 'recording/ready': '0/1' },
      },
    });
    const rows = [row('nightly-28901111-abcde', 'Completed'), row('api-6c8f7d9b54-yyyyy', 'Terminating')];
    const found = read({ objects: [...healthyCluster(), old, ...rows] }).findings;
    expect(found.filter(({ severity }) => severity > 0.3).map(({ evidence }) => evidence.statement)).toEqual([]);
  });

  test('when names of Services are the answer for others, in a domain of its own', () => {
    const Corefile =
      '.:53 {\n  rewrite name shop.example web.market.svc.corp.example\n  kubernetes corp.example in-addr.arpa {\n    pods insecure\n  }\n}\n';
    const map = { kind: 'ConfigMap', metadata: { name: 'coredns', namespace: 'kube-system' }, data: { Corefile } };
    expect(alarms([...healthyCluster(), map])).toEqual([]);
  });
});
