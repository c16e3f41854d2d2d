import type { KubernetesObject } from '../../../domain/telemetry.ts';
import { numberAt, textAt, timeAt } from '../../events/json-path.ts';
import { conditionOf, lasts, MINUTE_MS, type StateRule } from './state-rule.ts';

export const workloadUnavailable: StateRule = {
  kinds: ['Deployment', 'StatefulSet', 'DaemonSet'],
  limit: 'all replicas available',
  judge: (workload, options) => {
    const wanted = wantedReplicas(workload);
    const available = availableReplicas(workload);
    if (wanted === undefined || available >= wanted) return undefined;
    // Only deployments say since when; of the others nobody knows.
    const condition = conditionOf(workload, 'Available');
    const sinceMs = textAt(condition, 'status') === 'False' ? timeAt(condition, 'lastTransitionTime') : undefined;
    if (!lasts(sinceMs, options, 5 * MINUTE_MS)) return undefined;
    const value = `${available} of ${wanted} available`;
    return {
      what: `has ${value}`,
      value,
      sinceMs,
      weight: 1 + (wanted - available) / wanted,
      numbers: [available, wanted],
    };
  },
};

export const autoscalerAtMax: StateRule = {
  kinds: ['HorizontalPodAutoscaler'],
  limit: 'room to scale',
  judge: (scaler, options) => {
    const most = numberAt(scaler, 'spec', 'maxReplicas');
    const least = numberAt(scaler, 'spec', 'minReplicas') ?? 1;
    const current = numberAt(scaler, 'status', 'currentReplicas');
    if (most === undefined || current === undefined || current < most || most <= least) return undefined;
    const limited = conditionOf(scaler, 'ScalingLimited');
    const isLimited = textAt(limited, 'status') === 'True' && textAt(limited, 'reason') === 'TooManyReplicas';
    const sinceMs = isLimited ? timeAt(limited, 'lastTransitionTime') : timeAt(scaler, 'status', 'lastScaleTime');
    if (!lasts(sinceMs, options, 15 * MINUTE_MS)) return undefined;
    const more = isLimited ? ' and wants more' : '';
    const what = `is at its maximum of ${most} replicas${more}`;
    return { what, value: `${current} of ${most} replicas`, sinceMs, type: 'traffic_surge', numbers: [current, most] };
  },
};

function wantedReplicas(workload: KubernetesObject): number | undefined {
  return numberAt(workload, 'status', 'desiredNumberScheduled') ?? numberAt(workload, 'spec', 'replicas');
}

/** The API leaves out what is 0. */
function availableReplicas(workload: KubernetesObject): number {
  return (
    numberAt(workload, 'status', 'numberAvailable') ??
    numberAt(workload, 'status', 'availableReplicas') ??
    numberAt(workload, 'status', 'readyReplicas') ??
    0
  );
}
