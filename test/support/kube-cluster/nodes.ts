import type { KubeApi } from './api.ts';
import { recordEvent } from './record-event.ts';
import { iso } from './pod-status.ts';

export interface NodeSpec {
  readonly name: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly cpus: number;
}

/** How a node runs short, as its kubelet tells it. */
export interface Pressure {
  readonly condition: 'DiskPressure' | 'MemoryPressure';
  readonly threshold: string;
  readonly available: string;
}

const LEASES = '/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases';
const HEALTHY = {
  MemoryPressure: { reason: 'KubeletHasSufficientMemory', message: 'kubelet has sufficient memory available' },
  DiskPressure: { reason: 'KubeletHasNoDiskPressure', message: 'kubelet has no disk pressure' },
  PIDPressure: { reason: 'KubeletHasSufficientPID', message: 'kubelet has sufficient PID available' },
} as const;
export const PRESSED = {
  DiskPressure: {
    reason: 'KubeletHasDiskPressure',
    message: 'kubelet has disk pressure',
    event: 'NodeHasDiskPressure',
    resource: 'ephemeral-storage',
  },
  MemoryPressure: {
    reason: 'KubeletHasInsufficientMemory',
    message: 'kubelet has insufficient memory available',
    event: 'NodeHasInsufficientMemory',
    resource: 'memory',
  },
} as const;

/** A node that is ready, as its kubelet registers it; logs are asked of loopback. */
export async function registerNode(api: KubeApi, { name, labels = {}, cpus }: NodeSpec, port: number): Promise<void> {
  await api.create('/api/v1/nodes', {
    metadata: { name, labels: { 'kubernetes.io/hostname': name, 'kubernetes.io/os': 'linux', ...labels } },
  });
  await renewLease(api, name);
  const capacity = { cpu: String(cpus), memory: '16Gi', pods: '110', 'ephemeral-storage': '100Gi' };
  await api.patch(`/api/v1/nodes/${name}/status`, {
    status: {
      capacity,
      allocatable: capacity,
      addresses: [{ type: 'InternalIP', address: '127.0.0.1' }],
      daemonEndpoints: { kubeletEndpoint: { Port: port } },
      nodeInfo: { kubeletVersion: 'v1.34.2', osImage: 'Debian GNU/Linux 12 (bookworm)', operatingSystem: 'linux' },
      conditions: conditionsOf(Date.now()),
    },
  });
}

/** Without this the node controller calls the node lost. */
export async function renewLease(api: KubeApi, node: string): Promise<void> {
  const spec = { holderIdentity: node, leaseDurationSeconds: 40, renewTime: `${iso(Date.now()).slice(0, -1)}.000000Z` };
  await api
    .patch(`${LEASES}/${node}`, { spec })
    .catch(() => api.create(LEASES, { metadata: { name: node, namespace: 'kube-node-lease' }, spec }));
}

/** Status and events of the pressure; the taint is the node controller's. */
export async function pressNode(api: KubeApi, node: string, { condition }: Pressure): Promise<void> {
  const { reason, message, event, resource } = PRESSED[condition];
  const nowMs = Date.now();
  await api.patch(`/api/v1/nodes/${node}/status`, {
    status: {
      conditions: conditionsOf(nowMs, { type: condition, status: 'True', reason, message }),
    },
  });
  const about = { kind: 'Node', name: node, uid: node } as const;
  const at = { firstMs: nowMs, lastMs: nowMs, count: 1 };
  await recordEvent(api, about, node, {
    ...at,
    type: 'Warning',
    reason: 'EvictionThresholdMet',
    message: `Attempting to reclaim ${resource}`,
  });
  await recordEvent(api, about, node, {
    ...at,
    type: 'Normal',
    reason: event,
    message: `Node ${node} status is now: ${event}`,
  });
}

function conditionsOf(nowMs: number, changed?: { readonly type: string; readonly [field: string]: string }) {
  const times = { lastHeartbeatTime: iso(nowMs), lastTransitionTime: iso(nowMs) };
  const calm = Object.entries(HEALTHY).map(([type, words]) => ({ type, status: 'False', ...words }));
  const ready = { type: 'Ready', status: 'True', reason: 'KubeletReady', message: 'kubelet is posting ready status' };
  return [...calm, ready].map((condition) => ({
    ...(condition.type === changed?.type ? changed : condition),
    ...times,
  }));
}
