/** What the scheduler adds after the reasons: that others can make no room either. */
const AFTERTHOUGHT = /\.? (?:no new claims to deallocate, )?preemption: .*$/s;

/** Why a pod found no node, without what the scheduler says of preemption; any other message as it is. */
export function withoutPreemption(message: string): string {
  return /^\d+\/\d+ nodes are available: /.test(message) ? message.replace(AFTERTHOUGHT, '') : message;
}
