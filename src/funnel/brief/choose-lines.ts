import { fixedTokens, type Line, type Section } from './section.ts';

/** Lines of at least this priority come before all shares: who, what, when, and the first suspect. */
export const MUST_PRIORITY = 100;

/**
 * Which lines are shown within `budget` tokens (SPEC C8). First what must be there. Then every section may fill its share; what it leaves
 * flows to the sections that want more, in proportion to their shares. What is left over by lines too long for their section goes
 * to the weightiest lines that still fit. Inside a section the highest priority always goes first.
 */
export function chooseLines(sections: readonly Section[], budget: number): ReadonlySet<Line> {
  const chosen = new Set<Line>();
  let left = budget - sum(sections.map(fixedTokens));
  const take = (candidate: Line): boolean => {
    if (candidate.tokens > left) return false;
    chosen.add(candidate);
    left -= candidate.tokens;
    return true;
  };

  const must = sections.flatMap(({ lines }) => lines.filter(({ priority }) => priority >= MUST_PRIORITY));
  for (const candidate of byPriority(must)) take(candidate);

  const queues = sections.map(({ lines }) => byPriority(lines.filter((candidate) => !chosen.has(candidate))));
  const rooms = divide(
    queues.map((queue) => sum(queue.map(({ tokens }) => tokens))),
    sections.map(({ share }) => share),
    Math.max(0, left),
  );
  const rests = queues.map((queue, i) => queue.slice(fill(queue, rooms[i] ?? 0, take)));
  takeLeftovers(rests, take);
  return chosen;
}

/** Takes by priority until one does not fit the room: a less telling line never takes the place of a more telling one. Returns how many. */
function fill(queue: readonly Line[], room: number, take: (line: Line) => boolean): number {
  let used = 0;
  for (const [i, candidate] of queue.entries()) {
    used += candidate.tokens;
    if (used > room + 1e-6 || !take(candidate)) return i;
  }
  return queue.length;
}

/** The weightiest next line of any section, again and again; a section whose next line does not fit is done. */
function takeLeftovers(rests: readonly (readonly Line[])[], take: (line: Line) => boolean): void {
  let open = rests.map((rest) => ({ rest, next: 0 })).filter(({ rest }) => rest.length > 0);
  while (open.length > 0) {
    const best = open.reduce((a, b) => ((b.rest[b.next]?.priority ?? 0) > (a.rest[a.next]?.priority ?? 0) ? b : a));
    const candidate = best.rest[best.next];
    const isTaken = candidate !== undefined && take(candidate);
    best.next += 1;
    if (!isTaken || best.next >= best.rest.length) open = open.filter((section) => section !== best);
  }
}

/** Gives each what it wants up to its share of `total`, then divides what is left among those that still want. */
function divide(wanted: readonly number[], shares: readonly number[], total: number): readonly number[] {
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

/** Highest first; stable. */
export function byPriority(lines: Iterable<Line>): readonly Line[] {
  return [...lines].sort((a, b) => b.priority - a.priority);
}

const sum = (numbers: readonly number[]) => numbers.reduce((total, number) => total + number, 0);
