import type { QueryResult } from '../../domain/provider.ts';

/** What is asked, in the words of notes: `the recording holds no events`, `none of the 5 recorded events matches`. */
export interface Holder {
  readonly name: string;
  readonly verb: string;
}
export const RECORDING: Holder = { name: 'the recording', verb: 'recorded' };

/** An answer with what there is to say about it as one note; none when there is nothing to say. */
export function answer<T>(items: readonly T[], notes: readonly (string | false | undefined)[]): QueryResult<T> {
  const note = notes.filter(Boolean).join('; ');
  return { items, ...(note ? { note } : {}) };
}

/** At least one, and no more than is given at once. */
export function boundedLimit(asked: number, most: number): number {
  return Math.max(1, Math.min(asked, most));
}

/** By time, what carries none first: what is cut from the front is the oldest. */
export function byTime(a: { readonly timeMs: number }, b: { readonly timeMs: number }): number {
  const [first, second] = [a.timeMs, b.timeMs].map((timeMs) => (Number.isNaN(timeMs) ? -Infinity : timeMs));
  return first === second ? 0 : (first ?? 0) - (second ?? 0);
}
