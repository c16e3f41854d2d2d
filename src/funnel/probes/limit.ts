/** A limit with the side on which trouble lies. */
export interface Limit {
  readonly at: number;
  readonly side: 'above' | 'below';
}

/** The limit of a probe that has one: its schema makes sure of either. */
export function limitOf({
  above,
  below,
}: {
  readonly above?: number | undefined;
  readonly below?: number | undefined;
}): Limit {
  return above === undefined ? { at: below ?? 0, side: 'below' } : { at: above, side: 'above' };
}

export function isBeyond(value: number, { at, side }: Limit): boolean {
  return side === 'above' ? value > at : value < at;
}

/** How near to the limit, 1 at it and more beyond: a ratio where both are positive, else the distance. Finite. */
export function nearness(value: number, { at, side }: Limit): number {
  const ratio = side === 'above' ? value / at : at / value;
  if (at > 0 && value > 0 && Number.isFinite(ratio)) return ratio;
  const distance = side === 'above' ? value - at : at - value;
  return Math.max(0, 1 + distance);
}

/** `limit above 95 %` as people read it: `limit 95 %`, and for the lower side `at least 1`. */
export function limitWord({ at, side }: Limit, say: (value: number) => string): string {
  return side === 'above' ? `limit ${say(at)}` : `at least ${say(at)} expected`;
}
