import { styleText } from 'node:util';
import type { CheckResult } from '../domain/check-result.ts';
import { oneLine } from '../policy/untrusted.ts';

/** Something whose state can be asked. `check` should not throw; when it does, that is the result. */
export interface Patient {
  readonly name: string;
  check(signal: AbortSignal): Promise<CheckResult>;
}

const LIMIT_MS = 8000;

/** Asks all at once, each within its own limit, and keeps their order. Never rejects. */
export function examine(patients: readonly Patient[]): Promise<readonly CheckResult[]> {
  return Promise.all(patients.map(examineOne));
}

async function examineOne(patient: Patient): Promise<CheckResult> {
  const late = AbortSignal.timeout(LIMIT_MS);
  const timeout = new Promise<CheckResult>((resolve) => {
    late.addEventListener('abort', () =>
      resolve({
        name: patient.name,
        status: 'fail',
        value: `no answer within ${LIMIT_MS / 1000} s`,
        remedy: 'check that the address is right and that nothing in between drops the connection',
      }),
    );
  });
  try {
    return await Promise.race([patient.check(late), timeout]);
  } catch (error) {
    const value = error instanceof Error ? error.message : String(error);
    return { name: patient.name, status: 'fail', value, remedy: 'see the message' };
  }
}

const SYMBOL = { ok: '✓', warn: '!', fail: '✗', off: '–' } as const;
const STYLE = { ok: 'green', warn: 'yellow', fail: 'red', off: 'dim' } as const;

/** One line a part: symbol, name, what was seen; below it what to do. */
export function printCheckup(results: readonly CheckResult[], options: { readonly colour: boolean }): string {
  const width = Math.max(...results.map((result) => result.name.length), 0);
  const lines = results.flatMap((result) => {
    const symbol = options.colour ? styleText(STYLE[result.status], SYMBOL[result.status]) : SYMBOL[result.status];
    // Any of them may quote what the other side answered.
    const below = [
      ...(result.details ?? []).map((detail) => `· ${oneLine(detail)}`),
      ...(result.remedy === undefined ? [] : [`→ ${oneLine(result.remedy)}`]),
    ].map((line) => `  ${' '.repeat(width)}  ${line}`);
    return [`${symbol} ${result.name.padEnd(width)}  ${oneLine(result.value)}`, ...below];
  });
  return `${lines.join('\n')}\n\n${verdict(results)}\n`;
}

function verdict(results: readonly CheckResult[]): string {
  const count = (status: CheckResult['status']) => results.filter((result) => result.status === status).length;
  const failed = count('fail');
  if (failed > 0) return `${failed} of ${results.length} parts do not work.`;
  const warnings = count('warn');
  if (warnings === 0) return 'Nothing is broken.';
  return `Works, but: ${warnings} ${warnings === 1 ? 'warning' : 'warnings'}.`;
}
