import type { CheckTick, Job, UnrunTicks } from '../domain/check.ts';
import type { TicksRead, TickState } from '../domain/check-ticks.ts';
import { readCron, type Cron } from './cron.ts';

const MINUTE_MS = 60_000;
/** The state of a check is kept as long: what was before is not known. */
const FARTHEST_BACK_MS = 14 * 86_400_000;
/** What is decided beyond this was decided by a clock that was wrong. */
const FARTHEST_AHEAD_MS = 5 * MINUTE_MS;

/** A check with its cron expressions read. */
export interface PlannedJob {
  readonly job: Job;
  readonly cron: Cron;
  readonly digest: Cron | undefined;
  /** By what its ticks are decided. When that changes they are counted anew. */
  readonly schedule: string;
}

export function planJob(job: Job): PlannedJob {
  return {
    job,
    cron: readCron(job.cron, job.timezone),
    digest: job.digest === undefined ? undefined : readCron(job.digest, job.timezone),
    schedule: job.enabled ? `${job.cron} ${job.timezone}` : 'disabled',
  };
}

/** What becomes of the ticks since the last look. */
export interface TickDecision {
  readonly state: TickState;
  /** The one tick that runs now, with what its run is told. */
  readonly run: { readonly tickMs: number; readonly tick: CheckTick } | undefined;
  /** Those that do not run. */
  readonly unrun: readonly UnrunTicks[];
}

/**
 * Decides about all ticks of a check up to the minute of `nowMs`; undefined when that is done. The newest runs, in its minute or late by what the check
 * allows, unless the run before it is under way and younger than `maxRunMs`; older ones were missed. A check that is new, or has another schedule,
 * begins with this minute, and so does one that was decided by a clock far ahead: ids keep its ticks from running twice.
 */
export function decideTicks(
  { job, cron, digest, schedule }: PlannedJob,
  { state, isRunning }: Pick<TicksRead, 'state' | 'isRunning'>,
  nowMs: number,
  maxRunMs: number,
): TickDecision | undefined {
  const minuteMs = Math.floor(nowMs / MINUTE_MS) * MINUTE_MS;
  const isWrong = (state?.throughMs ?? 0) > minuteMs + FARTHEST_AHEAD_MS;
  const known = state?.schedule === schedule && !isWrong ? state : undefined;
  if (known && known.throughMs >= minuteMs) return undefined;
  const last = isWrong ? undefined : state?.last;
  const fromMs = Math.max(known?.throughMs ?? minuteMs - MINUTE_MS, minuteMs - FARTHEST_BACK_MS, last?.tickMs ?? 0);
  const ticks = job.enabled ? cron.between(fromMs, minuteMs) : [];
  const newest = ticks.at(-1);
  const next = { ...state, schedule, throughMs: isWrong ? minuteMs : Math.max(minuteMs, state?.throughMs ?? 0) };
  const digestMs = state?.digestMs ?? minuteMs;
  const earlier = state?.unrun ?? [];
  if (newest === undefined) return { state: { ...next, digestMs, unrun: earlier }, run: undefined, unrun: [] };

  const lateMs = newest === minuteMs ? 0 : nowMs - newest;
  const mayRun = lateMs <= job.catchUpMinutes * MINUTE_MS;
  const overlaps = mayRun && isRunning && last !== undefined && nowMs - last.atMs < maxRunMs;
  const runs = mayRun && !overlaps;
  const unrun = [
    ...together('missed', mayRun ? ticks.slice(0, -1) : ticks),
    ...together('overlap', overlaps ? [newest] : []),
  ];
  const all = [...earlier, ...unrun].reduce(addUnrun, []);
  if (!runs) return { state: { ...next, digestMs, unrun: all }, run: undefined, unrun };

  const isDigest = digest !== undefined && digest.between(digestMs, newest).length > 0;
  const tick = { job, lateMs, unrun: all, ...(isDigest ? { digestSinceMs: digestMs } : {}) };
  const handedIn = { tickMs: newest, incidentId: checkId(job.name, newest), atMs: nowMs, unrun: all };
  return {
    state: { ...next, last: handedIn, unrun: [], digestMs: isDigest ? newest : digestMs },
    run: { tickMs: newest, tick },
    unrun,
  };
}

/** Of the incident of a tick: the same in every process, and for each UTC minute another. */
export function checkId(name: string, tickMs: number): string {
  return `check_${name}_${new Date(tickMs).toISOString().slice(0, 16).replaceAll(/\D/g, '')}`;
}

function together(why: UnrunTicks['why'], ticks: readonly number[]): readonly UnrunTicks[] {
  const [fromMs] = ticks;
  const toMs = ticks.at(-1);
  return fromMs === undefined || toMs === undefined ? [] : [{ why, count: ticks.length, fromMs, toMs }];
}

/** One entry a reason, however long nothing runs. */
function addUnrun(all: readonly UnrunTicks[], one: UnrunTicks): UnrunTicks[] {
  const same = all.find(({ why }) => why === one.why);
  if (!same) return [...all, one];
  const sum = {
    ...same,
    count: same.count + one.count,
    fromMs: Math.min(same.fromMs, one.fromMs),
    toMs: Math.max(same.toMs, one.toMs),
  };
  return all.map((entry) => (entry === same ? sum : entry));
}
