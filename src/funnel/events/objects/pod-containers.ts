import type { Cluster, KubeObject } from '../cluster.ts';
import type { Condition, Rule, RuleContext } from '../condition.ts';
import { at, listAt, numberAt, textAt, timeAt } from '../json-path.ts';
import { judgeText, type Judgement } from '../severities.ts';

const MINUTE_MS = 60_000;
/** Ended by SIGTERM: how every orderly stop looks. */
const EXIT_SIGTERM = 143;
/** A container that is still being created so long after its pod is stuck. */
const STUCK_AFTER_MS = 5 * MINUTE_MS;

/** Containers that wait, ended, end again and again, or restarted. */
export const containerStates: Rule = (cluster: Cluster, context: RuleContext) =>
  cluster.of('Pod').flatMap((pod) => {
    const status = at(pod.body, 'status');
    const containers = [...listAt(status, 'initContainerStatuses'), ...listAt(status, 'containerStatuses')];
    return containers.flatMap((container) => stateOf(pod, container, context) ?? []);
  });

/** One condition a container: a waiting or ended one explains its restarts. */
function stateOf(pod: KubeObject, container: unknown, context: RuleContext): Condition | undefined {
  return (
    waiting(pod, container, context) ??
    terminated(pod, container, 'state', context) ??
    terminated(pod, container, 'lastState', context) ??
    restarted(pod, container)
  );
}

function waiting(pod: KubeObject, container: unknown, context: RuleContext): Condition | undefined {
  const reason = textAt(container, 'state', 'waiting', 'reason');
  if (!reason) return undefined;
  if (reason === 'ContainerCreating' || reason === 'PodInitializing') return stuck(pod, container, reason, context);
  const message = textAt(container, 'state', 'waiting', 'message') ?? '';
  const judged = judgeText(`${reason} ${message}`) ?? { severity: 0.5, type: 'unknown' };
  const last = judgeText(textAt(container, 'lastState', 'terminated', 'reason') ?? '');
  const image = judged.type === 'image_pull' ? textAt(container, 'image') : undefined;
  return {
    object: pod,
    service: pod.service,
    reason,
    statement: `container ${nameOf(container)} waits: ${reason}${image ? ` for image ${image}` : ''}${lastEnd(container)}${message ? ` (${message})` : ''}`,
    severity: judged.severity,
    // A crash loop says that it ends, the last end says why.
    type: reason === 'CrashLoopBackOff' && last ? last.type : judged.type,
    atMs: timeAt(container, 'lastState', 'terminated', 'finishedAt'),
    numbers: restartsOf(container),
  };
}

function stuck(pod: KubeObject, container: unknown, reason: string, context: RuleContext): Condition | undefined {
  const createdMs = timeAt(pod.body, 'metadata', 'creationTimestamp');
  if (reason !== 'ContainerCreating' || createdMs === undefined) return undefined;
  if (context.triggerMs - createdMs < STUCK_AFTER_MS) return undefined;
  return {
    object: pod,
    service: pod.service,
    reason: 'StuckCreating',
    statement: `container ${nameOf(container)} has been in ContainerCreating for more than 5 min`,
    severity: 0.7,
    type: 'config_change',
    atMs: createdMs,
  };
}

function terminated(
  pod: KubeObject,
  container: unknown,
  when: 'state' | 'lastState',
  context: RuleContext,
): Condition | undefined {
  const end = at(container, when, 'terminated');
  if (end === undefined) return undefined;
  const judged = judgeEnd(end);
  if (!judged) return undefined;
  const reason = textAt(end, 'reason') ?? 'Error';
  const exitCode = numberAt(end, 'exitCode');
  const finishedMs = timeAt(end, 'finishedAt');
  const fading = when === 'lastState' ? freshness(finishedMs, context.triggerMs) : 1;
  const code = exitCode === undefined ? '' : `, exit code ${exitCode}`;
  return {
    object: pod,
    service: pod.service,
    reason: when === 'state' ? reason : `last ${reason}`,
    statement: `container ${nameOf(container)} ${when === 'state' ? 'ended' : 'last ended'}: ${reason}${code}${restartsText(container)}`,
    severity: judged.severity * fading,
    type: judged.type,
    atMs: finishedMs,
    numbers: [...(exitCode === undefined ? [] : [exitCode]), ...restartsOf(container)],
  };
}

function judgeEnd(end: unknown): Judgement | undefined {
  const exitCode = numberAt(end, 'exitCode');
  const reason = textAt(end, 'reason') ?? '';
  if (exitCode === 0 || exitCode === EXIT_SIGTERM || reason === 'Completed') return undefined;
  const known = judgeText(`${reason} ${textAt(end, 'message') ?? ''}`);
  if (known) return known;
  if (exitCode === undefined && reason === '') return undefined;
  return { severity: 0.75, type: 'code_error' };
}

/** An end long before the alert explains little; one of unknown time is taken almost in full. */
function freshness(finishedMs: number | undefined, triggerMs: number): number {
  if (finishedMs === undefined) return 0.9;
  const ageMs = triggerMs - finishedMs;
  if (ageMs > -10 * MINUTE_MS && ageMs < 15 * MINUTE_MS) return 1;
  if (ageMs < 120 * MINUTE_MS) return 0.45;
  return 0.1;
}

/** A count without a time: it may be months old. */
function restarted(pod: KubeObject, container: unknown): Condition | undefined {
  const restarts = numberAt(container, 'restartCount') ?? 0;
  if (restarts < 1) return undefined;
  return {
    object: pod,
    service: pod.service,
    reason: 'restarts',
    statement: `container ${nameOf(container)} restarted ${restarts} times, when is not recorded`,
    severity: Math.min(0.3, 0.1 + 0.05 * restarts),
    type: 'unknown',
    numbers: [restarts],
  };
}

const nameOf = (container: unknown) => textAt(container, 'name') ?? '(unnamed)';

function restartsOf(container: unknown): readonly number[] {
  const restarts = numberAt(container, 'restartCount');
  return restarts === undefined ? [] : [restarts];
}

function restartsText(container: unknown): string {
  const restarts = numberAt(container, 'restartCount') ?? 0;
  return restarts > 0 ? `, ${restarts} restarts` : '';
}

function lastEnd(container: unknown): string {
  const end = at(container, 'lastState', 'terminated');
  const reason = textAt(end, 'reason');
  const exitCode = numberAt(end, 'exitCode');
  if (!reason && exitCode === undefined) return restartsText(container);
  return `, last end ${reason ?? ''}${exitCode === undefined ? '' : ` exit code ${exitCode}`}${restartsText(container)}`;
}
