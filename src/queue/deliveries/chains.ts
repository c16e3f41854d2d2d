import type { Redis } from 'ioredis';
import { z } from 'zod';
import type { ContentName, DeliveryHandle, DeliveryRecord } from '../../domain/delivery.ts';
import type { Replicas } from '../../platform/redis-replicas.ts';
import { CLAIM, OPEN, RENEW, REOPEN, REST, SETTLE } from './chain-scripts.ts';
import { backlogKey, chainKey, destinationsKey, gaveUpKey, KEEP_SECONDS, rankOf, type ChainKey } from './keys.ts';

export type Claim =
  | {
      readonly kind: 'claimed';
      readonly content: ContentName;
      /** This one included. */
      readonly attempts: number;
      /** Workers that died over it. */
      readonly crashes: number;
      readonly mayHavePosted: boolean;
      /** Since the first attempt, of what it replaces, too. */
      readonly ageMs: number;
      /** Of the newest post about the subject that was told here. */
      readonly handle: DeliveryHandle | undefined;
      /** The newest content that was told here, notices aside. */
      readonly told: ContentName | undefined;
    }
  /** Somebody else is at the chain. */
  | { readonly kind: 'held'; readonly forMs: number }
  /** What is next is not due yet. */
  | { readonly kind: 'wait'; readonly forMs: number }
  /** Nothing is left to tell. */
  | { readonly kind: 'idle' };

export interface ClaimTimes {
  readonly claimMs: number;
  readonly longestWaitMs: number;
  /** For which `resolved` waits for a report. */
  readonly reportWaitMs: number;
}

export interface Settlement {
  readonly state: DeliveryRecord['state'];
  readonly reason?: string;
  readonly handle?: DeliveryHandle;
  /** An attempt so far may have posted. */
  readonly mayHavePosted: boolean;
  /** Until the next attempt, when it is pending. */
  readonly afterMs?: number;
}

const Content = z.string().transform((name) => name as ContentName);
const Handle = z.record(z.string(), z.string());
const ClaimReply = z.union([
  z.tuple([z.literal('idle')]),
  z.tuple([z.enum(['held', 'wait']), z.number()]),
  z.tuple([z.literal('claimed'), Content, z.number(), z.number(), z.number(), z.number(), z.string(), z.string()]),
]);
const Reopened = z.tuple([z.number()]).rest(Content);
const Stored = z.object({
  rank: z.coerce.number(),
  state: z.enum(['pending', 'posting', 'delivered', 'gave-up', 'superseded']),
  attempts: z.coerce.number().default(0),
  reason: z.string().optional(),
  handle: z.string().optional(),
  updatedAtMs: z.coerce.number().default(0),
});

/** Until a claim is tried again that too few replicas have. */
const UNKEPT_MS = 2000;

/** What is told of one subject at one destination: its contents in order, and the state of each. The caller owns and closes the connection. */
export class DeliveryChains {
  readonly #redis: Redis;
  readonly #prefix: string;
  readonly #replicas: Replicas | undefined;

  /** `replicas`: those that have to know of a claim before it counts. */
  constructor(redis: Redis, prefix: string, replicas?: Replicas) {
    this.#redis = redis;
    this.#prefix = prefix;
    this.#replicas = replicas;
  }

  /** Adds a content unless the chain has it. A new chain tells nothing for `holdMs`; what is resolved by then is never told. */
  async open(key: ChainKey, content: ContentName, holdMs: number): Promise<void> {
    const keys = [...this.#keys(key), destinationsKey(this.#prefix)];
    const args = [content, rankOf(content) ?? '', key.destination, holdMs];
    await this.#redis.eval(OPEN, keys.length, ...keys, key.subjectId, KEEP_SECONDS, ...args);
  }

  async claim(key: ChainKey, token: string, { claimMs, longestWaitMs, reportWaitMs }: ClaimTimes): Promise<Claim> {
    const writing = await this.#replicas?.begin();
    const reply = ClaimReply.parse(await this.#run(CLAIM, key, [token, claimMs, longestWaitMs, reportWaitMs]));
    if (reply[0] === 'idle') return { kind: 'idle' };
    if (reply[0] !== 'claimed') return { kind: reply[0], forMs: reply[1] };
    const [kind, content, attempts, crashes, mayHavePosted, ageMs, handle, told] = reply;
    if (writing && !(await writing.isKept())) {
      const reason = 'too few replicas of Redis know that it is claimed';
      const settlement = { state: 'pending', reason, mayHavePosted: mayHavePosted === 1, afterMs: UNKEPT_MS } as const;
      await this.settle(key, token, settlement);
      return { kind: 'wait', forMs: UNKEPT_MS };
    }
    return {
      kind,
      content,
      attempts,
      crashes,
      mayHavePosted: mayHavePosted === 1,
      ageMs,
      handle: readHandle(handle),
      told: told === '' ? undefined : (told as ContentName),
    };
  }

  /** False when the claim ran out and somebody else took it. */
  async renew(key: ChainKey, token: string, claimMs: number): Promise<boolean> {
    return (await this.#run(RENEW, key, [token, claimMs])) === 1;
  }

  /** Says whether the owner of the claim waits for its turn: a worker that dies then does not speak against the delivery. False when the claim was lost. */
  async rest(key: ChainKey, token: string, waits: boolean): Promise<boolean> {
    return (await this.#run(REST, key, [token, waits ? 1 : 0])) === 1;
  }

  /** False when the claim was lost: what happened meanwhile is the new owner's to tell. */
  async settle(key: ChainKey, token: string, settlement: Settlement): Promise<boolean> {
    const { state, reason = '', handle, mayHavePosted, afterMs = 0 } = settlement;
    const values = [state, reason, handle ? JSON.stringify(handle) : '', mayHavePosted ? 1 : 0, Math.ceil(afterMs)];
    return (await this.#run(SETTLE, key, [token, ...values])) === 1;
  }

  /** Makes pending again what was given up. Returns its names, and a number that counts the calls. */
  async reopen(key: ChainKey): Promise<{ readonly contents: readonly ContentName[]; readonly round: number }> {
    const [round, ...contents] = Reopened.parse(await this.#run(REOPEN, key, []));
    return { contents, round };
  }

  /** In the order of the chain. */
  async records(key: ChainKey): Promise<readonly DeliveryRecord[]> {
    const fields = await this.#redis.hgetall(chainKey(this.#prefix, key));
    const contents = new Map<string, Record<string, string>>();
    const dueAtMs = Math.max(Number(fields['@notBeforeMs'] ?? 0), Number(fields['@dueMs'] ?? 0));
    for (const [path, value] of Object.entries(fields)) {
      const [content = '', field] = path.split('|');
      if (field !== undefined) contents.set(content, { ...contents.get(content), [field]: value });
    }
    return [...contents]
      .flatMap(([content, stored]) => {
        const { success, data } = Stored.safeParse(stored);
        return success ? [{ content: content as ContentName, ...data }] : [];
      })
      .toSorted((a, b) => a.rank - b.rank)
      .map(({ rank: _rank, handle, reason, ...rest }) => ({
        destination: key.destination,
        ...rest,
        reason: reason || undefined,
        handle: readHandle(handle ?? ''),
        ...(rest.state === 'pending' && dueAtMs > 0 ? { dueAtMs } : {}),
      }));
  }

  #run(script: string, key: ChainKey, args: readonly (string | number)[]): Promise<unknown> {
    const keys = this.#keys(key);
    return this.#redis.eval(script, keys.length, ...keys, key.subjectId, KEEP_SECONDS, ...args);
  }

  #keys(key: ChainKey): readonly string[] {
    const { destination } = key;
    return [chainKey(this.#prefix, key), backlogKey(this.#prefix, destination), gaveUpKey(this.#prefix, destination)];
  }
}

function readHandle(json: string): DeliveryHandle | undefined {
  return json === '' ? undefined : Handle.parse(JSON.parse(json));
}
