import type { Redis } from 'ioredis';
import type { AgentCheckpoint, CheckpointSlot } from '../agent/checkpoint.ts';
import type { SubAgentOrder, SubAgentOutcome } from '../agent/sub-agents/port.ts';
import type { InvestigationState, Journal } from '../investigate/journal.ts';
import type { Logger } from '../platform/logger.ts';
import { resumeKey } from './keys.ts';

/** Nobody continues an investigation that has stood still for a day. */
const TTL_SECONDS = 86_400;
/** How long a run waits for one save before it goes on without. */
const SAVE_WAIT_MS = 2000;

/**
 * Writes a field if another one is there, so that nothing comes back to life after the report was stored. With `once`, what is there stands.
 * KEYS[1]: the investigation's hash. ARGV: required field, field, value, ttl (s), `once` or ''. Returns 1 when it was written, 0 when something stood there,
 * -1 when the required field is gone.
 */
const WRITE_IF = `
if redis.call('HEXISTS', KEYS[1], ARGV[1]) == 0 then return -1 end
redis.call('EXPIRE', KEYS[1], ARGV[4])
if ARGV[5] == 'once' then return redis.call('HSETNX', KEYS[1], ARGV[2], ARGV[3]) end
redis.call('HSET', KEYS[1], ARGV[2], ARGV[3])
return 1
`;
type WriteIf = (
  key: string,
  required: string,
  field: string,
  value: string,
  ttl: number,
  once: string,
) => Promise<number>;

/** Of orders: `gone` when the investigation ended without the sub-agent. */
export type Placed = 'placed' | 'known' | 'gone';

/**
 * What an investigation needs to go on in another process: one hash an investigation, gone with its report or after a day. Texts in it are redacted by
 * whoever writes them.
 */
export interface ResumeStore {
  journal(incidentId: string): Journal;
  loadState(incidentId: string): Promise<InvestigationState | undefined>;
  /** The first order under an id stands. */
  placeOrder(incidentId: string, order: SubAgentOrder): Promise<Placed>;
  /** Undefined once nobody waits for it any more. */
  getOrder(incidentId: string, orderId: string): Promise<SubAgentOrder | undefined>;
  /** The first outcome of an order stands: true when it is this one. */
  settle(incidentId: string, orderId: string, outcome: SubAgentOutcome): Promise<boolean>;
  getOutcomes(incidentId: string, orderIds: readonly string[]): Promise<readonly (SubAgentOutcome | undefined)[]>;
  /** `onGone` is called when nobody waits for the sub-agent any more. */
  checkpoints(incidentId: string, orderId: string, onGone: () => void): CheckpointSlot;
  /** The report is stored: nothing is left to continue. */
  clear(incidentId: string): Promise<void>;
}

/** The caller owns and closes the connection. */
export function createResumeStore(redis: Redis, prefix: string, log: Logger): ResumeStore {
  redis.defineCommand('rootnoteWriteIf', { numberOfKeys: 1, lua: WRITE_IF });
  const writeIf = (redis as unknown as { rootnoteWriteIf: WriteIf }).rootnoteWriteIf.bind(redis);
  const write = (incidentId: string, required: string, field: string, value: unknown, once = '') =>
    writeIf(resumeKey(prefix, incidentId), required, field, JSON.stringify(value), TTL_SECONDS, once);
  const read = async <T>(incidentId: string, field: string): Promise<T | undefined> => {
    const json = await redis.hget(resumeKey(prefix, incidentId), field);
    return json === null ? undefined : (JSON.parse(json) as T);
  };
  const warnOnce = createWarning(log);

  return {
    journal: (incidentId) => ({
      load: () => read<InvestigationState>(incidentId, 'state'),
      save: patiently(async (state: InvestigationState) => {
        const key = resumeKey(prefix, incidentId);
        await redis.multi().hset(key, 'state', JSON.stringify(state)).expire(key, TTL_SECONDS).exec();
      }, warnOnce),
      main: {
        load: () => read<AgentCheckpoint>(incidentId, 'main'),
        save: patiently(async (checkpoint: AgentCheckpoint) => {
          await write(incidentId, 'state', 'main', checkpoint);
        }, warnOnce),
      },
    }),
    loadState: (incidentId) => read(incidentId, 'state'),
    placeOrder: async (incidentId, order) => {
      const written = await write(incidentId, 'state', `order:${order.id}`, order, 'once');
      if (written === -1) return 'gone';
      return written === 1 ? 'placed' : 'known';
    },
    getOrder: (incidentId, orderId) => read(incidentId, `order:${orderId}`),
    settle: async (incidentId, orderId, outcome) =>
      (await write(incidentId, `order:${orderId}`, `outcome:${orderId}`, outcome, 'once')) === 1,
    getOutcomes: async (incidentId, orderIds) => {
      if (orderIds.length === 0) return [];
      const found = await redis.hmget(resumeKey(prefix, incidentId), ...orderIds.map((id) => `outcome:${id}`));
      return found.map((json) => (json === null ? undefined : (JSON.parse(json) as SubAgentOutcome)));
    },
    checkpoints: (incidentId, orderId, onGone) => ({
      load: () => read(incidentId, `checkpoint:${orderId}`),
      save: patiently(async (checkpoint: AgentCheckpoint) => {
        const written = await write(incidentId, `order:${orderId}`, `checkpoint:${orderId}`, checkpoint);
        if (written === -1) onGone();
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
 * A save that never throws and never holds a run up for long. While one is stuck the next are skipped: the connection keeps what it could not
 * send, and must not keep a checkpoint a turn.
 */
function patiently<T>(save: (value: T) => Promise<void>, warn: (why: string) => void): (value: T) => Promise<void> {
  let stuck = false;
  return async (value) => {
    if (stuck) return;
    stuck = true;
    const saving = save(value)
      .catch((error: unknown) => warn(error instanceof Error ? error.message : String(error)))
      .finally(() => {
        stuck = false;
      });
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
