import type { RootCauseType } from './root-cause-type.ts';

/**
 * One explanation that competes for being the cause. Formed by code from the ranking and the brief, tested by agents, settled by code.
 * Ids of evidence only: guidance (skills, memory, earlier incidents) never stands here.
 */
export interface Hypothesis {
  /** `H1` is the leader at the start. */
  readonly id: string;
  /** Null: nothing in this system, such as load from outside or a false alarm. */
  readonly service: string | null;
  readonly type: RootCauseType;
  /** One sentence that evidence can support or contradict. */
  readonly statement: string;
  readonly supporting: readonly string[];
  readonly contradicting: readonly string[];
}
