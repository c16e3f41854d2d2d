import type { Redis } from 'ioredis';
import { REPORT_TTL_SECONDS } from './keys.ts';

/**
 * KEYS[1]: an incident's updates. ARGV: cause, news, time to live (s). Returns the number of the cause: the next one, or the one it has.
 */
const ALLOT = `
local known = redis.call('HGET', KEYS[1], 'number:' .. ARGV[1])
if known then return tonumber(known) end
local number = redis.call('HINCRBY', KEYS[1], 'count', 1)
redis.call('HSET', KEYS[1], 'number:' .. ARGV[1], number, 'news:' .. number, ARGV[2])
redis.call('EXPIRE', KEYS[1], ARGV[3])
return number
`;

/** KEYS[1]: a round. ARGV: job, time to live (s). */
const TAKE_ROUND = `
redis.call('SET', KEYS[1], ARGV[1], 'NX', 'EX', ARGV[2])
return redis.call('GET', KEYS[1]) == ARGV[1] and 1 or 0
`;
/** A job that is given up leaves its round to the next one after so long. */
const ROUND_TTL_SECONDS = 3600;

/** What is told of an incident after its report, in one sequence for whatever has something to tell. */
export interface UpdateStore {
  /** Number of a piece of news, from 1, for `update-<number>`. A cause that comes again has the number and the words that it had first. */
  allot(incidentId: string, cause: string, news: string): Promise<number>;
  /** Takes a round of an incident for one job, which has it also when it starts again; false when another job has it. */
  takeRound(workId: string, jobId: string): Promise<boolean>;
  /** The job that has taken a round; undefined when none has. */
  jobOf(workId: string): Promise<string | undefined>;
  /** Undefined when there is no such update, or no more. */
  newsOf(incidentId: string, number: number): Promise<string | undefined>;
}

/** `news` is redacted by whoever writes it. The caller owns and closes the connection. */
export function createUpdateStore(redis: Redis, prefix: string): UpdateStore {
  const keyOf = (incidentId: string) => `${prefix}:updates:${incidentId}`;
  return {
    allot: async (incidentId, cause, news) =>
      (await redis.eval(ALLOT, 1, keyOf(incidentId), cause, news, REPORT_TTL_SECONDS)) as number,
    takeRound: async (workId, jobId) =>
      (await redis.eval(TAKE_ROUND, 1, `${prefix}:round:${workId}`, jobId, ROUND_TTL_SECONDS)) === 1,
    jobOf: async (workId) => (await redis.get(`${prefix}:round:${workId}`)) ?? undefined,
    newsOf: async (incidentId, number) => (await redis.hget(keyOf(incidentId), `news:${number}`)) ?? undefined,
  };
}
