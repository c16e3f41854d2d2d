import {
  DESCRIBE,
  FIX_CONFIGURATION,
  HISTORY,
  LOGS,
  NODES,
  PODS,
  ROLL_BACK,
  SPECIFICATION,
  check,
  inCluster,
  propose,
} from './catalogue-steps.ts';
import type { CatalogueStep } from './catalogue-steps.ts';

/** What runs, how it was changed, and whether it can start where it should. */
export const WORKLOAD_ACTIONS = {
  deployment_change: [HISTORY, LOGS, DESCRIBE, ROLL_BACK],
  config_change: [HISTORY, SPECIFICATION, FIX_CONFIGURATION, ROLL_BACK],
  code_error: [LOGS, HISTORY, DESCRIBE, ROLL_BACK],
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
  node_failure: [
    NODES,
    PODS,
    propose('R2', 'Cordon the bad node and move its pods.', 'Keeps new pods away from it.', 'Uncordon the node.'),
  ],
  none: [check('Look at {service} again if the alert persists.', 'Nothing points at a cause now.')],
  unknown: [LOGS, HISTORY, DESCRIBE, PODS],
} as const satisfies Readonly<Record<string, readonly CatalogueStep[]>>;

const ON_NODE = inCluster(
  check(
    'List the pods on {service}.',
    'Shows who suffers, and who uses it up.',
    'kubectl get pods -A -o wide --field-selector spec.nodeName={service}',
  ),
);
const CORDON = propose(
  'R2',
  'Cordon {service} and move its pods.',
  'Keeps new pods away from it.',
  'Uncordon the node.',
);

/** Where the cause is a node: its memory or disk is not a workload's. */
export const NODE_ACTIONS = {
  disk_full: [
    ON_NODE,
    NODES,
    propose(
      'R2',
      'Free space on {service}: unused images, old logs, what a pod writes without bound.',
      'Its kubelet drives pods away until there is room.',
      'None needed for images: they are pulled again.',
    ),
    CORDON,
  ],
  memory_exhaustion: [
    ON_NODE,
    NODES,
    propose(
      'R2',
      'Move the pods that use more memory than they request away from {service}, or raise their requests.',
      'The scheduler counts requests, the node real use.',
      'Set the requests as they are now.',
    ),
    CORDON,
  ],
  any: [ON_NODE, NODES, CORDON],
} as const satisfies Readonly<Record<string, readonly CatalogueStep[]>>;
