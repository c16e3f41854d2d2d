import { fixedTokens, type Line, type Section } from './section.ts';

/**
 * Which lines are shown within `budget` tokens (SPEC C8). Every section may fill its share; what it leaves flows to the sections that want
 * more, in proportion to their shares. Inside a section the highest priority goes first.
 */
export function chooseLines(sections: readonly Section[], budget: number): ReadonlySet<Line> {
  const fixed = sections.map(fixedTokens);
  const free = Math.max(0, budget - sum(fixed));
  const wanted = sections.map((section) => sum(section.lines.map(({ tokens }) => tokens)));
  const room = divide(
    wanted,
    sections.map(({ share }) => share),
    free,
  );
  return new Set(sections.flatMap((section, i) => fill(section, room[i] ?? 0)));
}

/** Gives each what it wants up to its share of `total`, then divides what is left among those that still want. */
export function divide(wanted: readonly number[], shares: readonly number[], total: number): readonly number[] {
  const given = wanted.map(() => 0);
  let left = total;
  // Each round satisfies at least one or uses everything up, so there are at most as many rounds as receivers.
  for (let round = 0; round < wanted.length && left > 0; round++) {
    const open = wanted.flatMap((want, i) => (want > (given[i] ?? 0) ? [i] : []));
    const openShares = sum(open.map((i) => shares[i] ?? 0));
    if (openShares === 0) break;
    const pot = left;
    for (const i of open) {
      const part = Math.min((wanted[i] ?? 0) - (given[i] ?? 0), (pot * (shares[i] ?? 0)) / openShares);
      given[i] = (given[i] ?? 0) + part;
      left -= part;
    }
  }
  return given;
}

/** By priority until one does not fit: a less telling line never takes the place of a more telling one. */
function fill(section: Section, room: number): readonly Line[] {
  const chosen: Line[] = [];
  let used = 0;
  for (const candidate of byPriority(section.lines)) {
    used += candidate.tokens;
    if (used > room + 1e-6) break;
    chosen.push(candidate);
  }
  return chosen;
}

/** Highest first; stable. */
export function byPriority(lines: Iterable<Line>): readonly Line[] {
  return [...lines].sort((a, b) => b.priority - a.priority);
}

const sum = (numbers: readonly number[]) => numbers.reduce((total, number) => total + number, 0);
