import {
  DESCRIBE,
  FIX_CONFIGURATION,
  HISTORY,
  LOGS,
  NETWORK,
  PODS,
  POLICIES,
  check,
  inCluster,
  propose,
} from './catalogue-steps.ts';
import type { CatalogueStep } from './catalogue-steps.ts';

/** A call between services does not arrive, does not come back in time, or is refused. */
export const CALL_ACTIONS = {
  network_latency: [
    NETWORK,
    PODS,
    POLICIES,
    propose(
      'R2',
      'Move an instance of {service} to another node.',
      'Shows whether the path or the process is slow.',
      'Allow the old node again.',
    ),
  ],
  network_loss: [NETWORK, POLICIES, FIX_CONFIGURATION],
  dependency_failure: [
    LOGS,
    POLICIES,
    DESCRIBE,
    propose(
      'R2',
      'Restore the instance or the endpoint that {service} lacks.',
      'Calls fail until one is ready.',
      'Undo the single change made.',
    ),
  ],
  database: [
    check(
      'List long-running statements and locks of the database at {service}.',
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
  dns: [
    check(
      'Look up the names that {service} asks for, as it does.',
      'A name without an entry does not resolve.',
      '{kubectl} get services',
    ),
    inCluster(
      check(
        'Look at the cluster DNS pods.',
        'When they fail, every name fails.',
        'kubectl -n kube-system get pods -l k8s-app=kube-dns',
      ),
    ),
    FIX_CONFIGURATION,
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
      'List what {service} is allowed to do, and as whom it runs.',
      'Shows which right is missing.',
      '{kubectl} get serviceaccounts,rolebindings',
    ),
    propose('R2', 'Restore the missing right of {service}.', 'It is refused until then.', 'Remove the right again.'),
  ],
  external_provider: [
    LOGS,
    check('Look at the status page of the provider behind {service}.', 'The fault may be theirs.'),
    propose(
      'R2',
      'Switch the callers of {service} to their fallback, if they have one.',
      'Calls fail until the provider is back.',
      'Switch back.',
    ),
  ],
} as const satisfies Readonly<Record<string, readonly CatalogueStep[]>>;
