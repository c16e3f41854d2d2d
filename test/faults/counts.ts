/** How much of everything. The counts of `FULL` are those that the project promises (README.md). */
export interface Counts {
  /** R1 */
  readonly workerKills: number;
  readonly killedJobs: number;
  /** R2, at each step of a post. */
  readonly postKills: number;
  /** R3, R4 */
  readonly redisKills: number;
  readonly writers: number;
  readonly alertsAWriter: number;
  /** R5 */
  readonly frozenMs: number;
  /** R6 */
  readonly absentMs: number;
  /** R7 */
  readonly sigterms: number;
  /** R8 */
  readonly receiverKills: number;
  /** R9 */
  readonly lostLocks: number;
  /** R10: replicas of the scheduler, checks that are due at one tick, processes that boot at once. */
  readonly replicas: number;
  readonly checks: number;
  readonly boots: number;
  /** R11: alerts beside the poisonous one. */
  readonly healthyJobs: number;
  /** R12 */
  readonly modelAwayMs: number;
  readonly soakMs: number;
}

export const FULL: Counts = {
  workerKills: 100,
  killedJobs: 1000,
  postKills: 50,
  redisKills: 10,
  writers: 50,
  alertsAWriter: 10,
  frozenMs: 30_000,
  absentMs: 60_000,
  sigterms: 20,
  receiverKills: 50,
  lostLocks: 5,
  replicas: 5,
  checks: 100,
  boots: 50,
  healthyJobs: 20,
  modelAwayMs: 300_000,
  soakMs: 20_000,
};

/** A few of each, for every change: about two minutes. */
export const SMALL: Counts = {
  workerKills: 4,
  killedJobs: 40,
  postKills: 2,
  redisKills: 2,
  writers: 10,
  alertsAWriter: 4,
  frozenMs: 4000,
  absentMs: 4000,
  sigterms: 2,
  receiverKills: 3,
  lostLocks: 1,
  replicas: 3,
  checks: 5,
  boots: 5,
  healthyJobs: 4,
  modelAwayMs: 4000,
  soakMs: 4000,
};

/** `--soak`: an hour of steady alerts at the end of R12. */
export const SOAK_MS = 3_600_000;
