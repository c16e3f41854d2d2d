/**
 * Id of a sub-agent and of its session: the session it works for, the turn it was ordered in, its place among the tasks (from 1). No other id holds
 * a dot, so the parent can be read back from it; legal as a job id of BullMQ.
 */
export function subAgentId(parentSessionId: string, turn: number, place: number): string {
  return `${parentSessionId}.${turn}.${place}`;
}

/** Id of the parent's session; undefined when the id is not a sub-agent's. */
export function parentOf(id: string): string | undefined {
  const dot = id.indexOf('.');
  return dot < 0 ? undefined : id.slice(0, dot);
}

/** In the order in which they were ordered. */
export function compareSubAgents(a: string, b: string): number {
  const [turnOfA, placeOfA] = numbersOf(a);
  const [turnOfB, placeOfB] = numbersOf(b);
  return turnOfA - turnOfB || placeOfA - placeOfB;
}

function numbersOf(id: string): readonly [turn: number, place: number] {
  const [, turn = '0', place = '0'] = id.split('.');
  return [Number(turn), Number(place)];
}
