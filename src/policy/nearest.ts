/**
 * The word that differs from `name` in the fewest letters: at most two, and at most a quarter of it, since short names are near to
 * everything (HOME and HOST). Undefined when none is so near.
 */
export function nearest(name: string, words: readonly string[]): string | undefined {
  const limit = Math.min(2, Math.ceil(name.length / 4));
  const [best] = words
    .map((word) => ({ word, distance: editDistance(name, word) }))
    .filter(({ distance }) => distance <= limit)
    .toSorted((a, b) => a.distance - b.distance);
  return best?.word;
}

/** `; did you mean X?`, or nothing. */
export function didYouMean(name: string, words: readonly string[]): string {
  const meant = nearest(name, words) ?? nearest(name.toLowerCase(), words);
  return meant === undefined || meant === name ? '' : `; did you mean ${meant}?`;
}

/** Levenshtein distance: insertions, deletions and replacements of one letter. */
function editDistance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 0; i < a.length; i += 1) {
    const next = [i + 1];
    for (let j = 0; j < b.length; j += 1) {
      const replaced = (row[j] ?? 0) + (a[i] === b[j] ? 0 : 1);
      next.push(Math.min(replaced, (row[j + 1] ?? 0) + 1, (next[j] ?? 0) + 1));
    }
    row = next;
  }
  return row[b.length] ?? 0;
}
