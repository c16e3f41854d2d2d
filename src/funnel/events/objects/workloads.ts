import { templateOf, WORKLOADS, type Cluster, type KubeObject } from '../cluster.ts';
import type { Condition, Rule, RuleContext } from '../condition.ts';
import { at, booleanAt, hasAt, listAt, numberAt, textAt, textsAt, timeAt } from '../json-path.ts';
import { matches } from '../selectors.ts';
import { judgeText } from '../severities.ts';
import { failingWebhook } from '../webhooks.ts';

/** Deployments and StatefulSets that are scaled to zero or have fewer replicas than wanted. */
export const replicaCounts: Rule = (cluster, context) =>
  ['Deployment', 'StatefulSet'].flatMap((kind) =>
    cluster.of(kind).flatMap((workload) => scaledToZero(workload, cluster, context) ?? missingReplicas(workload) ?? []),
  );

/** Zero replicas matter when somebody counts on the workload: others call it, or a Service selects it or it stands in the topology. */
function scaledToZero(workload: KubeObject, cluster: Cluster, context: RuleContext): Condition | undefined {
  const wanted = numberAt(workload.body, 'spec', 'replicas') ?? numberAt(workload.body, 'desired');
  if (wanted !== 0) return undefined;
  const { service } = workload;
  const isCalled = cluster.calls.callers(service).size > 0 || context.services.alerting === service;
  // To be listed, or to have a Service, tells of callers only where nothing tells who calls whom.
  const isKnown = !cluster.calls.isKnown && (context.services.inTopology(service) || isSelected(workload, cluster));
  // Another workload of the same name does the work: a second version kept at zero.
  const isReplaced = cluster.workloadsOf(service).some((other) => numberAt(other.body, 'spec', 'replicas') !== 0);
  const severity = isReplaced ? 0.3 : isCalled ? 0.97 : isKnown ? 0.9 : 0.15;
  return {
    object: workload,
    service,
    reason: 'ScaledToZero',
    statement: `is scaled to 0 replicas${isCalled || isKnown ? ', though other parts depend on it' : ''}`,
    severity,
    type: 'config_change',
    numbers: [0],
  };
}

function isSelected(workload: KubeObject, cluster: Cluster): boolean {
  const labels = textsAt(templateOf(workload), 'metadata', 'labels');
  return cluster.of('Service').some((service) => {
    const selector = textsAt(service.body, 'spec', 'selector');
    return service.namespace === workload.namespace && Object.keys(selector).length > 0 && matches(labels, selector);
  });
}

function missingReplicas(workload: KubeObject): Condition | undefined {
  const wanted = numberAt(workload.body, 'spec', 'replicas') ?? numberAt(workload.body, 'desired');
  const available = availableReplicas(workload);
  if (wanted === undefined || available === undefined || available >= wanted) return undefined;
  const unavailable = listAt(workload.body, 'status', 'conditions').find((one) => textAt(one, 'type') === 'Available');
  return {
    object: workload,
    service: workload.service,
    reason: available === 0 ? 'NoReplicaAvailable' : 'ReplicasMissing',
    statement: `has ${available} of ${wanted} replicas available`,
    severity: available === 0 ? 0.8 : 0.5,
    type: 'unknown',
    atMs: textAt(unavailable, 'status') === 'False' ? timeAt(unavailable, 'lastTransitionTime') : undefined,
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
  const countsReplicas = ['replicas', 'unavailableReplicas', 'updatedReplicas', 'observedGeneration'];
  return countsReplicas.some((name) => hasAt(status, name)) ? 0 : undefined;
}

/** Negative conditions of workloads by polarity: `Available=False` and `ReplicaFailure=True` are problems, their opposites are not. */
export const workloadConditions: Rule = (cluster, context) =>
  [...WORKLOADS, 'ReplicaSet'].flatMap((kind) =>
    cluster
      .of(kind)
      .flatMap((workload) =>
        listAt(workload.body, 'status', 'conditions').flatMap((condition) =>
          replicaFailure(workload, condition, context),
        ),
      ),
  );

function replicaFailure(workload: KubeObject, condition: unknown, { services }: RuleContext): readonly Condition[] {
  const [type, status] = [textAt(condition, 'type'), textAt(condition, 'status')];
  const isFailure = type === 'ReplicaFailure' && status === 'True';
  const isStalled = type === 'Progressing' && status === 'False';
  if (!isFailure && !isStalled) return [];
  const reason = textAt(condition, 'reason') ?? type;
  const message = textAt(condition, 'message')?.replace(/\.$/, '') ?? 'no message recorded';
  const judged = judgeText(`${reason} ${message}`);
  const found: Condition = {
    object: workload,
    service: workload.service,
    reason,
    statement: isFailure ? `cannot create pods: ${message}` : `rollout does not progress (${reason}): ${message}`,
    severity: Math.max(isFailure ? 0.95 : 0.8, judged?.severity ?? 0),
    type: judged?.type ?? 'deployment_change',
    atMs: timeAt(condition, 'lastTransitionTime'),
  };
  const webhook = failingWebhook(message);
  if (webhook === undefined) return [found];
  const ofWebhook = { ...found, service: services.canonical(webhook), type: 'dependency_failure' as const };
  return [ofWebhook, found];
}

/** A paused rollout leaves what was changed since unapplied; only then it matters. */
export const pausedRollouts: Rule = (cluster) =>
  cluster.of('Deployment').flatMap((deployment) => {
    const [wanted, updated] = [
      numberAt(deployment.body, 'spec', 'replicas'),
      numberAt(deployment.body, 'status', 'updatedReplicas') ?? 0,
    ];
    if (booleanAt(deployment.body, 'spec', 'paused') !== true || wanted === undefined) return [];
    return {
      object: deployment,
      service: deployment.service,
      reason: 'RolloutPaused',
      statement: `is paused with ${updated} of ${wanted} replicas of the newest revision`,
      severity: updated < wanted ? 0.55 : 0.2,
      type: 'deployment_change' as const,
      numbers: [updated, wanted],
    };
  });

/** Sets that belong on every node, or on every node of a kind, and are not there or not ready. */
export const daemonSets: Rule = (cluster) =>
  cluster.of('DaemonSet').flatMap((set) => {
    const wanted = numberAt(set.body, 'status', 'desiredNumberScheduled');
    const ready = numberAt(set.body, 'status', 'numberReady');
    const selector = textsAt(templateOf(set), 'spec', 'nodeSelector');
    const isNowhere = wanted === 0 && Object.keys(selector).length > 0;
    if (wanted === undefined || (!isNowhere && (ready === undefined || ready >= wanted))) return [];
    const text = Object.entries(selector).map(([name, value]) => `${name}=${value}`);
    return {
      object: set,
      service: set.service,
      reason: isNowhere ? 'DaemonSetOnNoNode' : 'DaemonPodsMissing',
      statement: isNowhere ? `runs on no node: none has ${text.join(', ')}` : `has ${ready} of ${wanted} pods ready`,
      severity: isNowhere ? 0.75 : ready === 0 ? 0.8 : 0.5,
      type: isNowhere ? ('scheduling' as const) : ('unknown' as const),
      numbers: [ready ?? 0, wanted],
    };
  });

/** A set starts its pods one after the other: the first that is not ready holds back all behind it. */
export const stuckOrdinals: Rule = (cluster) =>
  cluster.of('StatefulSet').flatMap((set) => {
    const wanted = numberAt(set.body, 'spec', 'replicas') ?? 0;
    const created = numberAt(set.body, 'status', 'replicas');
    const ready = numberAt(set.body, 'status', 'readyReplicas') ?? 0;
    const isOrdered = (textAt(set.body, 'spec', 'podManagementPolicy') ?? 'OrderedReady') === 'OrderedReady';
    if (!isOrdered || created === undefined || created === 0 || created >= wanted || ready >= created) return [];
    return {
      object: set,
      service: set.service,
      reason: 'OrdinalStuck',
      statement: `waits for ${set.name}-${created - 1} to become ready before it starts ${wanted - created} more`,
      severity: 0.7,
      type: 'unknown' as const,
      numbers: [created - 1, wanted - created],
    };
  });
