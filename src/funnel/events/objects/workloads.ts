import type { Cluster, KubeObject } from '../cluster.ts';
import { matches } from '../cluster.ts';
import type { Condition, Rule, RuleContext } from '../condition.ts';
import { at, hasAt, listAt, numberAt, textAt, textsAt, timeAt } from '../json-path.ts';
import { judgeText } from '../severities.ts';

/** Deployments and StatefulSets that are scaled to zero or have fewer replicas than wanted. */
export const replicaCounts: Rule = (cluster, context) =>
  ['Deployment', 'StatefulSet'].flatMap((kind) =>
    cluster.of(kind).flatMap((workload) => scaledToZero(workload, cluster, context) ?? missingReplicas(workload) ?? []),
  );

/** Zero replicas matter when somebody counts on the workload: a Service selects it or it stands in the topology. */
function scaledToZero(workload: KubeObject, cluster: Cluster, context: RuleContext): Condition | undefined {
  const wanted = numberAt(workload.body, 'spec', 'replicas') ?? numberAt(workload.body, 'desired');
  if (wanted !== 0) return undefined;
  const labels = textsAt(workload.body, 'spec', 'template', 'metadata', 'labels');
  const needed =
    context.services.inTopology(workload.service) ||
    cluster.of('Service').some((service) => service.namespace === workload.namespace && selects(service, labels));
  return {
    object: workload,
    service: workload.service,
    reason: 'ScaledToZero',
    statement: `is scaled to 0 replicas${needed ? ', though other parts depend on it' : ''}`,
    severity: needed ? 0.95 : 0.5,
    type: 'config_change',
    numbers: [0],
  };
}

function selects(service: KubeObject, labels: Readonly<Record<string, string>>): boolean {
  const selector = textsAt(service.body, 'spec', 'selector');
  return Object.keys(selector).length > 0 && matches(labels, selector);
}

function missingReplicas(workload: KubeObject): Condition | undefined {
  const wanted = numberAt(workload.body, 'spec', 'replicas') ?? numberAt(workload.body, 'desired');
  const available = availableReplicas(workload);
  if (wanted === undefined || available === undefined || available >= wanted) return undefined;
  return {
    object: workload,
    service: workload.service,
    reason: available === 0 ? 'NoReplicaAvailable' : 'ReplicasMissing',
    statement: `has ${available} of ${wanted} replicas available`,
    severity: available === 0 ? 0.8 : 0.5,
    type: 'unknown',
    numbers: [available, wanted],
  };
}

/** The API leaves a count of 0 out: with a status that counts replicas, a missing number is 0; without one it is unknown. */
function availableReplicas(workload: KubeObject): number | undefined {
  const status = at(workload.body, 'status');
  const counted = numberAt(status, 'availableReplicas') ?? numberAt(workload.body, 'available');
  if (counted !== undefined) return counted;
  const ready = numberAt(status, 'readyReplicas');
  if (ready !== undefined) return ready;
  const countsReplicas = ['replicas', 'unavailableReplicas', 'updatedReplicas'].some((name) => hasAt(status, name));
  return countsReplicas ? 0 : undefined;
}

/** Negative conditions of workloads by polarity: `Available=False` and `ReplicaFailure=True` are problems, their opposites are not. */
export const workloadConditions: Rule = (cluster) =>
  ['Deployment', 'ReplicaSet'].flatMap((kind) =>
    cluster
      .of(kind)
      .flatMap((workload) =>
        listAt(workload.body, 'status', 'conditions').flatMap((condition) => replicaFailure(workload, condition) ?? []),
      ),
  );

function replicaFailure(workload: KubeObject, condition: unknown): Condition | undefined {
  const [type, status] = [textAt(condition, 'type'), textAt(condition, 'status')];
  const isFailure = type === 'ReplicaFailure' && status === 'True';
  const isStalled = type === 'Progressing' && status === 'False';
  if (!isFailure && !isStalled) return undefined;
  const reason = textAt(condition, 'reason') ?? type;
  const message = textAt(condition, 'message') ?? 'no message recorded';
  const judged = judgeText(`${reason} ${message}`);
  return {
    object: workload,
    service: workload.service,
    reason,
    statement: isFailure ? `cannot create pods: ${message}` : `rollout does not progress: ${message}`,
    severity: Math.max(isFailure ? 0.95 : 0.8, judged?.severity ?? 0),
    type: judged?.type ?? 'deployment_change',
    atMs: timeAt(condition, 'lastTransitionTime'),
  };
}

export const daemonSets: Rule = (cluster) =>
  cluster.of('DaemonSet').flatMap((set) => {
    const wanted = numberAt(set.body, 'status', 'desiredNumberScheduled');
    const ready = numberAt(set.body, 'status', 'numberReady');
    if (wanted === undefined || ready === undefined || ready >= wanted) return [];
    return {
      object: set,
      service: set.service,
      reason: 'DaemonPodsMissing',
      statement: `has ${ready} of ${wanted} pods ready`,
      severity: ready === 0 ? 0.8 : 0.5,
      type: 'unknown' as const,
      numbers: [ready, wanted],
    };
  });

export const jobs: Rule = (cluster) =>
  cluster.of('Job').flatMap((job) =>
    listAt(job.body, 'status', 'conditions').flatMap((condition) => {
      if (textAt(condition, 'type') !== 'Failed' || textAt(condition, 'status') !== 'True') return [];
      const reason = textAt(condition, 'reason') ?? 'Failed';
      return {
        object: job,
        service: job.service,
        reason,
        statement: `failed: ${textAt(condition, 'message') ?? reason}`,
        severity: 0.7,
        type: 'code_error' as const,
        atMs: timeAt(condition, 'lastTransitionTime'),
      };
    }),
  );
