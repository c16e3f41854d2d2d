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
