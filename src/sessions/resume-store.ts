import { randomUUID } from 'node:crypto';
import type { Redis } from 'ioredis';
import type { AgentCheckpoint, CheckpointSlot } from '../agent/checkpoint.ts';
import { usedBy } from '../agent/sub-agents/lost.ts';
import type { SubAgentOrder, SubAgentOutcome } from '../agent/sub-agents/port.ts';
import type { ModelUsage } from '../domain/session.ts';
import type { InvestigationState, Journal } from '../investigate/journal.ts';
import type { Logger } from '../platform/logger.ts';
import { resumeKey } from './keys.ts';

const ORDER = 'order:';
/** Nobody continues an investigation that has stood still for a day. */
const TTL_SECONDS = 86_400;
/** How long a run waits for one save before it goes on without. */
const SAVE_WAIT_MS = 2000;

/**
 * Writes a field if it may be written; what may not changes nothing.
 * KEYS[1]: the investigation's hash. ARGV: field, value, ttl (s), a field that must be there, one that must not be, and the owner ('' each: no matter).
 * Returns 1 when it was written, else 0.
 */
const WRITE_IF = `
local key, needed, barred, owner = KEYS[1], ARGV[4], ARGV[5], ARGV[6]
if needed ~= '' and redis.call('HEXISTS', key, needed) == 0 then return 0 end
if barred ~= '' and redis.call('HEXISTS', key, barred) == 1 then return 0 end
if owner ~= '' and redis.call('HGET', key, 'owner') ~= owner then return 0 end
redis.call('HSET', key, ARGV[1], ARGV[2])
redis.call('EXPIRE', key, ARGV[3])
return 1
`;
type WriteIf = (
  key: string,
  field: string,
  value: string,
  ttl: number,
  needed: string,
  barred: string,
  owner: string,
) => Promise<number>;

interface Condition {
  readonly needed?: string;
  readonly barred?: string;
  readonly owner?: string;
}

/**
 * Of orders: `known` when this very one was placed before, `taken` when another one stands under its id (the turn that had ordered it was lost before it was
 * kept), `gone` when the investigation ended without the sub-agent.
 */
export type Placed = 'placed' | 'known' | 'taken' | 'gone';

/** What the agents of an investigation had used when they were last heard of. */
export interface UsedSoFar {
  readonly main: ModelUsage;
  readonly subAgents: readonly ModelUsage[];
}

/**
 * What an investigation needs to go on in another process: one hash an investigation, gone with its report or after a day. Texts in it are redacted by
 * whoever writes them.
 */
export interface ResumeStore {
  /**
   * Whoever began with it last owns the investigation. What an earlier owner still saves (its lock was lost, and it has not noticed) is passed over, and nothing
   * can be saved after `clear`.
   */
  journal(incidentId: string): Journal;
  loadState(incidentId: string): Promise<InvestigationState | undefined>;
  /** The first order under an id stands. */
  placeOrder(incidentId: string, order: SubAgentOrder): Promise<Placed>;
  /** Undefined once nobody waits for it any more. */
  getOrder(incidentId: string, orderId: string): Promise<SubAgentOrder | undefined>;
  /** The first outcome of an order stands: true when it is this one. */
  settle(incidentId: string, orderId: string, outcome: SubAgentOutcome): Promise<boolean>;
  getOutcomes(incidentId: string, orderIds: readonly string[]): Promise<readonly (SubAgentOutcome | undefined)[]>;
  used(incidentId: string): Promise<UsedSoFar>;
  /** `onGone` is called when nobody waits for the sub-agent any more: the investigation is over, or the order has its outcome. */
  checkpoints(incidentId: string, orderId: string, onGone: () => void): CheckpointSlot;
  /** The report is stored: nothing is left to continue. */
  clear(incidentId: string): Promise<void>;
}

/** The caller owns and closes the connection. */
export function createResumeStore(redis: Redis, prefix: string, log: Logger): ResumeStore {
  redis.defineCommand('rootnoteWriteIf', { numberOfKeys: 1, lua: WRITE_IF });
  const writeIf = (redis as unknown as { rootnoteWriteIf: WriteIf }).rootnoteWriteIf.bind(redis);
  const write = async (incidentId: string, field: string, value: unknown, condition: Condition): Promise<boolean> => {
    const { needed = '', barred = '', owner = '' } = condition;
    const key = resumeKey(prefix, incidentId);
    return (await writeIf(key, field, JSON.stringify(value), TTL_SECONDS, needed, barred, owner)) === 1;
  };
  const read = async <T>(incidentId: string, field: string): Promise<T | undefined> => {
    const json = await redis.hget(resumeKey(prefix, incidentId), field);
    return json === null ? undefined : (JSON.parse(json) as T);
  };
  const warnOnce = createWarning(log);

  return {
    journal: (incidentId) => {
      const owner = randomUUID();
      let owned = false;
      const own = async () => {
        if (owned) return;
        const key = resumeKey(prefix, incidentId);
        await redis.multi().hset(key, 'owner', owner).expire(key, TTL_SECONDS).exec();
        owned = true;
      };
      return {
        load: async () => {
          // A Redis that refuses writes can still be read.
          await own().catch((error: unknown) => warnOnce(String(error)));
          return read<InvestigationState>(incidentId, 'state');
        },
        save: patiently(async (state: InvestigationState) => {
          await own();
          await write(incidentId, 'state', state, { owner });
        }, warnOnce),
        main: {
          load: () => read<AgentCheckpoint>(incidentId, 'main'),
          save: patiently(async (checkpoint: AgentCheckpoint) => {
            await write(incidentId, 'main', checkpoint, { needed: 'state', owner });
          }, warnOnce),
        },
      };
    },
    loadState: (incidentId) => read(incidentId, 'state'),
    placeOrder: async (incidentId, order) => {
      const field = ORDER + order.id;
      if (await write(incidentId, field, order, { needed: 'state', barred: field })) return 'placed';
      const standing = await read<SubAgentOrder>(incidentId, field);
      if (!standing) return 'gone';
      return standing.task === order.task ? 'known' : 'taken';
    },
    getOrder: (incidentId, orderId) => read(incidentId, ORDER + orderId),
    settle: (incidentId, orderId, outcome) => {
      const field = `outcome:${orderId}`;
      return write(incidentId, field, outcome, { needed: ORDER + orderId, barred: field });
    },
    getOutcomes: async (incidentId, orderIds) => {
      if (orderIds.length === 0) return [];
      const found = await redis.hmget(resumeKey(prefix, incidentId), ...orderIds.map((id) => `outcome:${id}`));
      return found.map((json) => (json === null ? undefined : (JSON.parse(json) as SubAgentOutcome)));
    },
    used: async (incidentId) => {
      const fields = await redis.hkeys(resumeKey(prefix, incidentId));
      const orderIds = fields.flatMap((field) => (field.startsWith(ORDER) ? field.slice(ORDER.length) : []));
      const usageOf = async (id: string) => {
        const outcome = await read<SubAgentOutcome>(incidentId, `outcome:${id}`);
        return outcome?.usage ?? usedBy(await read<AgentCheckpoint>(incidentId, `checkpoint:${id}`)).usage;
      };
      const main = usedBy(await read<AgentCheckpoint>(incidentId, 'main')).usage;
      return { main, subAgents: await Promise.all(orderIds.map(usageOf)) };
    },
    checkpoints: (incidentId, orderId, onGone) => ({
      load: () => read(incidentId, `checkpoint:${orderId}`),
      save: patiently(async (checkpoint: AgentCheckpoint) => {
        const waitedFor = { needed: ORDER + orderId, barred: `outcome:${orderId}` };
        if (!(await write(incidentId, `checkpoint:${orderId}`, checkpoint, waitedFor))) onGone();
      }, warnOnce),
    }),
    clear: async (incidentId) => {
      await redis.del(resumeKey(prefix, incidentId));
    },
  };
}

/** Redis that is away would be told of once a turn and investigation. */
function createWarning(log: Logger): (why: string) => void {
  let warned = false;
  return (why) => {
    if (!warned)
      log.warn(
        { err: why },
        'an investigation cannot be checkpointed; it goes on, and a crash would repeat more of it',
      );
    warned = true;
  };
}

/**
 * A save that never throws and never holds a run up for long. While one is stuck only the latest of the next ones is kept, to follow it: the connection
 * keeps what it could not send, and must not keep a checkpoint a turn.
 */
function patiently<T>(save: (value: T) => Promise<void>, warn: (why: string) => void): (value: T) => Promise<void> {
  let saving: Promise<void> | undefined;
  let next: { readonly value: T } | undefined;
  const saveAll = async () => {
    while (next) {
      const { value } = next;
      next = undefined;
      await save(value).catch((error: unknown) => warn(error instanceof Error ? error.message : String(error)));
    }
    saving = undefined;
  };
  return async (value) => {
    const isStuck = saving !== undefined;
    next = { value };
    saving ??= saveAll();
    if (isStuck) return;
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<void>((resolve) => {
      timer = setTimeout(() => {
        warn(`Redis gave no answer within ${SAVE_WAIT_MS} ms`);
        resolve();
      }, SAVE_WAIT_MS);
    });
    await Promise.race([saving, late]);
    clearTimeout(timer);
  };
}
