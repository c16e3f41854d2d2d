import { createHash } from 'node:crypto';
import type { Redis } from 'ioredis';
import { z } from 'zod';
import type { ContentName, DeliveryHandle, DeliveryRecord } from '../../domain/delivery.ts';

/** One thing to be told to one destination. */
export interface DeliveryKey {
  readonly incidentId: string;
  readonly content: ContentName;
  readonly destination: string;
}

export type Claim =
  | {
      readonly kind: 'claimed';
      readonly attempts: number;
      readonly crashes: number;
      readonly mayHavePosted: boolean;
      readonly ageMs: number;
    }
  /** Somebody else is at it. */
  | { readonly kind: 'held'; readonly forMs: number }
  | { readonly kind: 'settled' };

export interface Settlement {
  readonly state: DeliveryRecord['state'];
  readonly reason?: string;
  readonly handle?: DeliveryHandle;
  /** An attempt so far may have posted. */
  readonly mayHavePosted: boolean;
}

const KEEP_SECONDS = 90 * 86_400;

/**
 * KEYS[1] record; ARGV: token, claim ms, keep s. An unconfirmed claim that has run out means that its owner died between claim and
 * confirm: nobody knows whether it posted. All times are Redis's own, so that clocks of workers do not matter.
 */
const CLAIM = `
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local state = redis.call('HGET', KEYS[1], 'state')
if state == 'delivered' or state == 'gave-up' then return {'settled'} end
if state == 'posting' then
  local left = tonumber(redis.call('HGET', KEYS[1], 'claimUntilMs')) - now
  if left > 0 then return {'held', left} end
  redis.call('HINCRBY', KEYS[1], 'crashes', 1)
  redis.call('HSET', KEYS[1], 'mayHavePosted', 1)
end
redis.call('HSETNX', KEYS[1], 'firstAtMs', now)
redis.call('HSET', KEYS[1], 'state', 'posting', 'claim', ARGV[1], 'claimUntilMs', now + ARGV[2], 'updatedAtMs', now)
redis.call('EXPIRE', KEYS[1], ARGV[3])
return {'claimed', redis.call('HINCRBY', KEYS[1], 'attempts', 1), tonumber(redis.call('HGET', KEYS[1], 'crashes') or 0),
  tonumber(redis.call('HGET', KEYS[1], 'mayHavePosted') or 0), now - tonumber(redis.call('HGET', KEYS[1], 'firstAtMs'))}
`;

/** KEYS[1] record; ARGV: token, claim ms. 0 when the claim is somebody else's by now. */
const RENEW = `
if redis.call('HGET', KEYS[1], 'claim') ~= ARGV[1] then return 0 end
local time = redis.call('TIME')
redis.call('HSET', KEYS[1], 'claimUntilMs', time[1] * 1000 + math.floor(time[2] / 1000) + ARGV[2])
return 1
`;

/** KEYS[1] record; ARGV: token, state, reason, handle, mayHavePosted. Only the owner of the claim settles. */
const SETTLE = `
if redis.call('HGET', KEYS[1], 'claim') ~= ARGV[1] then return 0 end
local time = redis.call('TIME')
redis.call('HSET', KEYS[1], 'state', ARGV[2], 'reason', ARGV[3], 'handle', ARGV[4], 'mayHavePosted', ARGV[5],
  'updatedAtMs', time[1] * 1000 + math.floor(time[2] / 1000))
redis.call('HDEL', KEYS[1], 'claim', 'claimUntilMs')
return 1
`;

const ClaimReply = z.union([
  z.tuple([z.literal('settled')]),
  z.tuple([z.literal('held'), z.number()]),
  z.tuple([z.literal('claimed'), z.number(), z.number(), z.number(), z.number()]),
]);
const Stored = z.object({
  state: z.enum(['pending', 'posting', 'delivered', 'gave-up']),
  attempts: z.coerce.number().default(0),
  reason: z.string().optional(),
  handle: z.string().optional(),
  updatedAtMs: z.coerce.number().default(0),
});
const Handle = z.record(z.string(), z.string());

/** The state of every delivery. The caller owns and closes the connection. */
export class DeliveryRecords {
  readonly #redis: Redis;
  readonly #prefix: string;

  constructor(redis: Redis, prefix: string) {
    this.#redis = redis;
    this.#prefix = prefix;
  }

  /** Makes a pending record unless there is one. */
  async open(key: DeliveryKey): Promise<void> {
    await this.#redis.multi().hsetnx(this.#key(key), 'state', 'pending').expire(this.#key(key), KEEP_SECONDS).exec();
  }

  async claim(key: DeliveryKey, token: string, claimMs: number): Promise<Claim> {
    const reply = ClaimReply.parse(await this.#redis.eval(CLAIM, 1, this.#key(key), token, claimMs, KEEP_SECONDS));
    if (reply[0] === 'settled') return { kind: 'settled' };
    if (reply[0] === 'held') return { kind: 'held', forMs: reply[1] };
    const [, attempts, crashes, mayHavePosted, ageMs] = reply;
    return { kind: 'claimed', attempts, crashes, mayHavePosted: mayHavePosted === 1, ageMs };
  }

  /** False when the claim ran out and somebody else took it. */
  async renew(key: DeliveryKey, token: string, claimMs: number): Promise<boolean> {
    return (await this.#redis.eval(RENEW, 1, this.#key(key), token, claimMs)) === 1;
  }

  /** False when the claim was lost: what happened meanwhile is the new owner's to tell. */
  async settle(
    key: DeliveryKey,
    token: string,
    { state, reason, handle, mayHavePosted }: Settlement,
  ): Promise<boolean> {
    const values = [state, reason ?? '', handle ? JSON.stringify(handle) : '', mayHavePosted ? 1 : 0];
    return (await this.#redis.eval(SETTLE, 1, this.#key(key), token, ...values)) === 1;
  }

  async get(key: DeliveryKey): Promise<DeliveryRecord | undefined> {
    const stored = Stored.safeParse(await this.#redis.hgetall(this.#key(key)));
    if (!stored.success) return undefined;
    const { handle, reason, ...rest } = stored.data;
    return {
      destination: key.destination,
      content: key.content,
      ...rest,
      reason: reason || undefined,
      handle: handle ? Handle.parse(JSON.parse(handle)) : undefined,
    };
  }

  #key(key: DeliveryKey): string {
    return `${this.#prefix}:delivery:${deliveryId(key)}`;
  }
}

/** Job id and marker of a delivery: derived from data, without `:`, never all digits. */
export function deliveryId({ incidentId, content, destination }: DeliveryKey): string {
  const hash = createHash('sha256')
    .update(JSON.stringify([incidentId, content, destination]))
    .digest('hex');
  return `rn-${hash.slice(0, 24)}`;
}
