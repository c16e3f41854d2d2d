const FACTORS: Readonly<Record<string, number>> = {
  '': 1,
  n: 1e-9,
  u: 1e-6,
  m: 1e-3,
  k: 1e3,
  M: 1e6,
  G: 1e9,
  T: 1e12,
  P: 1e15,
  E: 1e18,
  Ki: 2 ** 10,
  Mi: 2 ** 20,
  Gi: 2 ** 30,
  Ti: 2 ** 40,
  Pi: 2 ** 50,
  Ei: 2 ** 60,
};

/** A Kubernetes quantity (`500m`, `2Gi`, `3`, `1e3`) as a number; NaN when it is none, which compares as false with everything. */
export function parseQuantity(value: unknown): number {
  if (typeof value === 'number') return value;
  if (typeof value !== 'string') return Number.NaN;
  const match = /^(\d+(?:\.\d+)?(?:e\d+)?)(|[num]|[kMGTPE]|[KMGTPE]i)$/.exec(value);
  return match ? Number(match[1]) * (FACTORS[match[2] ?? ''] ?? Number.NaN) : Number.NaN;
}
