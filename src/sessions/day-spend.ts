import type { Redis } from 'ioredis';
import { allowanceKey } from './keys.ts';

/** A run that begins before midnight and is resumed after it finds its reservation in the day before. */
const TTL_SECONDS = 3 * 86_400;
const HOUR_MS = 3_600_000;
const MICROS = 1e6;

/** What all investigations of a day or an hour (UTC) may cost together; or, with 1 for each, how many there may be. */
export interface DaySpend {
  /**
   * Sets aside what an investigation may cost at most; false when the cap does not allow it. One that has a reservation keeps it: a resumed run
   * is asked no second time.
   */
  reserve(incidentId: string, usd: number): Promise<boolean>;
  /** Books what it really cost, and gives the rest of its reservation back. Without a reservation nothing happens. */
  settle(incidentId: string, usd: number): Promise<void>;
}

/**
 * KEYS: the hash of this day or hour and of the one before. ARGV: incident, amount and cap (millionths), ttl (s). Fields: `total`, and an investigation each: its
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

export interface Allowance {
  /** Its cap is counted apart from those of others. */
  readonly name: 'spend' | 'hour-spend' | 'hour-runs';
  readonly cap: number;
}

/** Shared by all processes. The caller owns and closes the connection. */
export function createDaySpend(redis: Redis, prefix: string, capUsd: number, now: () => number): DaySpend {
  return createAllowance(redis, prefix, { name: 'spend', cap: capUsd }, now);
}

/** As `createDaySpend`, by the day or the hour. */
export function createAllowance(redis: Redis, prefix: string, { name, cap }: Allowance, now: () => number): DaySpend {
  redis.defineCommand('rootnoteReserve', { numberOfKeys: 2, lua: RESERVE });
  redis.defineCommand('rootnoteSettle', { numberOfKeys: 2, lua: SETTLE });
  const { rootnoteReserve, rootnoteSettle } = redis as unknown as { rootnoteReserve: Script; rootnoteSettle: Script };
  const periodMs = name === 'spend' ? 24 * HOUR_MS : HOUR_MS;
  const keyOf = (ms: number) => allowanceKey(prefix, name, nameOf(ms, periodMs));
  const periods = (): [string, string] => [keyOf(now()), keyOf(now() - periodMs)];
  return {
    reserve: async (incidentId, amount) => {
      const amounts = [micros(amount), micros(cap)];
      return (await rootnoteReserve.call(redis, ...periods(), fieldOf(incidentId), ...amounts, TTL_SECONDS)) === 1;
    },
    settle: async (incidentId, amount) => {
      await rootnoteSettle.call(redis, ...periods(), fieldOf(incidentId), micros(amount));
    },
  };
}

/** `2026-11-30` or `2026-11-30T07`, in UTC. */
function nameOf(ms: number, periodMs: number): string {
  return new Date(ms).toISOString().slice(0, periodMs === HOUR_MS ? 13 : 10);
}

/** No incident is called `total`, but a check might. */
function fieldOf(incidentId: string): string {
  return `reserved:${incidentId}`;
}

function micros(usd: number): number {
  return Math.ceil(usd * MICROS);
}
