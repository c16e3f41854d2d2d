import type { KubernetesObject } from '../../domain/telemetry.ts';
import { kindOf, nameOf } from '../../funnel/events/identity.ts';
import { at, listAt, numberAt, textAt, textsAt, timeAt } from '../../funnel/events/json-path.ts';
import { ownerReferences, serviceCandidates, workloadNameOf } from '../../funnel/events/ownership.ts';
import { withoutPodSuffix } from '../../funnel/services.ts';
import { objectBelongsTo } from '../belongs-to.ts';

/** One log of one container: of its present run, or of the one before. */
export interface ContainerLog {
  readonly pod: KubernetesObject;
  readonly container: string;
  readonly isPrevious: boolean;
}

/** Side-cars come after what the pod is for. */
const MOST_CONTAINERS = 4;

/**
 * At most `most` pods whose logs are worth reading: those with a container that crashed, of the service first and the latest crash first; then, unless only crashed
 * ones are wanted, the service's own, then one of each other workload by turns.
 */
export function choosePods(
  objects: readonly KubernetesObject[],
  service: string | undefined,
  which: 'all' | 'crashed',
  most: number,
): { readonly pods: readonly KubernetesObject[]; readonly note?: string } {
  const isOwn = service === undefined ? () => false : objectBelongsTo(service);
  const pods = objects.filter((object) => kindOf(object) === 'Pod');
  const crashes = new Map(pods.map((pod) => [pod, lastCrashMs(pod)]));
  const crashed = pods
    .filter((pod) => crashes.get(pod) !== undefined)
    .toSorted((a, b) => Number(isOwn(b)) - Number(isOwn(a)) || (crashes.get(b) ?? 0) - (crashes.get(a) ?? 0));
  const rest = which === 'crashed' ? [] : pods.filter((pod) => crashes.get(pod) === undefined);
  const wanted = [...crashed, ...byTurns(rest.filter(isOwn)), ...byTurns(rest.filter((pod) => !isOwn(pod)))];
  if (wanted.length <= most) return { pods: wanted };
  const whom =
    which === 'crashed' ? 'pods that crashed' : `pods (${crashed.length} that crashed, those of the service first)`;
  return {
    pods: wanted.slice(0, most),
    note: `logs of ${most} of ${wanted.length} ${whom} were read; raise KUBERNETES_LOG_PODS for more.`,
  };
}

/** Of every workload the first pod, then of each the second, and so on. */
function byTurns(pods: readonly KubernetesObject[]): readonly KubernetesObject[] {
  const turns = new Map<string, number>();
  return pods
    .map((pod) => {
      const workload = workloadOf(pod);
      const turn = turns.get(workload) ?? 0;
      turns.set(workload, turn + 1);
      return { pod, turn };
    })
    .toSorted((a, b) => a.turn - b.turn)
    .map(({ pod }) => pod);
}

const statusesOf = (pod: KubernetesObject) => [
  ...listAt(pod, 'status', 'containerStatuses'),
  ...listAt(pod, 'status', 'initContainerStatuses'),
];

/** When a container of the pod last ended with an error; undefined when none did. */
function lastCrashMs(pod: KubernetesObject): number | undefined {
  const ends = statusesOf(pod)
    .flatMap((status) => [at(status, 'state', 'terminated'), at(status, 'lastState', 'terminated')])
    .filter((end) => end !== undefined && (numberAt(end, 'exitCode') ?? 1) !== 0);
  if (ends.length === 0) return undefined;
  return Math.max(...ends.map((end) => timeAt(end, 'finishedAt') ?? 0));
}

/** The logs that a pod has by its status. A container that waits has said its last words in the run before. */
export function containerLogs(pod: KubernetesObject, which: 'all' | 'crashed'): readonly ContainerLog[] {
  const named = new Map(statusesOf(pod).map((status) => [textAt(status, 'name') ?? '', status]));
  return [...named].slice(0, MOST_CONTAINERS).flatMap(([container, status]) => {
    if (container === '') return [];
    const hasEnded = at(status, 'lastState', 'terminated') !== undefined;
    const isWaiting = at(status, 'state', 'waiting') !== undefined;
    const isCrash = (numberAt(status, 'state', 'terminated', 'exitCode') ?? 0) !== 0;
    const isPresentWanted = !isWaiting && (which === 'all' || isCrash);
    return [
      ...(hasEnded ? [{ pod, container, isPrevious: true }] : []),
      ...(isPresentWanted ? [{ pod, container, isPrevious: false }] : []),
    ];
  });
}

function workloadOf(pod: KubernetesObject): string {
  const [owner] = ownerReferences(pod);
  if (owner === undefined) return withoutPodSuffix(nameOf(pod));
  // A kubelet names the pods of its manifests `<component>-<node>`.
  if (owner.kind === 'Node') return nameOf(pod).replace(`-${owner.name}`, '');
  // A CronJob's Job is its name and a number.
  return owner.kind === 'Job' ? owner.name.replace(/-\d{8,}$/, '') : workloadNameOf(owner);
}

/** The service that a pod's lines count to: the alert's, where the pod may be called so, else its workload. */
export function serviceOfPod(pod: KubernetesObject, alerting: string | undefined): string {
  const workload = workloadOf(pod);
  const names = serviceCandidates(pod, workload, textsAt(pod, 'metadata', 'labels'));
  return names.find((name) => name === alerting) ?? workload;
}
