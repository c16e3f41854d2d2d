import type { AgentTurn } from './scripted-agents.ts';

interface Asked extends AgentTurn {
  /** Number of the process that asked. */
  readonly process: number;
}

/** Counts, at the model, what is asked again and by whom it had been asked before. */
export interface RequestLedger {
  add(asked: AgentTurn, process: number): void;
  /** Requests by agent and turn, each counted once. */
  distinct(): number;
  /** Requests that were made again. */
  repeated(): number;
  /** Most requests that were made again after the death of one process. */
  worstOfOneKill(): number;
  /** The same, of one investigation. */
  worstOfOneKillAndInvestigation(): number;
  /** Agents that went back by more than the answer that was on its way: finished work was done again. */
  wentBack(): readonly string[];
}

export function createRequestLedger(): RequestLedger {
  const lastAsker = new Map<string, number>();
  const latestTurn = new Map<string, number>();
  const again: Asked[] = [];
  const back: string[] = [];
  const worst = (keyOf: (asked: Asked) => string) => {
    const counts = new Map<string, number>();
    for (const asked of again) counts.set(keyOf(asked), (counts.get(keyOf(asked)) ?? 0) + 1);
    return Math.max(0, ...counts.values());
  };
  return {
    add: (asked, process) => {
      const key = `${asked.agent}#${asked.turn}`;
      const latest = latestTurn.get(asked.agent) ?? -1;
      const earlier = lastAsker.get(key);
      if (asked.turn < latest) back.push(key);
      else if (earlier !== undefined) again.push({ ...asked, process: earlier });
      latestTurn.set(asked.agent, Math.max(latest, asked.turn));
      lastAsker.set(key, process);
    },
    distinct: () => lastAsker.size,
    repeated: () => again.length + back.length,
    worstOfOneKill: () => worst(({ process }) => String(process)),
    worstOfOneKillAndInvestigation: () => worst(({ process, caseName }) => `${process} ${caseName}`),
    wentBack: () => back,
  };
}
