import type { Rule } from '../condition.ts';
import { booleanAt, listAt, textAt, timeAt } from '../json-path.ts';
import { judgeText } from '../severities.ts';
import { ownerReferences } from '../ownership.ts';

/** Jobs that gave up. One run of a schedule is followed by the next, so it weighs less than a job that somebody waits for. */
export const jobs: Rule = (cluster) =>
  cluster.of('Job').flatMap((job) =>
    listAt(job.body, 'status', 'conditions').flatMap((condition) => {
      if (textAt(condition, 'type') !== 'Failed' || textAt(condition, 'status') !== 'True') return [];
      const reason = textAt(condition, 'reason') ?? 'Failed';
      const message = textAt(condition, 'message') ?? reason;
      const isScheduled = ownerReferences(job.body)[0]?.kind === 'CronJob';
      return {
        object: job,
        service: job.service,
        reason,
        statement: `failed: ${message}`,
        severity: isScheduled ? 0.4 : 0.7,
        type: judgeText(message)?.type ?? ('code_error' as const),
        atMs: timeAt(condition, 'lastTransitionTime'),
      };
    }),
  );

/** A schedule that is switched off: mostly on purpose. */
export const suspendedSchedules: Rule = (cluster) =>
  cluster.of('CronJob').flatMap((schedule) => {
    if (booleanAt(schedule.body, 'spec', 'suspend') !== true) return [];
    return {
      object: schedule,
      service: schedule.service,
      reason: 'Suspended',
      statement: 'is suspended: its jobs do not run',
      severity: 0.2,
      type: 'config_change' as const,
    };
  });
