import type { CheckResult } from '../../domain/check-result.ts';
import { duration } from '../../domain/relative-time.ts';
import { clip, oneLine } from '../../policy/untrusted.ts';
import { failedCheck } from '../backend/ask-backend.ts';
import type { LogOptions } from './gather-logs.ts';
import { logWindow } from './log-source.ts';

const LOOK_BACK_MS = 24 * 3_600_000;

/** Whether lines come, from whom, and how old the newest is. Never throws. */
export async function checkLogs(
  { source, names }: LogOptions,
  nowMs: number,
  signal: AbortSignal,
): Promise<CheckResult> {
  const name = source.name.provider;
  const { prefix } = source.name;
  try {
    const product = (await source.describe(signal)) ?? 'answers, version unknown';
    // A clock that is ahead writes lines in the future.
    const window = logWindow(nowMs - LOOK_BACK_MS, nowMs + 3_600_000);
    const known = await source.fieldsIn(window, signal);
    const field = names.service.find((one) => known.has(one));
    if (field === undefined) {
      const value = `${product}, ${known.size} fields in the last 24 h, none of which names a service`;
      const remedy =
        known.size > 0 ? `Set ${prefix}_SERVICE_FIELDS.` : `It answers but has no lines: ${source.whenEmpty}.`;
      return { name, status: 'warn', value, remedy };
    }
    const services = (await source.countBy(field, { ...window, fields: [] }, signal)).map(({ value }) => value);
    const page = await source.readPage({ ...window, fields: [{ field, set: true }] }, 1, signal);
    const newest = page.lines[0]?.record;
    const some = services
      .filter(Boolean)
      .sort()
      .slice(0, 5)
      .map((value) => clip(oneLine(value), 40))
      .join(', ');
    const seen = `${product}, ${services.length} services by ${field} (${some})`;
    if (!newest) {
      const remedy = `It has names of services but no line of the last 24 h: ${source.whenEmpty}.`;
      return { name, status: 'warn', value: `${seen}, no line`, remedy };
    }
    const age = Math.max(0, nowMs - newest.timeMs);
    return { name, status: 'ok', value: `${seen}, newest line ${duration(age)} old` };
  } catch (error) {
    return failedCheck(source.name, error);
  }
}
