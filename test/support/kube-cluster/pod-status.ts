import type { KubeObject } from './api.ts';
import type { PodProgram } from './programs-in-pods.ts';

/** What a kubelet tells of one pod: its status, and events that go with it. */
export interface PodReport {
  readonly status: Readonly<Record<string, unknown>>;
  readonly events: readonly KubeletEvent[];
}

export interface KubeletEvent {
  readonly type: 'Normal' | 'Warning';
  readonly reason: string;
  readonly message: string;
  readonly firstMs: number;
  readonly lastMs: number;
  readonly count: number;
  /** Of the container that it is about. */
  readonly container?: string;
}

interface PodCondition {
  readonly type: string;
  readonly status: string;
  readonly lastTransitionTime: string;
}

interface Running {
  readonly name: string;
  readonly namespace: string;
  readonly uid: string;
  readonly container: string;
  readonly image: string;
  /** When the kubelet took the pod on. */
  readonly startTime: string;
  /** What the pod's conditions were: one that has not changed keeps its time. */
  readonly conditions: readonly PodCondition[];
  readonly nowMs: number;
}

const SECOND_MS = 1000;
const LONGEST_BACK_OFF_MS = 300_000;

/**
 * What a kubelet of 1.34 with containerd writes about a pod of one container that runs this program, in its words. Pure: the time is given.
 */
export function reportPod(pod: KubeObject, program: PodProgram, nowMs: number): PodReport {
  const [container] = (pod.spec?.['containers'] ?? []) as readonly { readonly name: string; readonly image: string }[];
  const { name, namespace = '', uid = '' } = pod.metadata;
  const running = {
    name,
    namespace,
    uid,
    container: container?.name ?? '',
    image: container?.image ?? '',
    startTime: startTimeOf(pod, nowMs),
    conditions: (pod.status?.['conditions'] ?? []) as readonly PodCondition[],
    nowMs,
  };
  switch (program.kind) {
    case 'serves':
      return serving(running);
    case 'unready':
      return unready(running, program.probe);
    case 'crashes':
      return crashing(running, program);
    case 'unknown image':
      return withoutImage(running);
  }
}

/** What becomes of a pod that its node drives away. */
export function reportEviction(pod: KubeObject, words: string, nowMs: number): PodReport {
  const at = iso(nowMs);
  const target = { type: 'DisruptionTarget', status: 'True', reason: 'TerminationByKubelet', message: words };
  return {
    status: {
      phase: 'Failed',
      reason: 'Evicted',
      message: words,
      conditions: [
        { ...target, lastTransitionTime: at },
        { type: 'Ready', status: 'False', reason: 'PodFailed', lastTransitionTime: at },
      ],
      containerStatuses: null,
      startTime: startTimeOf(pod, nowMs),
    },
    events: [once('Warning', 'Evicted', words, nowMs)],
  };
}

function serving(running: Running): PodReport {
  const state = { running: { startedAt: iso(running.nowMs) } };
  return { status: statusOf(running, { state, ready: true, restarts: 0 }), events: startEvents(running) };
}

function unready(running: Running, probe: string): PodReport {
  const state = { running: { startedAt: iso(running.nowMs) } };
  const failed: KubeletEvent = {
    ...once('Warning', 'Unhealthy', `Readiness probe failed: ${probe}`, running.nowMs, running.container),
    count: 3,
  };
  return {
    status: statusOf(running, { state, ready: false, restarts: 0 }),
    events: [...startEvents(running), failed],
  };
}

function crashing(running: Running, program: PodProgram & { readonly kind: 'crashes' }): PodReport {
  const { name, namespace, uid, container, nowMs } = running;
  const { exitCode, restarts, forMs } = program;
  const backOff = Math.min(LONGEST_BACK_OFF_MS, 10 * SECOND_MS * 2 ** Math.max(0, restarts - 1));
  const pod = `${name}_${namespace}(${uid})`;
  const ended = {
    exitCode,
    reason: program.reason ?? 'Error',
    startedAt: iso(nowMs - 23 * SECOND_MS),
    finishedAt: iso(nowMs - 20 * SECOND_MS),
    containerID: containerId(uid),
  };
  const waiting = {
    reason: 'CrashLoopBackOff',
    message: `back-off ${inGoDuration(backOff)} restarting failed container=${container} pod=${pod}`,
  };
  const repeated = (type: 'Normal' | 'Warning', reason: string, message: string, count: number): KubeletEvent => ({
    ...once(type, reason, message, nowMs - 20 * SECOND_MS, container),
    firstMs: nowMs - forMs,
    count,
  });
  return {
    status: statusOf(running, { state: { waiting }, lastState: { terminated: ended }, ready: false, restarts }),
    events: [
      repeated('Normal', 'Pulled', `Container image "${running.image}" already present on machine`, restarts),
      repeated('Normal', 'Created', `Created container: ${container}`, restarts),
      repeated('Normal', 'Started', `Started container ${container}`, restarts),
      repeated('Warning', 'BackOff', `Back-off restarting failed container ${container} in pod ${pod}`, 4 * restarts),
    ],
  };
}

function withoutImage(running: Running): PodReport {
  const { container, image, nowMs } = running;
  const why = `failed to pull and unpack image "${image}": failed to resolve reference "${image}": ${image}: not found`;
  const failure = `rpc error: code = NotFound desc = ${why}`;
  const waiting = {
    reason: 'ImagePullBackOff',
    message: `Back-off pulling image "${image}": ErrImagePull: ${failure}`,
  };
  const at = (type: 'Normal' | 'Warning', reason: string, message: string) =>
    once(type, reason, message, nowMs, container);
  return {
    status: statusOf(running, { state: { waiting }, ready: false, restarts: 0 }),
    events: [
      at('Normal', 'Pulling', `Pulling image "${image}"`),
      at('Warning', 'Failed', `Failed to pull image "${image}": ${failure}`),
      at('Warning', 'Failed', 'Error: ErrImagePull'),
      at('Normal', 'BackOff', `Back-off pulling image "${image}"`),
      at('Warning', 'Failed', 'Error: ImagePullBackOff'),
    ],
  };
}

interface ContainerNow {
  readonly state: Readonly<Record<string, unknown>>;
  readonly lastState?: Readonly<Record<string, unknown>>;
  readonly ready: boolean;
  readonly restarts: number;
}

function statusOf(running: Running, { state, lastState = {}, ready, restarts }: ContainerNow) {
  const { container, image, uid, startTime, nowMs } = running;
  const isStarted = 'running' in state || restarts > 0;
  const unready = { reason: 'ContainersNotReady', message: `containers with unready status: [${container}]` };
  const condition = (type: string, isTrue: boolean) => {
    const status = isTrue ? 'True' : 'False';
    const before = running.conditions.find((known) => known.type === type && known.status === status);
    const lastTransitionTime = before?.lastTransitionTime ?? iso(nowMs);
    return { type, status, lastProbeTime: null, lastTransitionTime, ...(isTrue ? {} : unready) };
  };
  return {
    phase: isStarted ? 'Running' : 'Pending',
    conditions: [
      condition('PodReadyToStartContainers', true),
      condition('Initialized', true),
      condition('Ready', ready),
      condition('ContainersReady', ready),
      condition('PodScheduled', true),
    ],
    hostIP: '127.0.0.1',
    podIP: addressOf(uid),
    podIPs: [{ ip: addressOf(uid) }],
    startTime,
    containerStatuses: [
      {
        name: container,
        image,
        imageID: isStarted ? `${image.replace(/:[^:/]*$/, '')}@sha256:${uid.replaceAll('-', '').padEnd(64, '0')}` : '',
        ...(isStarted ? { containerID: containerId(uid) } : {}),
        state,
        lastState,
        ready,
        started: 'running' in state,
        restartCount: restarts,
      },
    ],
  };
}

function startEvents({ container, image, nowMs }: Running): readonly KubeletEvent[] {
  return [
    once('Normal', 'Pulled', `Container image "${image}" already present on machine`, nowMs, container),
    once('Normal', 'Created', `Created container: ${container}`, nowMs, container),
    once('Normal', 'Started', `Started container ${container}`, nowMs, container),
  ];
}

function once(
  type: 'Normal' | 'Warning',
  reason: string,
  message: string,
  atMs: number,
  container?: string,
): KubeletEvent {
  return {
    type,
    reason,
    message,
    firstMs: atMs,
    lastMs: atMs,
    count: 1,
    ...(container === undefined ? {} : { container }),
  };
}

function startTimeOf(pod: KubeObject, nowMs: number): string {
  const known = pod.status?.['startTime'];
  return typeof known === 'string' ? known : iso(nowMs);
}

export function iso(timeMs: number): string {
  return `${new Date(timeMs).toISOString().slice(0, 19)}Z`;
}

/** `1m20s`, as Go prints it. */
function inGoDuration(ms: number): string {
  const seconds = ms / SECOND_MS;
  return seconds < 60 ? `${seconds}s` : `${Math.floor(seconds / 60)}m${seconds % 60}s`;
}

function addressOf(uid: string): string {
  const hash = Number.parseInt(uid.slice(0, 4), 16);
  return `10.244.${(hash >> 8) % 250}.${hash % 250}`;
}

const containerId = (uid: string) => `containerd://${uid.replaceAll('-', '').padEnd(64, '0')}`;
