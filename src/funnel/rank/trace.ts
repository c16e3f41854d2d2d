import { failureFact, failureInWords, shiftFact, shiftInWords } from '../traces/trace-evidence.ts';
import { readTraceShifts, type TraceFailure, type TraceShift } from '../traces/trace-shifts.ts';
import { latencyEffect, saturate } from '../metrics/effect.ts';
import { blameCommonEnd } from './common-end.ts';
import { strongestByService, type Clue, type RankContext } from './clue.ts';

/** Half strength at this many usual spreads, and at this many calls. */
const HALF_SURPRISE = 2;
const HALF_CALLS = 2;
/** What a server span does not spend in its callees is its own time or lost on the way to any of them. */
const OWN_OR_ON_THE_WAY = 0.4;
/** Surplus of failed calls (as a log-likelihood ratio) that counts fully; the same scale as new error lines. */
const FULL_SURPLUS = 25;

/**
 * Time and failures located by traces. Measures, against fault-free traces, the time a call gained between the caller's and
 * the callee's span (network, queueing), the exclusive time an operation gained, and failed calls at the place where they
 * begin. The callee is suspected for a gap: its network, its connection queue, its accept loop.
 */
export function traceClues(context: RankContext): Clue[] {
  const reading = readTraceShifts(context.model);
  if (!reading) return [];
  return strongestByService([
    ...blameCommonEnd(reading.shifts.map(shiftClue)),
    ...reading.failures.flatMap(failureClue),
  ]);
}

function shiftClue(shift: TraceShift): Clue {
  const { service, caller, addedSeconds, surprise, calls, callsOut } = shift;
  return {
    type: 'trace',
    service,
    ...(caller === undefined ? {} : { caller }),
    strength:
      latencyEffect(addedSeconds) *
      saturate(surprise, HALF_SURPRISE) *
      saturate(calls, HALF_CALLS) *
      (callsOut ? OWN_OR_ON_THE_WAY : 1),
    statement: () => shiftInWords(shift),
    rootCauseType: caller === undefined ? 'unknown' : 'network_latency',
    facts: () => [shiftFact(shift)],
  };
}

function failureClue(failure: TraceFailure): Clue[] {
  const { service, failed, calls, expected } = failure;
  const usual = (expected ?? 0) + 0.5;
  if (failed <= usual) return [];
  const surplus = failed * Math.log(failed / usual) - (failed - usual);
  return [
    {
      type: 'trace',
      service,
      strength: Math.min(1, surplus / FULL_SURPLUS) * Math.min(1, 2 * (failed / Math.max(calls, 1))),
      statement: () => failureInWords(failure),
      rootCauseType: 'unknown',
      facts: () => [failureFact(failure)],
    },
  ];
}
