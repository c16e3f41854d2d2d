import { isOf, type LogScope } from './log-scope.ts';
import type { FieldMatch, LineFilter, LogWindow } from './log-source.ts';

/** A stretch of the lines of one or more services, read newest first. */
export interface LogPart {
  readonly filter: LineFilter;
  /** Its share of what may be read, relative to others. */
  readonly weight: number;
  /** Read instead when it does not fit: the same lines, by service. */
  readonly finer: readonly LogPart[];
}

/** Stretches of time that a window is cut into: so much finer the sample follows the course of events. */
const STRETCHES = 12;
/** Services that are read each by itself; the smaller ones share the rest. */
const MOST_OWN = 8;
/** Values in one condition: a query has a length. */
const MOST_VALUES = 200;

/**
 * The lines of a scope in parts, those nearest the trigger first. All have the same length of time, before the incident as well as in it: what is cut is
 * cut at the same rate, so that a count before can be compared with one after.
 */
export function planParts(
  scope: LogScope,
  everything: readonly (readonly FieldMatch[])[],
  window: LogWindow,
  triggerNs: bigint,
  service: string | undefined,
  telling: 'errors' | 'others',
): readonly LogPart[] {
  const wholes = scope.place.length > 0 ? [scope.place] : everything;
  const [first = []] = wholes;
  const groups = groupServices(scope, first, service);
  const all = groups.reduce((sum, { weight }) => sum + weight, 0);
  const stretches = cutWindow(window).toSorted((a, b) => distance(a, triggerNs) - distance(b, triggerNs));
  return stretches.flatMap((stretch) => {
    const part = (fields: readonly FieldMatch[], weight: number, finer: readonly LogPart[] = []): LogPart => ({
      filter: { ...stretch, fields, telling },
      weight,
      finer,
    });
    const finer = groups.map(({ fields, weight }) => part(fields, weight));
    return wholes.map((fields) => (fields === first ? part(fields, Math.max(1, all), finer) : part(fields, 1)));
  });
}

interface Group {
  readonly fields: readonly FieldMatch[];
  readonly weight: number;
}

/** What `whole` means, by service: the alerting one and the largest others each by itself, all others together, and what names none. */
function groupServices(
  { serviceFields: [field], services }: LogScope,
  whole: readonly FieldMatch[],
  alerting: string | undefined,
): readonly Group[] {
  if (field === undefined) return [];
  const values = services.map(({ value }) => value);
  const first = values.filter((value) => isOf(value, alerting)).slice(0, MOST_OWN);
  const own = [...first, ...values.filter((value) => !first.includes(value))].slice(0, MOST_OWN);
  const small = values.filter((value) => !own.includes(value)).slice(0, MOST_VALUES);
  const others = whole.filter((match) => match.field !== field);
  const group = (of: readonly string[]): Group => ({ fields: [...others, { field, values: of }], weight: of.length });
  const nameless = others.length === whole.length ? [{ fields: [...whole, { field, set: false }], weight: 1 }] : [];
  return [...own.map((value) => group([value])), ...(small.length > 0 ? [group(small)] : []), ...nameless];
}

/** Stretches of equal length, but for the last. */
function cutWindow({ fromNs, untilNs }: LogWindow): readonly LogWindow[] {
  // Whole milliseconds, rounded up: some servers know no finer times.
  const parts = BigInt(STRETCHES) * 1_000_000n;
  const step = ((untilNs - fromNs + parts - 1n) / parts) * 1_000_000n;
  const stretches: LogWindow[] = [];
  for (let at = fromNs; at < untilNs; at += step)
    stretches.push({ fromNs: at, untilNs: at + step < untilNs ? at + step : untilNs });
  return stretches;
}

function distance({ fromNs, untilNs }: LogWindow, ns: bigint): number {
  if (ns < fromNs) return Number(fromNs - ns);
  return ns < untilNs ? 0 : Number(ns - untilNs) + 1;
}
