import type { Redis } from 'ioredis';
import { spendKey } from './keys.ts';

/** A run that begins before midnight and is resumed after it finds its reservation in the day before. */
const TTL_SECONDS = 3 * 86_400;
const DAY_MS = 86_400_000;
const MICROS = 1e6;

/** What all investigations of a day (UTC) may cost together. */
export interface DaySpend {
  /**
   * Sets aside what an investigation may cost at most; false when the day's cap does not allow it. One that has a reservation keeps it: a resumed run
   * is asked no second time.
   */
  reserve(incidentId: string, usd: number): Promise<boolean>;
  /** Books what it really cost, and gives the rest of its reservation back. Without a reservation nothing happens. */
  settle(incidentId: string, usd: number): Promise<void>;
}

/**
 * KEYS: today's and yesterday's hash. ARGV: incident, amount and cap (millionths), ttl (s). Fields: `total`, and an investigation each: its
 * reservation. Returns 1 when the amount is reserved.
 */
const RESERVE = `
if redis.call('HEXISTS', KEYS[1], ARGV[1]) == 1 or redis.call('HEXISTS', KEYS[2], ARGV[1]) == 1 then return 1 end
local total = tonumber(redis.call('HGET', KEYS[1], 'total') or '0')
if total + tonumber(ARGV[2]) > tonumber(ARGV[3]) then return 0 end
redis.call('HSET', KEYS[1], ARGV[1], ARGV[2])
redis.call('HINCRBY', KEYS[1], 'total', ARGV[2])
redis.call('EXPIRE', KEYS[1], ARGV[4])
return 1
`;

/** KEYS as above. ARGV: incident, amount (millionths). Books it on the day of the reservation. */
const SETTLE = `
for _, key in ipairs(KEYS) do
  local reserved = redis.call('HGET', key, ARGV[1])
  if reserved then
    redis.call('HINCRBY', key, 'total', ARGV[2] - reserved)
    redis.call('HDEL', key, ARGV[1])
    return
  end
end
`;

type Script = (today: string, yesterday: string, ...args: (string | number)[]) => Promise<number>;

/** Shared by all processes. The caller owns and closes the connection. */
export function createDaySpend(redis: Redis, prefix: string, capUsd: number, now: () => number): DaySpend {
  redis.defineCommand('rootnoteReserve', { numberOfKeys: 2, lua: RESERVE });
  redis.defineCommand('rootnoteSettle', { numberOfKeys: 2, lua: SETTLE });
  const { rootnoteReserve, rootnoteSettle } = redis as unknown as { rootnoteReserve: Script; rootnoteSettle: Script };
  const days = (): [string, string] => [spendKey(prefix, dayOf(now())), spendKey(prefix, dayOf(now() - DAY_MS))];
  return {
    reserve: async (incidentId, usd) => {
      const amounts = [micros(usd), micros(capUsd)];
      return (await rootnoteReserve.call(redis, ...days(), fieldOf(incidentId), ...amounts, TTL_SECONDS)) === 1;
    },
    settle: async (incidentId, usd) => {
      await rootnoteSettle.call(redis, ...days(), fieldOf(incidentId), micros(usd));
    },
  };
}

/** `2026-11-30`, in UTC. */
function dayOf(ms: number): string {
  return new Date(ms).toISOString().slice(0, 10);
}

/** No incident is called `total`, but a check might. */
function fieldOf(incidentId: string): string {
  return `reserved:${incidentId}`;
}

function micros(usd: number): number {
  return Math.ceil(usd * MICROS);
}
