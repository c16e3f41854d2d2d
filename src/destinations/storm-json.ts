import type { StormSummary } from '../domain/storm.ts';

/** A storm as programs are told of it: times are ISO 8601, `overAt` is null while it is on. */
export function stormJson({ startedAtMs, updatedAtMs, overAtMs, ...summary }: StormSummary) {
  const iso = (ms: number) => new Date(ms).toISOString();
  const overAt = overAtMs === undefined ? null : iso(overAtMs);
  return { ...summary, startedAt: iso(startedAtMs), updatedAt: iso(updatedAtMs), overAt };
}
