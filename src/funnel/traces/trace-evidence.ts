import type { Fact } from '../metrics/metric-evidence.ts';
import { numberWord, secondsWord } from '../metrics/number-words.ts';
import { shortOperation } from './span-times.ts';
import type { TraceFailure, TraceShift } from './trace-shifts.ts';

/** What a shift adds, in words: `time lost between checkout and payments (POST /pay): 3.36 ms → 2 s`. */
export function shiftInWords(shift: TraceShift): string {
  const operation = shortOperation(shift.operation);
  const change = `${secondsWord(shift.usualSeconds)} → ${secondsWord(shift.nowSeconds)}`;
  if (shift.kind === 'gap' && shift.caller !== undefined) {
    return `time lost between ${shift.caller} and ${shift.service} (${operation}): ${change}`;
  }
  return `${shift.service}'s own time in ${operation}: ${change}`;
}

/** Evidence of time added on a call edge (`edge:<caller>-><callee>`) or inside an operation (`trace:<service>/<operation>`). */
export function shiftFact(shift: TraceShift): Fact {
  const { kind, caller, service, calls } = shift;
  const operation = shortOperation(shift.operation);
  const isGap = kind === 'gap' && caller !== undefined;
  const statement = `${shiftInWords(shift)}; upper quartile of ${calls} calls`;
  const key = isGap ? `edge:${caller}->${service}` : `trace:${service}/${operation}`;
  const numbers = [shift.usualSeconds, shift.nowSeconds, calls];
  return { key, evidence: { kind: 'trace', service, statement, atMs: undefined, numbers } };
}

/** `17 of 30 calls fail in stock first, usually 0`. */
export function failureInWords({ service, failed, calls, expected }: TraceFailure): string {
  const usual = expected === undefined ? 'no fault-free time to compare with' : `usually ${numberWord(expected)}`;
  return `${failed} of ${calls} calls fail in ${service} first, ${usual}`;
}

/** Evidence of failed spans that begin at a service. */
export function failureFact(failure: TraceFailure): Fact {
  const { service, failed, calls, expected } = failure;
  const statement = `${failureInWords(failure)}; no call below them failed`;
  const numbers = [failed, calls, ...(expected === undefined ? [] : [Number(expected.toPrecision(3))])];
  return {
    key: `trace:${service}/failures`,
    evidence: { kind: 'trace', service, statement, atMs: undefined, numbers },
  };
}
