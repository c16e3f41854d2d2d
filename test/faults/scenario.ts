import type { Counts } from './counts.ts';
import type { Topology } from './topology.ts';

export type ScenarioId = 'R1' | 'R2' | 'R3' | 'R4' | 'R5' | 'R6' | 'R7' | 'R8' | 'R9' | 'R10' | 'R11' | 'R12';

/** What a scenario is given: nothing else may differ between two runs of one seed but the timing of the machine. */
export interface Trial {
  readonly counts: Counts;
  readonly random: () => number;
  readonly topology: Topology;
  /** Progress, for people. */
  readonly say: (line: string) => void;
}

export interface Outcome {
  /** What was done and seen, in the order to show it. Times are reported and never judged. */
  readonly seen: Readonly<Record<string, number | string>>;
  /** What must not be, one line each. Empty: the scenario held. */
  readonly failures: readonly string[];
}

/** What runs one after the other; the lanes run beside each other, each scenario with a Redis, destinations and ports of its own. */
export const LANES = ['workers', 'posts', 'outage', 'stores', 'model'] as const;
export type Lane = (typeof LANES)[number];

export interface Scenario {
  readonly id: ScenarioId;
  readonly title: string;
  readonly lane: Lane;
  /** Where what goes wrong can go wrong. Absent: anywhere. */
  readonly topologies?: readonly Topology[];
  readonly run: (trial: Trial) => Promise<Outcome>;
}
