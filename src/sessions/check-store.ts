import type { Redis } from 'ioredis';
import type { CheckOutcome } from '../domain/check.ts';
import type { TicksRead, TickState } from '../domain/check-ticks.ts';
import type { Incident } from '../domain/incident.ts';
import type { PendingJob } from '../intake/admission.ts';
import { readClockMs } from '../platform/redis-nodes.ts';
import { writeMember } from './admission/admission-store.ts';
import { ENDED_STAGES } from './incident-store.ts';
import {
  checkResultsKey,
  checkRunsKey,
  checkTicksKey,
  INCIDENT_TTL_SECONDS,
  incidentKey,
  outboxKey,
  REPORT_TTL_SECONDS,
} from './keys.ts';

/** What is remembered of a check that no scheduler looks at any more: ticks of longer ago are not counted as missed. */
const TICKS_TTL_SECONDS = 14 * 86_400;
const MOST_RESULTS = 100;
/** Behind all that alerts open, before what comes after a first report. */
const PRIORITY = 15;

/** What is known of scheduled checks by their names, across all processes. */
export interface CheckStore {
  /** Time of Redis, of a cluster that of the node with our keys. */
  nowMs(): Promise<number>;
  readTicks(name: string): Promise<TicksRead>;
  /**
   * Puts `state` in the place of what was read. With `incident`, the run of a tick is kept and in the outbox, or nothing of all this is. False when
   * another scheduler came first: read again.
   */
  advance(name: string, read: TicksRead, state: TickState, incident?: Incident): Promise<boolean>;
  /** Keeps how a run ended. Of the same tick the latest stands. */
  noteResult(name: string, outcome: CheckOutcome): Promise<void>;
  /** The newest result; with `beforeMs`, of a tick before that one: a run that starts again must not be compared with itself. */
  lastResult(name: string, beforeMs?: number): Promise<CheckOutcome | undefined>;
  /** Results of ticks after `sinceMs`, oldest first, 100 at most: what a digest tells. */
  resultsSince(name: string, sinceMs: number): Promise<readonly CheckOutcome[]>;
}

/**
 * KEYS: ticks, outbox, then incident and the list of runs. ARGV: what was read (''), what takes its place, its time to live (s); then of a run:
 * incident, id, time, time to live (s), member of the outbox, time before which runs are forgotten. Returns 2 when the run is new, 1 when only the
 * ticks have changed: a run that is known stays as it is.
 */
const ADVANCE = `
if (redis.call('GET', KEYS[1]) or '') ~= ARGV[1] then return 0 end
redis.call('SET', KEYS[1], ARGV[2], 'EX', ARGV[3])
if #KEYS == 2 or redis.call('EXISTS', KEYS[3]) == 1 then return 1 end
redis.call('HSET', KEYS[3], 'check', ARGV[4])
redis.call('EXPIRE', KEYS[3], ARGV[7])
redis.call('ZADD', KEYS[4], ARGV[6], ARGV[5])
redis.call('ZREMRANGEBYSCORE', KEYS[4], '-inf', ARGV[9])
local clock = redis.call('TIME')
redis.call('ZADD', KEYS[2], clock[1] * 1000 + math.floor(clock[2] / 1000), ARGV[8])
return 2
`;

/** `onHandedIn` is given the work of each new run, which is in the outbox. The caller owns and closes the connection. */
export function createCheckStore(
  redis: Redis,
  prefix: string,
  onHandedIn: (job: PendingJob) => void = () => undefined,
): CheckStore {
  return {
    nowMs: () => readClockMs(redis, outboxKey(prefix)),
    readTicks: async (name) => {
      const token = (await redis.get(checkTicksKey(prefix, name))) ?? '';
      const state = readState(token);
      return {
        token,
        state,
        isRunning: state?.last !== undefined && (await isRunning(redis, prefix, name, state.last)),
      };
    },
    advance: async (name, { token }, state, incident) => {
      const run = incident && runOf(prefix, incident);
      const keys = [checkTicksKey(prefix, name), outboxKey(prefix), ...(run?.keys ?? [])];
      const args = [token, JSON.stringify(state), TICKS_TTL_SECONDS, ...(run?.args ?? [])];
      const answer = await redis.eval(ADVANCE, keys.length, ...keys, ...args);
      if (answer === 2 && incident) onHandedIn(jobOf(incident));
      return answer !== 0;
    },
    noteResult: async (name, outcome) => {
      const key = checkResultsKey(prefix, name);
      const answers = await redis
        .multi()
        .zremrangebyscore(key, outcome.tickMs, outcome.tickMs)
        .zadd(key, outcome.tickMs, JSON.stringify(outcome))
        .zremrangebyrank(key, 0, -MOST_RESULTS - 1)
        .expire(key, REPORT_TTL_SECONDS)
        .exec();
      for (const [error] of answers ?? []) if (error) throw error;
    },
    lastResult: async (name, beforeMs) => {
      const most = beforeMs === undefined ? '+inf' : `(${beforeMs}`;
      const [newest] = await redis.zrevrangebyscore(checkResultsKey(prefix, name), most, '-inf', 'LIMIT', 0, 1);
      return newest === undefined ? undefined : readOutcome(newest);
    },
    resultsSince: async (name, sinceMs) =>
      (await redis.zrangebyscore(checkResultsKey(prefix, name), `(${sinceMs}`, '+inf')).map(readOutcome),
  };
}

/** Undefined for what cannot be read, too: the check begins anew then, where an error would keep every check of this scheduler from running. */
function readState(token: string): TickState | undefined {
  try {
    const state: unknown = JSON.parse(token || 'null');
    return typeof state === 'object' && state !== null ? (state as TickState) : undefined;
  } catch {
    return undefined;
  }
}

function readOutcome(json: string): CheckOutcome {
  return JSON.parse(json) as CheckOutcome;
}

/** A run that is forgotten has ended, and so has one with a result. */
async function isRunning(
  redis: Redis,
  prefix: string,
  name: string,
  { incidentId, tickMs }: NonNullable<TickState['last']>,
): Promise<boolean> {
  const [check, stage] = await redis.hmget(incidentKey(prefix, incidentId), 'check', 'stage');
  if (check == null || ENDED_STAGES.some((ended) => ended === stage)) return false;
  return (await redis.zcount(checkResultsKey(prefix, name), tickMs, tickMs)) === 0;
}

function jobOf({ id }: Incident): PendingJob {
  return { kind: 'investigate', incidentId: id, priority: PRIORITY };
}

/** Keys and arguments of the script for a run. */
function runOf(prefix: string, incident: Incident) {
  const { id, startsAtMs } = incident;
  return {
    keys: [incidentKey(prefix, id), checkRunsKey(prefix)],
    args: [
      JSON.stringify(incident),
      id,
      startsAtMs,
      INCIDENT_TTL_SECONDS,
      writeMember(jobOf(incident)),
      startsAtMs - INCIDENT_TTL_SECONDS * 1000,
    ],
  };
}
