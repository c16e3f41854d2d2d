import type { Counts } from './counts.ts';

export type ScenarioId = 'R1' | 'R2' | 'R3' | 'R4' | 'R5' | 'R6' | 'R7' | 'R8' | 'R9' | 'R10' | 'R11' | 'R12';

/** What a scenario is given: nothing else may differ between two runs of one seed but the timing of the machine. */
export interface Trial {
  readonly counts: Counts;
  readonly random: () => number;
  /** Progress, for people. */
  readonly say: (line: string) => void;
}

export interface Outcome {
  /** What was done and seen, in the order to show it. Times are reported and never judged. */
  readonly seen: Readonly<Record<string, number | string>>;
  /** What must not be, one line each. Empty: the scenario held. */
  readonly failures: readonly string[];
}

export interface Scenario {
  readonly id: ScenarioId;
  readonly title: string;
  /** `cpu`: starts and kills all the time. `wait`: waits most of the time, so that it may run beside one of the others. */
  readonly lane: 'cpu' | 'wait';
  readonly run: (trial: Trial) => Promise<Outcome>;
}
