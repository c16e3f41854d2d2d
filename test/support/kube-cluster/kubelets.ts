import { setTimeout as sleep } from 'node:timers/promises';
import { KubeApiError, type KubeApi, type KubeObject } from './api.ts';
import type { ControlPlane } from './control-plane.ts';
import { startKubeletServer, type AskedLog } from './kubelet-server.ts';
import { pressNode, PRESSED, registerNode, renewLease, type NodeSpec, type Pressure } from './nodes.ts';
import { reportEviction, reportPod, type PodReport } from './pod-status.ts';
import { SERVES, type PodProgram } from './programs-in-pods.ts';
import { recordEvent } from './record-event.ts';

export interface Kubelets {
  /** From now on containers of this image behave like this. */
  run(image: string, program: PodProgram): void;
  /** The node reports the pressure, drives away its pods and takes none. */
  press(node: string, pressure: Pressure): Promise<void>;
  stop(): Promise<void>;
}

const POLL_MS = 250;
const RENEW_MS = 5000;
const BETWEEN_LINES_MS = 700;

/**
 * Plays the kubelets, which cannot run here: registers the nodes, renews their leases, and writes status and events of the pods that the real scheduler has
 * put on them, as a kubelet would, through the API. Serves container logs to the API server. All else in the cluster is done by its real controllers.
 */
export async function startKubelets(plane: ControlPlane, nodes: readonly NodeSpec[]): Promise<Kubelets> {
  const { api } = plane;
  const programs = new Map<string, PodProgram>();
  /** When the program of an image began to behave so. */
  const begun = new Map<string, number>();
  const pressed = new Map<string, Pressure>();
  const told = new Map<string, unknown>();
  const images = new Map<string, string>();
  const server = await startKubeletServer(plane, (asked) => {
    const image = images.get(`${asked.namespace}/${asked.pod}`);
    if (image === undefined) return undefined;
    return linesOf(programs.get(image) ?? SERVES, begun.get(image) ?? Date.now(), asked);
  });
  for (const node of nodes) await registerNode(api, node, server.port);

  const syncPod = async (pod: KubeObject): Promise<void> => {
    const { namespace = '', name, uid = '', deletionTimestamp } = pod.metadata;
    const node = pod.spec?.['nodeName'];
    if (typeof node !== 'string') return;
    if (deletionTimestamp) return api.remove(`/api/v1/namespaces/${namespace}/pods/${name}`, 0);
    images.set(`${namespace}/${name}`, imageOf(pod));
    const pressure = pressed.get(node);
    const outcome = pressure ?? programs.get(imageOf(pod)) ?? SERVES;
    if (told.get(uid) === outcome) return;
    const report =
      'condition' in outcome
        ? reportEviction(pod, evictionWords(pod, outcome), Date.now())
        : reportPod(pod, outcome, Date.now());
    await tell(api, pod, node, report);
    told.set(uid, outcome);
  };

  const stopping = new AbortController();
  const working = [
    keepDoing(stopping.signal, POLL_MS, async () => {
      for (const pod of await api.list('/api/v1/pods?resourceVersion=0')) await unlessGone(() => syncPod(pod));
    }),
    keepDoing(stopping.signal, RENEW_MS, async () => {
      for (const { name } of nodes) await renewLease(api, name);
    }),
  ];
  return {
    run: (image, program) => {
      programs.set(image, program);
      begun.set(image, Date.now());
    },
    press: async (node, pressure) => {
      await pressNode(api, node, pressure);
      pressed.set(node, pressure);
    },
    stop: async () => {
      stopping.abort();
      await Promise.all(working);
      await server.stop();
    },
  };
}

async function tell(api: KubeApi, pod: KubeObject, node: string, { status, events }: PodReport): Promise<void> {
  const { namespace = '', name, uid } = pod.metadata;
  await api.patch(`/api/v1/namespaces/${namespace}/pods/${name}/status`, { status });
  const about = { kind: 'Pod', name, namespace, ...(uid === undefined ? {} : { uid }) } as const;
  for (const event of events) await recordEvent(api, about, node, event);
}

function evictionWords(pod: KubeObject, { condition, threshold, available }: Pressure): string {
  const used = condition === 'DiskPressure' ? '61Gi' : '14Gi';
  const { resource } = PRESSED[condition];
  return `The node was low on resource: ${resource}. Threshold quantity: ${threshold}, available: ${available}. Container ${containerOf(pod).name} was using ${used}, request is 0, has larger consumption of ${resource}. `;
}

/** With the times that a container runtime writes before each line; of a container that ended, nothing came after its end. */
function linesOf(program: PodProgram, begunMs: number, { previous }: AskedLog): readonly string[] | undefined {
  if (program.kind === 'unknown image' || (previous && program.kind !== 'crashes')) return undefined;
  const lines = program.log ?? [];
  const lastMs = begunMs - (program.kind === 'crashes' ? 20_000 : 0);
  return lines.map((line, index) => {
    const at = new Date(lastMs - (lines.length - index) * BETWEEN_LINES_MS).toISOString();
    return `${at.slice(0, -1)}000000Z ${line}`;
  });
}

interface Container {
  readonly name: string;
  readonly image: string;
}

function containerOf(pod: KubeObject): Container {
  const [first] = (pod.spec?.['containers'] ?? []) as readonly Container[];
  return first ?? { name: '', image: '' };
}

const imageOf = (pod: KubeObject) => containerOf(pod).image;

/** Until stopped. What fails once is tried again; an API server that ends at last is no matter. */
async function keepDoing(signal: AbortSignal, everyMs: number, work: () => Promise<void>): Promise<void> {
  while (!signal.aborted) {
    await work().catch(() => undefined);
    await sleep(everyMs, undefined, { signal }).catch(() => undefined);
  }
}

/** A pod may be deleted or changed between being listed and being told of. */
async function unlessGone(work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    if (!(error instanceof KubeApiError && (error.status === 404 || error.status === 409))) throw error;
  }
}
