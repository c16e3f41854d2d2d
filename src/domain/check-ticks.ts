import type { UnrunTicks } from './check.ts';

/** What all schedulers together know about the ticks of one check. Times are whole UTC minutes, in epoch milliseconds. */
export interface TickState {
  /** Cron expression and time zone by which it was decided. */
  readonly schedule: string;
  /** What became of every tick up to this minute is decided. */
  readonly throughMs: number;
  /** The newest tick that was handed in. */
  readonly last?: HandedIn;
  /** Ticks since then that were not run: the next run tells them. */
  readonly unrun: readonly UnrunTicks[];
  /** With `post: digest`: the newest run that was handed in as a digest, or when the check was first seen. */
  readonly digestMs: number;
}

export interface HandedIn {
  readonly tickMs: number;
  readonly incidentId: string;
  /** When it was handed in, which is later than its minute when it was late. */
  readonly atMs: number;
  /** What it told of ticks before it. */
  readonly unrun: readonly UnrunTicks[];
}

/** The state of a check's ticks as it was read. */
export interface TicksRead {
  /** Undefined of a check that no scheduler has seen, or not for a long time. */
  readonly state: TickState | undefined;
  /** True while the newest run that was handed in has not ended. */
  readonly isRunning: boolean;
  /** What stands in the store, for `advance`. */
  readonly token: string;
}
