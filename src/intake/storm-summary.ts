import type { StormInvestigation, StormSummary } from '../domain/storm.ts';

/** Most that one post lists. */
const MOST_LISTED = 30;

/** What the store knows of one incident of a storm. */
export interface StormRow {
  readonly id: string;
  /** The incident whose investigation covers it; undefined when it has its own, or none. */
  readonly memberOf: string | undefined;
  /** `only-listed`: it is told in the summary and nowhere else. */
  readonly share: 'investigated' | 'joined' | 'only-listed' | 'waiting';
  readonly alertCount: number;
  /** The lower, the graver. */
  readonly priority: number;
  readonly isFiring: boolean;
}

export interface StormFacts {
  readonly id: string;
  readonly startedAtMs: number;
  readonly updatedAtMs: number;
  readonly isOver: boolean;
  readonly overAtMs?: number;
}

/** What the store knows of an investigation, but for those that it covers. */
export type StormLine = Omit<StormInvestigation, 'members' | 'isFiring'>;

/** Puts the summary together, with so many lines at most; `describe` is asked for each listed one and gives undefined for what is forgotten. */
export async function composeStorm(
  facts: StormFacts,
  rows: readonly StormRow[],
  describe: (row: StormRow) => Promise<StormLine | undefined>,
  mostListed = MOST_LISTED,
): Promise<StormSummary> {
  const own = ownRows(rows);
  const count = (share: StormRow['share']) => rows.filter((row) => row.share === share).length;
  const listed = own.slice(0, mostListed);
  const lines = await Promise.all(
    listed.map(async (row) => {
      const members = rows.filter(({ memberOf }) => memberOf === row.id);
      const line = await describe(row);
      return line && { ...line, members: members.length, isFiring: [row, ...members].some(isFiring) };
    }),
  );
  return {
    ...facts,
    incidents: rows.length,
    firing: rows.filter(isFiring).length,
    investigated: count('investigated'),
    joined: count('joined'),
    onlyListed: count('only-listed'),
    alerts: rows.reduce((sum, { alertCount }) => sum + alertCount, 0),
    investigations: lines.filter((line) => line !== undefined),
    omitted: own.length - listed.length,
  };
}

function isFiring(row: StormRow): boolean {
  return row.isFiring;
}

/** Those that have a line of their own: all but members, gravest first, then as they were opened. */
function ownRows(rows: readonly StormRow[]): readonly StormRow[] {
  return rows.filter(({ memberOf }) => memberOf === undefined).toSorted((a, b) => a.priority - b.priority);
}
