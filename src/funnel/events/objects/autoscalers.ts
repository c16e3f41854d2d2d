import type { Rule } from '../condition.ts';
import { listAt, numberAt, textAt, timeAt } from '../json-path.ts';

/** Autoscalers that cannot read their metric, or want more than they may have. */
export const autoscalers: Rule = (cluster, context) =>
  cluster.of('HorizontalPodAutoscaler').flatMap((scaler) =>
    listAt(scaler.body, 'status', 'conditions').flatMap((condition) => {
      const state = `${textAt(condition, 'type')}=${textAt(condition, 'status')}`;
      const reason = textAt(condition, 'reason') ?? '';
      const isCapped = state === 'ScalingLimited=True' && reason === 'TooManyReplicas';
      const isBlind = state === 'ScalingActive=False' && reason !== 'ScalingDisabled';
      if (!isCapped && !isBlind) return [];
      const target = textAt(scaler.body, 'spec', 'scaleTargetRef', 'name') ?? scaler.name;
      const service = context.services.canonical(target);
      return {
        object: scaler,
        service,
        reason: isCapped ? 'TooManyReplicas' : 'ScalingInactive',
        statement: isCapped
          ? `would scale ${target} beyond its maximum of ${numberAt(scaler.body, 'spec', 'maxReplicas') ?? '(unknown)'} replicas`
          : `cannot scale ${target}: ${textAt(condition, 'message') ?? reason}`,
        severity: isCapped ? 0.5 : 0.4,
        type: isCapped ? ('traffic_surge' as const) : ('config_change' as const),
        atMs: timeAt(condition, 'lastTransitionTime'),
      };
    }),
  );
