import type { CheckTick } from '../domain/check.ts';
import type { Incident } from '../domain/incident.ts';
import type { Report } from '../domain/report.ts';
import { isTold, outcomeOf, signsOf, signsOfOutcome } from '../investigate/check-result.ts';
import type { Investigation } from '../investigate/investigate.ts';
import type { CheckStore } from '../sessions/check-store.ts';
import { investigateRound, type Round, type RoundWork } from './investigate-round.ts';
import { planCheck } from './plan-check.ts';
import type { Process } from './process.ts';

export interface CheckDeps {
  readonly checks: Pick<CheckStore, 'lastResult' | 'resultsSince' | 'noteResult'>;
}

/** One run of a scheduled check: its probes, and what they call for. Rejects as `investigate` does. */
export async function investigateCheck(
  running: Pick<Process, 'log' | 'redactor' | 'tracing' | 'watcher'>,
  work: RoundWork & CheckDeps,
  tick: CheckTick,
  round: Round,
): Promise<Investigation> {
  const { incident, context } = round;
  const { checks } = work;
  const { startsAtMs } = incident;
  const { job, digestSinceMs } = tick;
  const [earlier, since] = await Promise.all([
    checks.lastResult(job.name, startsAtMs),
    digestSinceMs === undefined ? undefined : checks.resultsSince(job.name, digestSinceMs),
  ]);
  const history = { earlier, since: since?.filter(({ tickMs }) => tickMs < startsAtMs) };
  const parts = await planCheck(incident, tick, work.parts, history, context.signal);
  return investigateRound(running, { ...work, parts }, round);
}

/**
 * Keeps the result of a run for the next one, and returns whether the destinations are told of it. A run that is gone on with after its worker died decides
 * the same again: it is compared with the run before its own tick.
 */
export async function noteCheck({ checks }: CheckDeps, incident: Incident, tick: CheckTick, report: Report) {
  const { name, post } = tick.job;
  const earlier = await checks.lastResult(name, incident.startsAtMs);
  const before = earlier && signsOfOutcome(earlier);
  const signs = signsOf(report, before);
  await checks.noteResult(name, outcomeOf(report, signs, incident.startsAtMs));
  return isTold(post, tick.digestSinceMs !== undefined, signs, before);
}
