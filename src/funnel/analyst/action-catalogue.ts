import type { RootCauseType } from '../../domain/root-cause-type.ts';

/**
 * A step as it stands in the catalogue. `{service}` is the root cause service, `{kubectl}` is `kubectl` with the namespace, `{pods}` is
 * a PromQL selector of the service's pods. Everything above R0 is only ever proposed.
 */
export interface CatalogueStep {
  readonly risk: 'R0' | 'R1' | 'R2';
  readonly step: string;
  readonly why: string;
  readonly command?: string;
  readonly rollback?: string;
}

const check = (step: string, why: string, command?: string): CatalogueStep => ({
  risk: 'R0',
  step,
  why,
  ...(command === undefined ? {} : { command }),
});
const propose = (risk: 'R1' | 'R2', step: string, why: string, rollback: string, command?: string): CatalogueStep => ({
  risk,
  step,
  why,
  rollback,
  ...(command === undefined ? {} : { command }),
});

const DESCRIBE = check(
  'Look at the state and events of {service}.',
  'Restarts, probes and limits show there.',
  '{kubectl} describe deployment {service}',
);
const LOGS = check(
  'Read the newest log lines of {service}.',
  'They say what fails in its own words.',
  '{kubectl} logs deployment/{service} --since=15m --tail=200',
);
const HISTORY = check(
  'Compare the last two rollouts of {service}.',
  'A change shortly before the alert is the most common cause.',
  '{kubectl} rollout history deployment/{service}',
);
const PODS = check(
  'List the pods of the namespace with their nodes.',
  'Shows which pods are affected and whether they share a node.',
  '{kubectl} get pods -o wide',
);
const ROLL_BACK = propose(
  'R2',
  'Roll {service} back to the revision before the alert.',
  'Restores the last state that worked.',
  'Roll forward again to the revision that is current now (see the rollout history).',
  '{kubectl} rollout undo deployment/{service}',
);
const RESTART = propose(
  'R2',
  'Restart {service}, one pod after the other.',
  'Frees what the process has piled up; a stopgap, not a cure.',
  'None needed: the same revision runs again. Stop it with a rollout pause.',
  '{kubectl} rollout restart deployment/{service}',
);
const SCALE_OUT = propose(
  'R1',
  'Add replicas to {service}.',
  'Spreads the load until the cause is gone.',
  'Scale back to the present number of replicas.',
);
const FIX_MANIFEST = propose(
  'R2',
  'Correct the faulty field in the manifest of {service} and apply it.',
  'The evidence names the field that does not fit.',
  'Apply the manifest that is in force now; save it first.',
);

const CPU = check(
  'Compare CPU use and throttling of the pods of {service} with their limits.',
  'Confirms that the limit, not the load balancer, is the bottleneck.',
  'sum by (pod) (rate(container_cpu_usage_seconds_total{pods}[5m]))',
);
const MEMORY = check(
  'Compare memory use of the pods of {service} with their limits.',
  'Tells a leak from a limit that is too low.',
  'max by (pod) (container_memory_working_set_bytes{pods})',
);
const NETWORK = check(
  'Compare received traffic and drops of the pods of {service}.',
  'Tells a slow network from a slow process.',
  'sum by (pod) (rate(container_network_receive_packets_dropped_total{pods}[5m]))',
);
const POLICIES = check(
  'List network policies and endpoints of the namespace.',
  'A policy or an empty endpoint list cuts a service off.',
  '{kubectl} get networkpolicies,endpoints',
);
const NODES = check(
  'Look at the state and pressure of the nodes.',
  'Pods on one bad node fail together.',
  'kubectl get nodes -o wide',
);

/** What to do, by type of root cause: checks first, then what may be proposed. */
export const ACTIONS: Readonly<Record<RootCauseType, readonly CatalogueStep[]>> = {
  cpu_saturation: [CPU, HISTORY, SCALE_OUT, ROLL_BACK],
  memory_exhaustion: [
    MEMORY,
    DESCRIBE,
    propose(
      'R2',
      'Raise the memory limit of {service}.',
      'Stops the kills while the growth is examined.',
      'Set the limit back to its present value.',
    ),
    RESTART,
  ],
  disk_full: [
    check(
      'Find what fills the disk.',
      'Only known growth may be removed.',
      'topk(5, 1 - node_filesystem_avail_bytes / node_filesystem_size_bytes)',
    ),
    NODES,
    propose(
      'R2',
      'Grow the volume, or move old data of {service} to another one.',
      'Gives room without loss.',
      'Move the data back; a grown volume stays grown.',
    ),
  ],
  io_saturation: [
    check(
      'Look at disk time and queue of the nodes.',
      'Shows which device is busy.',
      'rate(node_disk_io_time_seconds_total[5m])',
    ),
    PODS,
    propose(
      'R2',
      'Move the heaviest writer away from the node of {service}.',
      'Separates neighbours that share a disk.',
      'Let it be scheduled there again.',
    ),
  ],
  network_latency: [
    NETWORK,
    PODS,
    POLICIES,
    propose(
      'R2',
      'Move a pod of {service} to another node.',
      'Shows whether the path or the process is slow.',
      'Allow the old node again.',
    ),
  ],
  network_loss: [POLICIES, NETWORK, FIX_MANIFEST],
  connection_exhaustion: [
    check(
      'Compare open connections of {service} with the limit of its pool and of the server.',
      'Tells a leak from a burst.',
    ),
    LOGS,
    propose(
      'R2',
      'Raise the pool limit of {service} within what the server allows.',
      'Ends the waiting for connections.',
      'Set the limit back to its present value.',
    ),
    RESTART,
  ],
  dependency_failure: [
    POLICIES,
    LOGS,
    DESCRIBE,
    propose(
      'R2',
      'Restore the pods or the endpoint that {service} lacks.',
      'Calls to it fail until one is ready.',
      'Undo the single change made.',
    ),
  ],
  database: [
    check(
      'List long-running statements and locks of the database behind {service}.',
      'One statement often blocks the others.',
    ),
    LOGS,
    HISTORY,
    propose(
      'R2',
      'End the blocking statement.',
      'Lets the waiting ones go on.',
      'None: the statement is lost; its client has to repeat it.',
    ),
  ],
  queue_backlog: [
    check(
      'Compare rates of producing and consuming, and the age of the oldest message.',
      'Tells slow consumers from too much work.',
    ),
    LOGS,
    SCALE_OUT,
  ],
  traffic_surge: [
    check(
      'Compare the request rate of {service} with the same time yesterday and last week.',
      'Tells a surge from the daily pattern.',
    ),
    CPU,
    SCALE_OUT,
    propose('R2', 'Limit the rate of the heaviest client of {service}.', 'Protects the others.', 'Remove the limit.'),
  ],
  deployment_change: [HISTORY, DESCRIBE, LOGS, ROLL_BACK],
  config_change: [
    DESCRIBE,
    check(
      'Compare the configuration of {service} with its last known good version.',
      'The evidence names what does not fit.',
      '{kubectl} get deployment {service} -o yaml',
    ),
    FIX_MANIFEST,
    ROLL_BACK,
  ],
  scheduling: [
    PODS,
    NODES,
    DESCRIBE,
    propose(
      'R2',
      'Make the pod specification of {service} fit a node: requests, selectors, tolerations.',
      'The scheduler finds no place as it is.',
      'Apply the specification that is in force now.',
    ),
  ],
  image_pull: [
    DESCRIBE,
    HISTORY,
    propose(
      'R2',
      'Set the image of {service} to a tag that exists and may be pulled.',
      'No new pod can start with this one.',
      'Set the image that is named now.',
    ),
    ROLL_BACK,
  ],
  probe_failure: [
    DESCRIBE,
    LOGS,
    propose(
      'R2',
      'Correct port, path or delay of the failing probe of {service}.',
      'Pods that work are taken out of service by a wrong probe.',
      'Set the probe as it is now.',
    ),
  ],
  quota: [
    check(
      'Compare the quota of the namespace with its use.',
      'Shows which resource is used up.',
      '{kubectl} describe resourcequota',
    ),
    PODS,
    propose(
      'R2',
      'Raise the quota, or lower the requests of {service}.',
      'New pods are refused until then.',
      'Set the quota back to its present value.',
    ),
  ],
  dns: [
    check(
      'Look at the cluster DNS pods.',
      'When they fail, every name fails.',
      'kubectl -n kube-system get pods -l k8s-app=kube-dns',
    ),
    check(
      'Compare the names that {service} asks for with the Services of the namespace.',
      'A name without a Service does not resolve.',
      '{kubectl} get services',
    ),
    FIX_MANIFEST,
  ],
  certificate: [
    LOGS,
    check('Look at the expiry dates of the certificates that {service} uses.', 'An expired one fails every handshake.'),
    propose(
      'R2',
      'Renew or replace the certificate of {service}.',
      'Handshakes fail until then.',
      'Put the present certificate back.',
    ),
  ],
  permission: [
    LOGS,
    check(
      'List service accounts and role bindings of the namespace.',
      'Shows which right is missing.',
      '{kubectl} get serviceaccounts,rolebindings',
    ),
    propose('R2', 'Restore the missing right of {service}.', 'It is refused until then.', 'Remove the right again.'),
  ],
  code_error: [LOGS, HISTORY, DESCRIBE, ROLL_BACK],
  node_failure: [
    NODES,
    PODS,
    propose('R2', 'Cordon the bad node and move its pods.', 'Keeps new pods away from it.', 'Uncordon the node.'),
  ],
  external_provider: [
    LOGS,
    check('Look at the status page of the provider that {service} calls.', 'The fault may be theirs.'),
    propose(
      'R2',
      'Switch {service} to its fallback, if it has one.',
      'Calls fail until the provider is back.',
      'Switch back.',
    ),
  ],
  none: [check('Look at {service} again if the alert persists.', 'Nothing points at a cause now.')],
  unknown: [DESCRIBE, LOGS, HISTORY, PODS],
};
