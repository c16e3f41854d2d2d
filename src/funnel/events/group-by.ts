/** Groups in order of first appearance. */
export function groupBy<T>(items: Iterable<T>, keyOf: (item: T) => string): ReadonlyMap<string, readonly T[]> {
  return groupByEach(items, (item) => [keyOf(item)]);
}

/** As `groupBy`, for items that belong to several groups. */
export function groupByEach<T>(
  items: Iterable<T>,
  keysOf: (item: T) => readonly string[],
): ReadonlyMap<string, readonly T[]> {
  const groups = new Map<string, T[]>();
  for (const item of items) {
    for (const key of keysOf(item)) {
      const group = groups.get(key);
      if (group) group.push(item);
      else groups.set(key, [item]);
    }
  }
  return groups;
}
