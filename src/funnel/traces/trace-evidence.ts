import type { Fact } from '../metrics/metric-evidence.ts';
import { numberWord } from '../metrics/number-words.ts';
import type { TraceFailure, TraceShift } from './trace-shifts.ts';

const MAX_OPERATION = 60;

function milliseconds(seconds: number): number {
  return Number((seconds * 1000).toPrecision(3));
}

/** Evidence of time added on a call edge (`edge:<caller>-><callee>`) or inside an operation (`trace:<service>/<operation>`). */
export function shiftFact(shift: TraceShift): Fact {
  const { kind, caller, service, calls } = shift;
  const operation = shift.operation.slice(0, MAX_OPERATION);
  const [usual, now] = [milliseconds(shift.usualSeconds), milliseconds(shift.nowSeconds)];
  const change = `${numberWord(usual)} → ${numberWord(now)} ms (upper quartile of ${calls} calls)`;
  const isGap = kind === 'gap' && caller !== undefined;
  const statement = isGap
    ? `calls ${caller} → ${service} (${operation}): time between caller's and callee's span ${change}`
    : `${service} ${operation}: own time ${change}`;
  const key = isGap ? `edge:${caller}->${service}` : `trace:${service}/${operation}`;
  return { key, evidence: { kind: 'trace', service, statement, atMs: undefined, numbers: [usual, now, calls] } };
}

/** Evidence of failed spans that begin at a service. */
export function failureFact(failure: TraceFailure): Fact {
  const { service, failed, calls, expected } = failure;
  const usually = Number(expected.toPrecision(3));
  const statement = `${service}: ${failed} of ${calls} calls failed there first (no failed call below them), usually ${numberWord(usually)}`;
  const numbers = [failed, calls, usually];
  return {
    key: `trace:${service}/failures`,
    evidence: { kind: 'trace', service, statement, atMs: undefined, numbers },
  };
}
