import type { Condition, Rule } from '../condition.ts';
import { listAt, numberAt, textAt, timeAt } from '../json-path.ts';

/** Autoscalers that have no target, cannot read their metric, or want more than they may have. */
export const autoscalers: Rule = (cluster, context) =>
  cluster.of('HorizontalPodAutoscaler').flatMap((scaler) => {
    const target = textAt(scaler.body, 'spec', 'scaleTargetRef', 'name') ?? scaler.name;
    const service = cluster.find('Deployment', scaler.namespace, target)?.service ?? context.services.canonical(target);
    const conditions = listAt(scaler.body, 'status', 'conditions');
    return conditions.flatMap((condition): readonly Condition[] => {
      const found = judge(condition, target, numberAt(scaler.body, 'spec', 'maxReplicas'));
      if (!found) return [];
      return [{ ...found, object: scaler, service, atMs: timeAt(condition, 'lastTransitionTime') }];
    });
  });

type Judged = Pick<Condition, 'reason' | 'statement' | 'severity' | 'type'>;

function judge(condition: unknown, target: string, most: number | undefined): Judged | undefined {
  const state = `${textAt(condition, 'type')}=${textAt(condition, 'status')}`;
  const reason = textAt(condition, 'reason') ?? '';
  const message = textAt(condition, 'message') ?? reason;
  if (state === 'ScalingLimited=True' && reason === 'TooManyReplicas') {
    const statement = `would scale ${target} beyond its maximum of ${most ?? '(unknown)'} replicas`;
    return { reason, statement, severity: 0.5, type: 'traffic_surge' };
  }
  if (state === 'AbleToScale=False') {
    return {
      reason: 'CannotScale',
      statement: `cannot scale ${target}: ${message}`,
      severity: 0.5,
      type: 'config_change',
    };
  }
  if (state === 'ScalingActive=False' && reason !== 'ScalingDisabled') {
    // Clusters without a metrics server have autoscalers too.
    const isMetric = /metrics/i.test(message);
    const statement = `cannot scale ${target}: ${message}`;
    return { reason: 'ScalingInactive', statement, severity: isMetric ? 0.25 : 0.4, type: 'config_change' };
  }
  return undefined;
}
