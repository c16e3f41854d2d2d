/** Loki says its own limits only when it refuses a question for them (pkg/util/validation, pkg/querier: the wording has been the same since 1.0). */

/** `max entries limit per query exceeded, limit > max_entries_limit_per_query (5000 > 1000)`: the number allowed. */
export function linesLimit(message: string): number | undefined {
  const allowed = Number(/max entries limit[^(]*\(\d+ > (\d+)\)/.exec(message)?.[1]);
  return allowed > 0 ? allowed : undefined;
}

/** `the query time range exceeds the limit (query length: 800h0m0s, limit: 30d1h)`: the length allowed, in nanoseconds. */
export function lengthLimit(message: string): bigint | undefined {
  const text = /time range exceeds the limit \(query length: [^,]*, limit: ([^)]*)\)/.exec(message)?.[1] ?? '';
  let seconds = 0;
  for (const [, amount, unit] of text.matchAll(/(\d+(?:\.\d+)?)(ms|[smhdwy])/g))
    seconds += Number(amount) * (SECONDS[unit ?? ''] ?? 0);
  return seconds >= 1 ? BigInt(Math.floor(seconds)) * 1_000_000_000n : undefined;
}

const SECONDS: Readonly<Record<string, number>> = {
  ms: 0.001,
  s: 1,
  m: 60,
  h: 3600,
  d: 86_400,
  w: 604_800,
  y: 31_536_000,
};
