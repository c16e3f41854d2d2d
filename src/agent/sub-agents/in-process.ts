import type { RunSubAgents, SubAgentOrder, SubAgentOutcome } from './port.ts';
import { lost } from './lost.ts';

/** Sub-agents without a queue: side by side in this process. A crash of one is its own. */
export function inProcess(
  runOrder: (order: SubAgentOrder, signal: AbortSignal) => Promise<SubAgentOutcome>,
): RunSubAgents {
  return async (orders, signal) => {
    const ended = await Promise.allSettled(orders.map((order) => runOrder(order, signal)));
    signal.throwIfAborted();
    return ended.map((one) => (one.status === 'fulfilled' ? one.value : lost(`it crashed: ${messageOf(one.reason)}`)));
  };
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
