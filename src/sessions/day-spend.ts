import type { Redis } from 'ioredis';
import { allowanceKey } from './keys.ts';

/** A run that is resumed within a day finds its reservation in the hour or the day in which it began. */
const TTL_SECONDS = 3 * 86_400;
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
/** What is left of an investigation under way is kept for so long. */
const RESUMED_WITHIN_MS = DAY_MS;
const MICROS = 1e6;

/** What all investigations of a day or an hour (UTC) may cost together; or, with 1 for each, how many there may be. */
export interface DaySpend {
  /** Sets aside what an investigation may cost at most. One that has a reservation keeps it: a resumed run is counted no second time. */
  reserve(incidentId: string, usd: number): Promise<Reservation>;
  /** Books what it really cost, and gives the rest of its reservation back. Without a reservation nothing happens. */
  settle(incidentId: string, usd: number): Promise<void>;
}

/** `held`: it had been made before; `refused`: the cap does not allow it. */
export type Reservation = 'made' | 'held' | 'refused';
const ANSWERS: readonly Reservation[] = ['refused', 'held', 'made'];

/**
 * KEYS: the hash of this day or hour and of those before, newest first. ARGV: incident, amount and cap (millionths), ttl (s). Fields: `total`, and an investigation each: its
 * reservation. Returns 2 when the amount is reserved now, 1 when one is, 0 when the cap does not allow it.
 */
const RESERVE = `
for _, key in ipairs(KEYS) do
  if redis.call('HEXISTS', key, ARGV[1]) == 1 then return 1 end
end
local total = tonumber(redis.call('HGET', KEYS[1], 'total') or '0')
if total + tonumber(ARGV[2]) > tonumber(ARGV[3]) then return 0 end
redis.call('HSET', KEYS[1], ARGV[1], ARGV[2])
redis.call('HINCRBY', KEYS[1], 'total', ARGV[2])
redis.call('EXPIRE', KEYS[1], ARGV[4])
return 2
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

type Script = (keyCount: number, ...keysAndArguments: (string | number)[]) => Promise<number>;

export interface Allowance {
  /** Its cap is counted apart from those of others. */
  readonly name: 'spend' | 'hour-spend' | 'hour-runs';
  readonly cap: number;
}

/** Shared by all processes. The caller owns and closes the connection. */
export function createAllowance(redis: Redis, prefix: string, { name, cap }: Allowance, now: () => number): DaySpend {
  redis.defineCommand('rootnoteReserve', { lua: RESERVE });
  redis.defineCommand('rootnoteSettle', { lua: SETTLE });
  const { rootnoteReserve, rootnoteSettle } = redis as unknown as { rootnoteReserve: Script; rootnoteSettle: Script };
  const periodMs = name === 'spend' ? DAY_MS : HOUR_MS;
  const keys = () => {
    const nowMs = now();
    const count = Math.ceil(RESUMED_WITHIN_MS / periodMs) + 1;
    return Array.from({ length: count }, (_, back) => keyOf(nowMs - back * periodMs));
  };
  const keyOf = (ms: number) => allowanceKey(prefix, name, nameOf(ms, periodMs));
  return {
    reserve: async (incidentId, amount) => {
      const all = keys();
      const args = [fieldOf(incidentId), micros(amount), micros(cap), TTL_SECONDS];
      return ANSWERS[await rootnoteReserve.call(redis, all.length, ...all, ...args)] ?? 'refused';
    },
    settle: async (incidentId, amount) => {
      const all = keys();
      await rootnoteSettle.call(redis, all.length, ...all, fieldOf(incidentId), micros(amount));
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
