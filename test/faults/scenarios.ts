import { loseLocks } from './lost-locks.ts';
import { sufferOutages } from './outages.ts';
import { poison } from './poison.ts';
import { killAroundPosts } from './post-kills.ts';
import { killReceiver } from './receiver-kills.ts';
import { removeRedis } from './redis-absent.ts';
import { freezeRedis } from './redis-frozen.ts';
import { killRedis } from './redis-kills.ts';
import type { Scenario } from './scenario.ts';
import { tickAndBoot } from './schedules.ts';
import { terminate } from './sigterms.ts';
import type { Topology } from './topology.ts';
import { killWorkers } from './worker-kills.ts';

/** What `appendfsync` is good for shows at one server, whatever stands beside it. */
const ONE = ['single'] as const;
/** With Sentinels another server takes over: nobody is ever without Redis for long. */
const WITHOUT_SUCCESSOR = ['single', 'cluster'] as const;

/** In the order in which they are shown. */
export const SCENARIOS: readonly Scenario[] = [
  { id: 'R1', title: 'workers killed while they work', lane: 'workers', run: killWorkers },
  { id: 'R2', title: 'workers killed at each step of a post', lane: 'posts', run: killAroundPosts },
  { id: 'R3', title: 'Redis killed under writers', lane: 'outage', run: killRedis('everysec') },
  {
    id: 'R4',
    title: 'Redis killed under writers, appendfsync always',
    lane: 'stores',
    topologies: ONE,
    run: killRedis('always'),
  },
  { id: 'R5', title: 'Redis frozen under load', lane: 'outage', run: freezeRedis },
  {
    id: 'R6',
    title: 'Redis absent at boot, and away later',
    lane: 'stores',
    topologies: WITHOUT_SUCCESSOR,
    run: removeRedis,
  },
  { id: 'R7', title: 'SIGTERM during work, and without Redis', lane: 'posts', run: terminate },
  { id: 'R8', title: 'receiver killed in the midst of requests', lane: 'workers', run: killReceiver },
  { id: 'R9', title: 'lock lost while a job runs', lane: 'stores', run: loseLocks },
  { id: 'R10', title: 'replicas of the scheduler, simultaneous boots', lane: 'outage', run: tickAndBoot },
  { id: 'R11', title: 'poison', lane: 'workers', run: poison },
  { id: 'R12', title: 'model away, writes refused, rude destinations, soak', lane: 'model', run: sufferOutages },
];

/** Those that can go wrong where Redis is this. */
export function scenariosOn(topology: Topology): readonly Scenario[] {
  return SCENARIOS.filter(({ topologies }) => topologies?.includes(topology) ?? true);
}
