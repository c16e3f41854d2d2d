/**
 * A step as it stands in the catalogue. `{service}` is the root cause service, `{kubectl}` is `kubectl` with the namespace, `{pods}` is
 * a PromQL selector of the service's pods. Commands hold for Kubernetes only. Everything above R0 is only ever proposed.
 */
export interface CatalogueStep {
  readonly risk: 'R0' | 'R1' | 'R2';
  readonly step: string;
  readonly why: string;
  readonly command?: string;
  readonly rollback?: string;
  /** The step makes no sense elsewhere. */
  readonly only?: 'kubernetes';
}

export const check = (step: string, why: string, command?: string): CatalogueStep => ({
  risk: 'R0',
  step,
  why,
  ...(command === undefined ? {} : { command }),
});

export const propose = (
  risk: 'R1' | 'R2',
  step: string,
  why: string,
  rollback: string,
  command?: string,
): CatalogueStep => ({
  risk,
  step,
  why,
  rollback,
  ...(command === undefined ? {} : { command }),
});

/** For a step about pods, nodes and other objects that only a cluster has. */
export const inCluster = (step: CatalogueStep): CatalogueStep => ({ ...step, only: 'kubernetes' });

export const DESCRIBE = inCluster(
  check(
    'Look at the state and events of {service}.',
    'Restarts, probes and limits show there.',
    '{kubectl} describe deployment {service}',
  ),
);
export const LOGS = check(
  'Read the newest log lines of {service}.',
  'They say what fails in its own words.',
  '{kubectl} logs deployment/{service} --since=15m --tail=200',
);
export const HISTORY = check(
  'Look at what was last deployed to or configured on {service}.',
  'A change shortly before the alert is the most common cause.',
  '{kubectl} rollout history deployment/{service}',
);
export const PODS = inCluster(
  check(
    'List the pods of the namespace with their nodes.',
    'Shows which pods are affected and whether they share a node.',
    '{kubectl} get pods -o wide',
  ),
);
export const NODES = inCluster(
  check(
    'Look at the state and pressure of the nodes.',
    'Pods on one bad node fail together.',
    'kubectl get nodes -o wide',
  ),
);
export const POLICIES = inCluster(
  check(
    'List network policies and endpoints of the namespace.',
    'A policy or an empty endpoint list cuts a service off.',
    '{kubectl} get networkpolicies,endpoints',
  ),
);
export const CPU = check(
  'Compare processor use and throttling of {service} with its limit.',
  'Confirms that the limit, not the load, is the bottleneck.',
  'sum by (pod) (rate(container_cpu_usage_seconds_total{pods}[5m]))',
);
export const MEMORY = check(
  'Compare memory use of {service} with its limit.',
  'Tells a leak from a limit that is too low.',
  'max by (pod) (container_memory_working_set_bytes{pods})',
);
export const NETWORK = check(
  'Compare received traffic and drops of {service}.',
  'Tells a slow network from a slow process.',
  'sum by (pod) (rate(container_network_receive_packets_dropped_total{pods}[5m]))',
);
export const SPECIFICATION = inCluster(
  check(
    'Compare the specification of {service} with its last known good version.',
    'The evidence names what does not fit.',
    '{kubectl} get deployment {service} -o yaml',
  ),
);

export const ROLL_BACK = propose(
  'R2',
  'If the rollout history shows a revision shortly before the alert: roll {service} back to the one before it.',
  'Restores the last state that worked.',
  'Roll forward again to the revision that is current now (see the rollout history).',
  '{kubectl} rollout undo deployment/{service}',
);
export const RESTART = propose(
  'R2',
  'Restart {service}, one instance after the other.',
  'Frees what the process has piled up; a stopgap, not a cure.',
  'None needed: the same version runs again.',
  '{kubectl} rollout restart deployment/{service}',
);
export const SCALE_OUT = propose(
  'R1',
  'Add replicas to {service}.',
  'Spreads the load until the cause is gone.',
  'Scale back to the present number of replicas.',
);
export const FIX_CONFIGURATION = propose(
  'R2',
  'Correct the faulty setting of {service} and apply it.',
  'The evidence names what does not fit.',
  'Apply the configuration that is in force now; save it first.',
);
