import { duration } from '../../../domain/relative-time.ts';
import type { KubeObject } from '../cluster.ts';
import type { Condition, Rule } from '../condition.ts';
import { booleanAt, listAt, numberAt, textAt } from '../json-path.ts';
import { judgeText } from '../severities.ts';
import { isLeaving, parseAge, timesText, untimedRestarts } from './pod-life.ts';

/** Pods known only as a row of the pod table: a status word, `ready` as `0/1`, a number of restarts. */
export const podTableRows: Rule = (cluster, { triggerMs }) =>
  cluster.of('Pod').flatMap((pod) => {
    if (listAt(pod.body, 'status', 'containerStatuses').length > 0 || isLeaving(pod)) return [];
    return (
      [statusWord(pod), readyColumn(pod), restartColumn(pod, triggerMs)].find((condition) => condition !== undefined) ??
      []
    );
  });

const column = (pod: KubeObject, name: string) =>
  textAt(pod.body, 'metadata', 'annotations', `recording/${name}`) ?? textAt(pod.body, name);

function statusWord(pod: KubeObject): Condition | undefined {
  const status = column(pod, 'status') ?? textAt(pod.body, 'reason') ?? '';
  const judged =
    judgeText(status) ?? (/^error$/i.test(status) ? { severity: 0.75, type: 'code_error' as const } : undefined);
  if (!judged) return undefined;
  const statement = `has status ${status}`;
  return { object: pod, service: pod.service, reason: status, statement, ...judged };
}

function readyColumn(pod: KubeObject): Condition | undefined {
  const ready = column(pod, 'ready') ?? (booleanAt(pod.body, 'ready') === false ? 'false' : undefined);
  const counts = /^(\d+)\/(\d+)$/.exec(ready ?? '');
  const isUnready = counts ? Number(counts[1]) < Number(counts[2]) : ready === 'false';
  if (!isUnready) return undefined;
  const statement = counts ? `has ${counts[1]} of ${counts[2]} containers ready` : 'is not ready';
  return { object: pod, service: pod.service, reason: 'NotReady', statement, severity: 0.6, type: 'probe_failure' };
}

/** `4`, or `4 (3d ago)` with the age of the last one. */
function restartColumn(pod: KubeObject, triggerMs: number): Condition | undefined {
  const shown = column(pod, 'restarts') ?? '';
  const restarts = Number.parseInt(shown, 10) || (numberAt(pod.body, 'restarts') ?? 0);
  if (restarts < 1) return undefined;
  const agoMs = parseAge(/\((\S+) ago\)/.exec(shown)?.[1] ?? '');
  if (agoMs !== undefined) return lastRestart(pod, restarts, agoMs, triggerMs);
  return {
    object: pod,
    service: pod.service,
    reason: 'restarts',
    statement: `restarted ${timesText(restarts)}; when was not recorded`,
    severity: untimedRestarts(pod, restarts, triggerMs),
    type: 'unknown',
    numbers: [restarts],
  };
}

const FRESH_MS = 15 * 60_000;

function lastRestart(pod: KubeObject, restarts: number, agoMs: number, triggerMs: number): Condition | undefined {
  return {
    object: pod,
    service: pod.service,
    reason: 'restarts',
    statement: `restarted ${timesText(restarts)}, last ${duration(agoMs)} ago`,
    severity: agoMs < FRESH_MS ? 0.5 : 0.05,
    type: 'unknown',
    atMs: triggerMs - agoMs,
    numbers: [restarts],
  };
}
