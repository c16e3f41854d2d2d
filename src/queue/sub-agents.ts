import { setTimeout as sleep } from 'node:timers/promises';
import type { Redis } from 'ioredis';
import type { RunSubAgents, SubAgentOrder, SubAgentOutcome } from '../agent/sub-agents/port.ts';
import { lost, usedBy } from '../agent/sub-agents/lost.ts';
import type { CurrentTraceparent } from '../domain/tracing.ts';
import type { Logger } from '../platform/logger.ts';
import type { ResumeStore } from '../sessions/resume-store.ts';
import { JOB_OPTIONS, SUB_AGENT_QUEUE, type SubAgentJobData, type SubAgentJobName } from './jobs.ts';
import { openQueue } from './open-queue.ts';
import { abortAfter } from '../domain/deadline.ts';

/** The outcome in Redis is the truth, so nothing is lost with a notification. One small read a waiting parent. */
const FIRST_POLL_MS = 50;
const SLOWEST_POLL_MS = 500;
/** Of a sub-agent's time, for it to be picked up and to tell. */
const WAIT_FACTOR = 1.1;
/** Redis may be away when a sub-agent is given up. */
const SETTLE_WAIT_MS = 2000;
const LATE = 'it gave no answer in time';

export interface QueuedSubAgents {
  /** Runs the orders of one investigation as jobs. Orders that are known already are not run again: their outcome is awaited, or there. */
  runnerFor(incidentId: string): RunSubAgents;
  /** Settles also when Redis was never reachable. Leaves the connection to its owner. */
  close(): Promise<void>;
}

export interface QueuedSubAgentsDeps {
  readonly redis: Redis;
  readonly prefix: string;
  readonly store: ResumeStore;
  readonly log: Logger;
  /** Told of each order that nobody answered in time. */
  readonly onLost: (order: SubAgentOrder, outcome: SubAgentOutcome, incidentId: string) => void;
  readonly currentTraceparent?: CurrentTraceparent;
}

/** The parent's side. The caller owns and closes the connection. */
export function createQueuedSubAgents(deps: QueuedSubAgentsDeps): QueuedSubAgents {
  const { redis, prefix, store, log, onLost } = deps;
  const queue = openQueue<SubAgentJobData, SubAgentJobName>(SUB_AGENT_QUEUE, redis, prefix, log);

  /** Why there is nothing to wait for; undefined when there is. */
  const submit = async (incidentId: string, order: SubAgentOrder): Promise<string | undefined> => {
    const placed = await store.placeOrder(incidentId, order);
    if (placed === 'gone') return 'the investigation is over';
    if (placed === 'taken') return 'a worker that is gone had ordered something else in its place';
    const [outcome] = placed === 'known' ? await store.getOutcomes(incidentId, [order.id]) : [];
    if (outcome) return undefined;
    const traceparent = deps.currentTraceparent?.();
    const data = { incidentId, orderId: order.id, ...(traceparent === undefined ? {} : { traceparent }) };
    await queue.add('run', data, { ...JOB_OPTIONS, jobId: order.id });
    return undefined;
  };

  /** The outcome that stands: lost, unless the sub-agent's own came in at the last moment. */
  const settleLost = async (incidentId: string, order: SubAgentOrder) => {
    const { usage, toolCalls } = usedBy(await store.checkpoints(incidentId, order.id, () => undefined).load());
    const outcome = lost(LATE, usage, toolCalls);
    if (await store.settle(incidentId, order.id, outcome)) onLost(order, outcome, incidentId);
    const [standing] = await store.getOutcomes(incidentId, [order.id]);
    return standing ?? outcome;
  };
  const giveUp = async (incidentId: string, order: SubAgentOrder): Promise<SubAgentOutcome> => {
    const outcome = lost(LATE);
    const settled = settleLost(incidentId, order).catch(() => outcome);
    return Promise.race([settled, sleep(SETTLE_WAIT_MS, outcome, { ref: false })]);
  };

  const runOrders = async (incidentId: string, orders: readonly SubAgentOrder[], signal: AbortSignal) => {
    const longestMs = Math.max(...orders.map(({ allowance }) => allowance.timeMs));
    const stop = abortAfter(signal, Math.ceil(longestMs * WAIT_FACTOR));
    const outcomes = new Map<string, SubAgentOutcome>();
    const submitAndWait = async () => {
      await Promise.all(
        orders.map(async (order) => {
          const refused = await submit(incidentId, order);
          if (refused !== undefined) outcomes.set(order.id, lost(refused));
        }),
      );
      await collect(store, incidentId, orders, outcomes, stop);
    };
    const ended = submitAndWait().catch((error: unknown) => {
      // As when Redis refuses writes: what has no outcome is given up, and the investigation goes on with the others.
      if (!stop.aborted) log.warn({ incidentId, err: String(error) }, 'sub-agents could not be waited for');
    });
    await untilAborted(ended, stop);
    signal.throwIfAborted();
    return Promise.all(orders.map(async (order) => outcomes.get(order.id) ?? giveUp(incidentId, order)));
  };
  return {
    runnerFor: (incidentId) => (orders, signal) => runOrders(incidentId, orders, signal),
    close: () => queue.close(),
  };
}

/** Adds outcomes as they come, until every order has one. Rejects when `stop` aborts. */
async function collect(
  store: ResumeStore,
  incidentId: string,
  orders: readonly SubAgentOrder[],
  outcomes: Map<string, SubAgentOutcome>,
  stop: AbortSignal,
): Promise<void> {
  for (let pauseMs = FIRST_POLL_MS; ; pauseMs = Math.min(SLOWEST_POLL_MS, pauseMs * 1.5)) {
    const open = orders.map(({ id }) => id).filter((id) => !outcomes.has(id));
    const found = await store.getOutcomes(incidentId, open);
    for (const [i, id] of open.entries()) {
      const outcome = found[i];
      if (outcome) outcomes.set(id, outcome);
    }
    if (outcomes.size >= orders.length) return;
    await sleep(pauseMs, undefined, { signal: stop });
  }
}

/** Settles with the work, or when the signal aborts: a command to a Redis that is away would be waited for as long as it is away. */
async function untilAborted(work: Promise<void>, signal: AbortSignal): Promise<void> {
  const aborted = new Promise<void>((resolve) => {
    if (signal.aborted) resolve();
    signal.addEventListener('abort', () => resolve(), { once: true });
  });
  await Promise.race([work, aborted]);
}
