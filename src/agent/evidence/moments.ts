import { relativeTime } from '../../domain/relative-time.ts';

/** `45 s before the alert (09:59:15Z)`: a time both ways (SPEC C7). The date stands there when it is another day's. */
export function momentText(atMs: number, triggerMs: number): string {
  if (!isMoment(atMs)) return 'time unknown';
  return `${relativeTime(atMs, triggerMs)} (${clock(atMs, triggerMs)})`;
}

/** `first 40 min before the alert, last 10 s after the alert (09:20:00Z to 10:00:10Z)`; one moment when both are the same second, `time unknown` without any. */
export function spanText(firstMs: number, lastMs: number, triggerMs: number): string {
  if (!isMoment(firstMs) || Math.abs(lastMs - firstMs) < 1000) return momentText(lastMs, triggerMs);
  const [first, last] = [relativeTime(firstMs, triggerMs), relativeTime(lastMs, triggerMs)];
  const relative = first === last ? last : `first ${first}, last ${last}`;
  return `${relative} (${clock(firstMs, triggerMs)} to ${clock(lastMs, triggerMs)})`;
}

/** False for times that no calendar holds. */
export function isMoment(atMs: number | undefined): atMs is number {
  return atMs !== undefined && Math.abs(atMs) <= 8.64e15;
}

function clock(atMs: number, triggerMs: number): string {
  const iso = `${new Date(atMs).toISOString().slice(0, 19)}Z`;
  const sameDay = iso.slice(0, 10) === new Date(triggerMs).toISOString().slice(0, 10);
  return sameDay ? iso.slice(11) : iso;
}

/** `40 ms`, `1.95 s`: a duration in the unit that people read it in. */
export function durationText(ms: number): string {
  if (ms >= 1000) return `${Number((ms / 1000).toPrecision(3))} s`;
  return `${Number(ms.toPrecision(3))} ms`;
}
