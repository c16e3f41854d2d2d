import { durationMs, type Condition } from '../../domain/probe.ts';

/** Whether any value at the field passes the test. A field that is not there fulfils only `exists: false` and `not`. */
export function fulfils(object: unknown, condition: Condition, nowMs: number): boolean {
  const values = valuesAt(object, condition.field);
  if (condition.exists !== undefined) return values.length > 0 === condition.exists;
  if (condition.not !== undefined) return values.every((value) => value !== condition.not);
  return values.some((value) => passes(value, condition, nowMs));
}

function passes(value: unknown, { equals, above, below, older }: Condition, nowMs: number): boolean {
  if (equals !== undefined) return value === equals;
  if (above !== undefined) return typeof value === 'number' && value > above;
  if (below !== undefined) return typeof value === 'number' && value < below;
  if (older === undefined) return false;
  const atMs = typeof value === 'string' ? Date.parse(value) : Number.NaN;
  return nowMs - atMs > durationMs(older);
}

/** What stands at a dotted path; `[]` goes through a list, and yields as many values. Own fields only. */
function valuesAt(object: unknown, path: string): readonly unknown[] {
  return path.split('.').reduce<readonly unknown[]>(
    (found, step) => {
      const isList = step.endsWith('[]');
      const key = isList ? step.slice(0, -2) : step;
      const next = found.flatMap((value) => (isRecord(value) && Object.hasOwn(value, key) ? [value[key]] : []));
      return isList ? next.flatMap((value) => (Array.isArray(value) ? (value as unknown[]) : [])) : next;
    },
    [object],
  );
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
