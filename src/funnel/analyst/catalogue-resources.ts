import {
  CPU,
  HISTORY,
  LOGS,
  MEMORY,
  NODES,
  PODS,
  RESTART,
  ROLL_BACK,
  SCALE_OUT,
  check,
  propose,
} from './catalogue-steps.ts';
import type { CatalogueStep } from './catalogue-steps.ts';

/** Something that a service has only so much of is used up. */
export const RESOURCE_ACTIONS = {
  cpu_saturation: [CPU, HISTORY, SCALE_OUT, ROLL_BACK],
  memory_exhaustion: [
    MEMORY,
    HISTORY,
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
      'Find what fills the disk of {service}.',
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
      'Look at disk time and queue under {service}.',
      'Shows which device is busy.',
      'rate(node_disk_io_time_seconds_total[5m])',
    ),
    PODS,
    propose(
      'R2',
      'Move the heaviest writer away from the disk of {service}.',
      'Separates neighbours that share a disk.',
      'Let it write there again.',
    ),
  ],
  connection_exhaustion: [
    check(
      'Compare open connections of {service} with the limit of its pool and of the server.',
      'Tells a leak from a burst or a limit that is too low.',
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
  queue_backlog: [
    check(
      'Compare rates of producing and consuming of {service}, and the age of its oldest message.',
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
  quota: [
    check(
      'Compare the quota that {service} runs into with its use.',
      'Shows which resource is used up.',
      '{kubectl} describe resourcequota',
    ),
    PODS,
    propose(
      'R2',
      'Raise the quota, or lower the requests of {service}.',
      'It is refused until then.',
      'Set the quota back to its present value.',
    ),
  ],
} as const satisfies Readonly<Record<string, readonly CatalogueStep[]>>;
