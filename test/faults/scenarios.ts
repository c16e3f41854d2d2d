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
import { killWorkers } from './worker-kills.ts';

/** In the order in which they are shown. */
export const SCENARIOS: readonly Scenario[] = [
  { id: 'R1', title: 'workers killed while they work', lane: 'workers', run: killWorkers },
  { id: 'R2', title: 'workers killed at each step of a post', lane: 'posts', run: killAroundPosts },
  { id: 'R3', title: 'Redis killed under writers', lane: 'outage', run: killRedis('everysec') },
  { id: 'R4', title: 'Redis killed under writers, appendfsync always', lane: 'stores', run: killRedis('always') },
  { id: 'R5', title: 'Redis frozen under load', lane: 'outage', run: freezeRedis },
  { id: 'R6', title: 'Redis absent at boot, and away later', lane: 'stores', run: removeRedis },
  { id: 'R7', title: 'SIGTERM during work, and without Redis', lane: 'posts', run: terminate },
  { id: 'R8', title: 'receiver killed in the midst of requests', lane: 'workers', run: killReceiver },
  { id: 'R9', title: 'lock lost while a job runs', lane: 'stores', run: loseLocks },
  { id: 'R10', title: 'replicas of the scheduler, simultaneous boots', lane: 'outage', run: tickAndBoot },
  { id: 'R11', title: 'poison', lane: 'workers', run: poison },
  { id: 'R12', title: 'model away, writes refused, rude destinations, soak', lane: 'model', run: sufferOutages },
];
