import { readFileSync } from 'node:fs';
import { parse } from 'yaml';
import { CHART, type Values } from './chart.ts';

/** What the chart brings along for clusters with strict rules. */
export const HARDENED = parse(readFileSync(`${CHART}/values-hardened.yaml`, 'utf8')) as Values;

/** One of every file that can be given. */
export const FILES: Values = {
  skills: { files: { 'one.md': '---\ndescription: one\n---\n\nText with {{ braces }}.\n' } },
  jobs: { files: { 'sweep.md': '---\ndescription: Sweep\ncron: "0 6 * * *"\n---\nLook.\n' } },
  routes: { content: 'default: [slack]\n' },
  queries: { content: 'groups: []\n' },
  sources: { existingConfigMap: 'my-sources' },
  topology: { content: '{"services": [], "edges": []}' },
  mcp: { content: 'servers: {}\n' },
  redactPatterns: { content: '- type: badge\n  pattern: badge-\\d{4}\n' },
};
export const EVERYTHING: Values = {
  ...FILES,
  kubernetes: { namespaces: ['shop', 'pay'] },
  ingress: { enabled: true, className: 'nginx', hosts: ['alerts.example.com'], tls: [{ secretName: 'tls' }] },
  networkPolicy: { enabled: true, from: [{ namespaceSelector: { matchLabels: { team: 'sre' } } }] },
  metrics: { serviceMonitor: { enabled: true }, rules: { enabled: true }, dashboard: { enabled: true } },
  pod: {
    annotations: { team: 'sre' },
    labels: { cost: 'ops' },
    nodeSelector: { pool: 'infra' },
    tolerations: [{ key: 'infra', operator: 'Exists' }],
    affinity: { nodeAffinity: {} },
    priorityClassName: 'system-cluster-critical',
  },
  image: { digest: `sha256:${'a'.repeat(64)}`, pullSecrets: ['registry'] },
  serviceAccount: { annotations: { 'eks.amazonaws.com/role-arn': 'arn' } },
  extraEnv: [{ name: 'NODE_EXTRA_CA_CERTS', value: '/ca/ca.pem' }],
  extraEnvFrom: [{ secretRef: { name: 'more' } }],
  extraVolumes: [{ name: 'ca', configMap: { name: 'ca', items: [{ key: 'ca.pem', path: 'ca.pem' }] } }],
  extraVolumeMounts: [{ name: 'ca', mountPath: '/ca' }],
};
export const KEDA = { enabled: true, prometheusUrl: 'http://prometheus:9090', authenticationRef: 'prometheus' };
const TLS = { enabled: true, existingSecret: 'redis-tls', certKey: 'tls.crt', keyKey: 'tls.key' };

/** Values by what they switch on. */
export const CASES: Readonly<Record<string, Values>> = {
  'mode all': {},
  'mode split': { mode: 'split' },
  'mode all with everything': { ...EVERYTHING, all: { keda: KEDA, extraEnv: [{ name: 'A', value: 'b' }] } },
  'mode split with everything': {
    ...EVERYTHING,
    mode: 'split',
    serve: { autoscaling: { enabled: true } },
    work: { keda: KEDA },
    schedule: { podDisruptionBudget: { enabled: false } },
  },
  'long names': { fullnameOverride: 'a'.repeat(40), mode: 'split', metrics: { serviceMonitor: { enabled: true } } },
  'nothing of the cluster': { kubernetes: { enabled: false }, serviceAccount: { create: false } },
  'namespaces alone': {
    kubernetes: { namespaces: ['shop'], rbac: { clusterObjects: false, configMaps: false, podLogs: false } },
  },
  'roles made by others': { kubernetes: { rbac: { create: false } }, serviceAccount: { create: false, name: 'mine' } },
  'Redis without a volume or password': { redis: { bundled: { auth: false, persistence: { enabled: false } } } },
  'Redis elsewhere': {
    redis: { mode: 'external', external: { url: 'rediss://redis:6380/1', username: 'rootnote', tls: TLS } },
    networkPolicy: { enabled: true, from: [{ namespaceSelector: {} }] },
  },
  'Redis with Sentinels': {
    redis: {
      mode: 'external',
      external: { sentinels: ['a:26379', 'b:26379'], sentinelMaster: 'main', sentinelUsername: 'u' },
    },
  },
  'Redis as a cluster': { redis: { mode: 'external', external: { clusterNodes: ['a:6379', '[::1]:6379'] } } },
  'a monitor of pods': { mode: 'split', metrics: { podMonitor: { enabled: true }, rules: { enabled: true } } },
  hardened: HARDENED,
  'scaled by the processors': { all: { autoscaling: { enabled: true } }, tests: { doctor: false, webhook: false } },
};
