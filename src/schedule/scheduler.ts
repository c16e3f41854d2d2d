import { unrunInWords, type CheckTick } from '../domain/check.ts';
import type { TicksRead, TickState } from '../domain/check-ticks.ts';
import type { Incident } from '../domain/incident.ts';
import { serviceOf } from '../domain/labels.ts';
import type { Logger } from '../platform/logger.ts';
import type { CHECK_TICK_OUTCOMES } from '../platform/metrics.ts';
import { checkId, decideTicks, type PlannedJob, type TickDecision } from './decide-ticks.ts';

const MINUTE_MS = 60_000;
/** Whoever was overtaken finds everything decided, unless schedulers of two versions take turns. */
const MOST_TRIES = 5;

/** Where all schedulers together keep what is decided. */
export interface TickStore {
  /** Its time, by which all decide: machines with different clocks agree. */
  nowMs(): Promise<number>;
  readTicks(name: string): Promise<TicksRead>;
  /** Persists a decision and its run, both or nothing; false when another scheduler came first. Whatever is persisted gets into the queue. */
  advance(name: string, read: TicksRead, state: TickState, incident?: Incident): Promise<boolean>;
}

export interface SchedulerParts {
  readonly store: TickStore;
  /** The clock of this machine, for what the store cannot be asked. */
  readonly now: () => number;
  /** A run that has not ended after so long is not waited for. */
  readonly maxRunMs: (job: PlannedJob['job']) => number;
  readonly onTicks: (outcome: (typeof CHECK_TICK_OUTCOMES)[number], count: number) => void;
  readonly log: Logger;
}

export interface Scheduler {
  /**
   * Decides what is due, in this process or any other: each tick once, however many schedulers do this at the same time and however long ago the last
   * one did. Rejects when the store cannot be reached; then nothing is lost, and the next call makes up for it.
   */
  beat(): Promise<void>;
}

export function createScheduler(jobs: readonly PlannedJob[], parts: SchedulerParts): Scheduler {
  let failedMinuteMs = 0;
  const countFailed = (nowMs: number, left: readonly PlannedJob[]) => {
    const minuteMs = Math.floor(nowMs / MINUTE_MS) * MINUTE_MS;
    if (minuteMs === failedMinuteMs) return;
    failedMinuteMs = minuteMs;
    const due = left.filter(({ job, cron }) => job.enabled && cron.between(minuteMs - MINUTE_MS, minuteMs).length > 0);
    if (due.length > 0) parts.onTicks('failed', due.length);
  };
  return {
    beat: async () => {
      let nowMs = parts.now();
      let decided = 0;
      try {
        nowMs = await parts.store.nowMs();
        for (const job of jobs) {
          await decideOne(job, nowMs, parts);
          decided += 1;
        }
      } catch (error) {
        countFailed(nowMs, jobs.slice(decided));
        throw error;
      }
    },
  };
}

async function decideOne(planned: PlannedJob, nowMs: number, parts: SchedulerParts): Promise<void> {
  const { name } = planned.job;
  for (let tries = 0; tries < MOST_TRIES; tries += 1) {
    const read = await parts.store.readTicks(name);
    const decision = decideTicks(planned, read, nowMs, parts.maxRunMs(planned.job));
    if (!decision) return;
    const incident = decision.run && checkIncident(decision.run.tick, decision.run.tickMs);
    if (await parts.store.advance(name, read, decision.state, incident)) return tell(name, decision, parts);
  }
}

function tell(check: string, { run, unrun }: TickDecision, { onTicks, log }: SchedulerParts): void {
  for (const one of unrun) {
    onTicks(one.why === 'missed' ? 'missed' : 'skipped_overlap', one.count);
    log.warn({ check, ticks: unrunInWords(one) }, 'ticks of this check were not run');
  }
  if (!run) return;
  const { lateMs } = run.tick;
  onTicks(lateMs > 0 ? 'late' : 'run', 1);
  const late = lateMs > 0 ? { lateSeconds: Math.round(lateMs / 1000) } : {};
  log.info({ check, incidentId: checkId(check, run.tickMs), ...late }, 'check submitted');
}

/** The incident of kind `check` for one tick. Its id is the same in every replica: `check_<name>_<tick>`. */
export function checkIncident(check: CheckTick, tickMs: number): Incident {
  const { job } = check;
  return {
    id: checkId(job.name, tickMs),
    kind: 'check',
    source: 'schedule',
    receiver: job.name,
    title: job.description,
    service: serviceOf(job.labels),
    severity: job.severity,
    startsAtMs: tickMs,
    state: 'firing',
    labels: job.labels,
    annotations: { check: job.prompt },
    alerts: [],
    alertCount: 0,
    truncatedAlerts: 0,
    link: undefined,
    check,
  };
}
