import { matcher } from '../wildcard.ts';

/** Most names asked for in one question. */
const MOST_NAMES = 20;

/** The names that a pattern means, and in words what was left of them, or which there are when none does. */
export function resolveNames(
  what: string,
  pattern: string,
  known: readonly string[],
): { readonly names: readonly string[]; readonly note?: string } {
  const matching = known.filter(matcher(pattern)).toSorted();
  const names = matching.slice(0, MOST_NAMES);
  if (names.length < matching.length)
    return { names, note: `${names.length} of ${matching.length} matching ${what}s were asked for` };
  if (names.length > 0) return { names };
  const list = known.length === 0 ? 'none' : known.toSorted().slice(0, 40).join(', ');
  return { names, note: `no ${what} with traces is called ${pattern}; there are: ${list}` };
}
