import type { Clue } from './clue.ts';

/** Clues below this are everyday noise and make no pattern. */
const NOTABLE = 0.2;
/** What is left for a callee whose caller loses time on the way to others as well. */
const OTHER_END = 0.4;

/**
 * Time lost on the way lies at one of two ends. A slow network at one service shows on all of its calls, made and received, so the end that more of
 * the slow calls share is blamed: a caller whose calls to several callees lose time takes the blame from them. Takes one clue a slow call, each
 * naming its caller; those that name none pass through.
 */
export function blameCommonEnd(clues: readonly Clue[]): Clue[] {
  const slow = new Set(
    clues.filter(({ strength, rootCauseType }) => strength >= NOTABLE && rootCauseType === 'network_latency'),
  );
  const peers = new Map<string, Set<string>>();
  const meet = (service: string, peer: string) => peers.set(service, (peers.get(service) ?? new Set()).add(peer));
  for (const { service, caller } of slow) {
    if (caller === undefined) continue;
    meet(service, caller);
    meet(caller, service);
  }
  const ends = (service: string) => peers.get(service)?.size ?? 0;
  return clues.flatMap((clue) => {
    const { caller, service } = clue;
    if (caller === undefined || !slow.has(clue) || ends(caller) <= ends(service)) return [clue];
    return [
      { ...clue, strength: OTHER_END * clue.strength },
      { ...clue, service: caller, caller: service },
    ];
  });
}
