/** Saturating gate x/(x+k), 0 for x ≤ 0: half strength at k. Keeps a huge z on a trivial effect from winning. */
export function saturate(x: number, k = 1): number {
  return x > 0 ? x / (x + k) : 0;
}

/** Effect of added latency on a logarithmic scale: 10 ms .15, 100 ms .52, 1 s and more 1. */
export function latencyEffect(seconds: number): number {
  return seconds > 0 ? Math.min(1, Math.log10(1 + seconds / 0.01) / 2) : 0;
}
