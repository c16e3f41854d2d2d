import type { RootCauseType } from '../../../domain/root-cause-type.ts';
import type { Cluster, KubeObject } from '../cluster.ts';
import type { Condition, Rule, RuleContext } from '../condition.ts';
import { at, booleanAt, listAt, numberAt, textAt, timeAt } from '../json-path.ts';
import { judgeText } from '../severities.ts';
import { exitText, judgeEnd, lastEndOf } from './container-ends.ts';
import {
  conditionOf,
  createdMsOf,
  isLeaving,
  isReplaced,
  REPLACED_FACTOR,
  timesText,
  untimedRestarts,
} from './pod-life.ts';
import { waitingWords } from './waiting-words.ts';

const MINUTE_MS = 60_000;
/** A container that is still being created so long after its pod is stuck. */
const STUCK_AFTER_MS = 2 * MINUTE_MS;

interface Seen {
  readonly pod: KubeObject;
  /** Entry of the pod's container statuses. */
  readonly status: unknown;
  /** The container's part of the pod spec. */
  readonly spec: unknown;
  readonly isInit: boolean;
  readonly triggerMs: number;
}

/** Containers that wait, ended, end again and again, or restarted. */
export const containerStates: Rule = (cluster: Cluster, context: RuleContext) =>
  cluster.of('Pod').flatMap((pod) => {
    if (isLeaving(pod)) return [];
    const specs = [...listAt(pod.body, 'spec', 'initContainers'), ...listAt(pod.body, 'spec', 'containers')];
    const see = (isInit: boolean) => (status: unknown) =>
      stateOf({
        pod,
        status,
        spec: specs.find((spec) => textAt(spec, 'name') === textAt(status, 'name')),
        isInit,
        triggerMs: context.triggerMs,
      }) ?? [];
    const seen = [
      ...listAt(pod.body, 'status', 'initContainerStatuses').flatMap(see(true)),
      ...listAt(pod.body, 'status', 'containerStatuses').flatMap(see(false)),
    ];
    if (!isReplaced(pod, cluster)) return seen;
    return seen.map((found) => ({ ...found, severity: found.severity * REPLACED_FACTOR }));
  });

/** One condition a container: a waiting or ended one explains its restarts. */
function stateOf(seen: Seen): Condition | undefined {
  return (
    waiting(seen) ?? unfinished(seen) ?? terminated(seen, 'state') ?? terminated(seen, 'lastState') ?? restarted(seen)
  );
}

const condition = (
  { pod }: Seen,
  rest: Pick<Condition, 'reason' | 'statement' | 'severity' | 'type' | 'atMs' | 'numbers'>,
): Condition => ({ object: pod, service: pod.service, ...rest });

function waiting(seen: Seen): Condition | undefined {
  const { status, spec } = seen;
  const reason = textAt(status, 'state', 'waiting', 'reason');
  if (!reason) return undefined;
  if (reason === 'ContainerCreating' || reason === 'PodInitializing') return stuck(seen, reason);
  const message = textAt(status, 'state', 'waiting', 'message') ?? '';
  const judged = judgeText(`${reason} ${message}`) ?? { severity: 0.5, type: 'unknown' as const };
  const last = lastEndOf(status);
  const lastJudged = last === undefined ? undefined : judgeEnd(last, spec);
  const image = judged.type === 'image_pull' ? (textAt(status, 'image') ?? textAt(spec, 'image')) : undefined;
  const isLoop = reason === 'CrashLoopBackOff';
  const words = waitingWords(message, image);
  return condition(seen, {
    reason,
    statement: `${nameOf(seen)} waits: ${reason}${image ? ` for image ${image}` : ''}${lastEnd(status, lastJudged?.words)}${words ? ` (${words})` : ''}`,
    severity: isLoop ? Math.max(judged.severity, lastJudged?.severity ?? 0) : judged.severity,
    // A crash loop says that it ends, the last end says why.
    type: isLoop && lastJudged ? typeOfLoop(lastJudged.type) : judged.type,
    atMs: onsetOf(seen),
    numbers: restartsOf(status),
  });
}

/** Sum of the waits before the first restarts, after which the kubelet waits 5 min before each (10 s, doubled every time). */
const FIRST_RESTARTS = 6;
const LONGEST_WAIT_MS = 5 * MINUTE_MS;

/** Since when a container cannot run: since its pod is not ready, at the latest since as many restarts as it had take. */
function onsetOf({ pod, status, triggerMs }: Seen): number | undefined {
  const unready = conditionOf(pod, 'Ready');
  const sinceMs = textAt(unready, 'status') === 'False' ? timeAt(unready, 'lastTransitionTime') : undefined;
  if (sinceMs !== undefined) return sinceMs;
  const finishedMs = timeAt(lastEndOf(status), 'finishedAt');
  const restarts = numberAt(status, 'restartCount') ?? 0;
  if (finishedMs !== undefined) return finishedMs - Math.max(0, restarts - FIRST_RESTARTS) * LONGEST_WAIT_MS;
  return createdMsOf(pod, triggerMs);
}

const typeOfLoop = (last: RootCauseType): RootCauseType => (last === 'unknown' ? 'code_error' : last);

function stuck(seen: Seen, reason: string): Condition | undefined {
  const createdMs = createdMsOf(seen.pod, seen.triggerMs);
  // While an init container runs or fails, the others only wait for it.
  if (reason !== 'ContainerCreating' || createdMs === undefined) return undefined;
  if (seen.triggerMs - createdMs < STUCK_AFTER_MS) return undefined;
  return condition(seen, {
    reason: 'StuckCreating',
    statement: `${nameOf(seen)} has been in ContainerCreating for more than 2 min`,
    severity: 0.8,
    type: 'config_change',
    atMs: createdMs,
  });
}

/** An init container that runs on and on holds back all containers of its pod, mostly because it waits for something. */
function unfinished(seen: Seen): Condition | undefined {
  const startedMs = timeAt(seen.status, 'state', 'running', 'startedAt');
  // A restartable init container is a sidecar, which is meant to run.
  if (!seen.isInit || startedMs === undefined || textAt(seen.spec, 'restartPolicy') === 'Always') return undefined;
  if (booleanAt(seen.status, 'ready') === true || seen.triggerMs - startedMs < STUCK_AFTER_MS) return undefined;
  return condition(seen, {
    reason: 'InitUnfinished',
    statement: `${nameOf(seen)} does not finish, so that the pod cannot start`,
    severity: 0.7,
    type: 'dependency_failure',
    atMs: startedMs,
  });
}

function terminated(seen: Seen, when: 'state' | 'lastState'): Condition | undefined {
  const { status, spec, triggerMs } = seen;
  const end = at(status, when, 'terminated');
  const judged = end === undefined ? undefined : judgeEnd(end, spec);
  if (!judged) return undefined;
  const reason = textAt(end, 'reason') ?? 'Error';
  const finishedMs = timeAt(end, 'finishedAt');
  const exitCode = numberAt(end, 'exitCode');
  const code = exitText(end, judged.words);
  const message = textAt(end, 'message');
  return condition(seen, {
    reason: when === 'state' ? reason : `last ${reason}`,
    statement: `${nameOf(seen)} ${when === 'state' ? 'ended' : 'last ended'}: ${reason}${code ? `, ${code}` : ''}${restartsText(status)}${message ? ` (${message})` : ''}`,
    severity:
      judged.severity * (when === 'lastState' ? freshness(finishedMs, triggerMs) * recovery(seen, judged.type) : 1),
    type: judged.type,
    atMs: finishedMs,
    numbers: [...(exitCode === undefined ? [] : [exitCode]), ...restartsOf(status)],
  });
}

/** An end long before the alert explains little; one of unknown time is taken almost in full. */
function freshness(finishedMs: number | undefined, triggerMs: number): number {
  if (finishedMs === undefined) return 0.9;
  const ageMs = triggerMs - finishedMs;
  if (ageMs > -10 * MINUTE_MS && ageMs < 15 * MINUTE_MS) return 1;
  if (ageMs < 120 * MINUTE_MS) return 0.45;
  return 0.1;
}

/** A container that is ready again got over its end, unless it ends again and again; for want of memory it will. */
function recovery({ status }: Seen, type: RootCauseType): number {
  const restarts = numberAt(status, 'restartCount') ?? 0;
  if (booleanAt(status, 'ready') !== true || restarts > 2) return 1;
  return type === 'memory_exhaustion' ? 1 : restarts > 1 ? 0.75 : 0.55;
}

/** A count without a time: it may be months old. */
function restarted(seen: Seen): Condition | undefined {
  const restarts = numberAt(seen.status, 'restartCount') ?? 0;
  // An end of which the time is known, and which was judged to mean nothing, explains the count.
  if (restarts < 1 || timeAt(lastEndOf(seen.status), 'finishedAt') !== undefined) return undefined;
  return condition(seen, {
    reason: 'restarts',
    statement: `${nameOf(seen)} restarted ${timesText(restarts)}; when was not recorded`,
    severity: untimedRestarts(seen.pod, restarts, seen.triggerMs),
    type: 'unknown',
    numbers: [restarts],
  });
}

const nameOf = ({ status, isInit }: Seen) =>
  `${isInit ? 'init container' : 'container'} ${textAt(status, 'name') ?? '(unnamed)'}`;

function restartsOf(status: unknown): readonly number[] {
  const restarts = numberAt(status, 'restartCount');
  return restarts === undefined ? [] : [restarts];
}

function restartsText(status: unknown): string {
  const restarts = numberAt(status, 'restartCount') ?? 0;
  return restarts > 0 ? `, ${restarts} ${restarts === 1 ? 'restart' : 'restarts'}` : '';
}

function lastEnd(status: unknown, words: string | undefined): string {
  const end = lastEndOf(status);
  const reason = textAt(end, 'reason');
  const code = exitText(end, words);
  if (!reason && !code) return restartsText(status);
  return `, last end ${[reason, code].filter(Boolean).join(' ')}${restartsText(status)}`;
}
