/**
 * At most `most` of the points, spread over their whole range, in their order: the first, the last, and of each stretch between them the lowest and
 * the highest, so that neither a spike nor the end of an incident is lost. Points are numbers, `[time, value]` or objects with a `value`; others
 * are spread evenly. Needs `most` ≥ 4.
 */
export function downsample<T>(points: readonly T[], most: number): readonly T[] {
  if (points.length <= most) return points;
  const stretches = (most - 2) >> 1;
  const inner = points.length - 2;
  const kept = new Set([0, points.length - 1]);
  for (let i = 0; i < stretches; i++) {
    const from = 1 + Math.floor((i * inner) / stretches);
    const to = 1 + Math.floor(((i + 1) * inner) / stretches);
    for (const place of extremes(points, from, to)) kept.add(place);
  }
  return points.filter((_, place) => kept.has(place));
}

/** Places of the lowest and the highest value in `[from, to)`; the first place when nothing there has a value. */
function extremes(points: readonly unknown[], from: number, to: number): readonly [number, number] {
  let low = from;
  let high = from;
  for (let place = from + 1; place < to; place++) {
    const value = valueOf(points[place]);
    if (value < orElse(valueOf(points[low]), Infinity)) low = place;
    if (value > orElse(valueOf(points[high]), -Infinity)) high = place;
  }
  return [low, high];
}

const orElse = (value: number, otherwise: number) => (Number.isNaN(value) ? otherwise : value);

/** NaN when the point carries none. */
function valueOf(point: unknown): number {
  if (typeof point === 'number') return point;
  if (Array.isArray(point)) return toNumber(point[1]);
  if (typeof point === 'object' && point !== null && 'value' in point) return toNumber(point.value);
  return Number.NaN;
}

function toNumber(value: unknown): number {
  if (typeof value === 'number') return value;
  return typeof value === 'string' && value.trim() !== '' ? Number(value) : Number.NaN;
}
