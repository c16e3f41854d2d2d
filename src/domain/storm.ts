/** Many incidents in a short time, told in one post instead of one each. */
export interface StormSummary {
  /** Matches the rules for incident ids. */
  readonly id: string;
  readonly startedAtMs: number;
  readonly updatedAtMs: number;
  /** True once no incident has joined for the quiet time. */
  readonly isOver: boolean;
  /** When that time had passed; with `isOver` only. */
  readonly overAtMs?: number;
  /** Of all its incidents, also those that are not listed. */
  readonly incidents: number;
  /** How many of them still fire. */
  readonly firing: number;
  readonly alerts: number;
  /** Incidents with an investigation of their own, those that one of these covers, and those that nothing but the summary tells. The rest waits to be placed. */
  readonly investigated: number;
  readonly joined: number;
  readonly onlyListed: number;
  /** One line an incident that no other covers, gravest first; capped in posts. */
  readonly investigations: readonly StormInvestigation[];
  /** Of those, how many are not listed. */
  readonly omitted: number;
}

/** What became of the incidents of a storm, in words: `214 incidents: 31 investigated, 9 joined to those, 174 only listed here`. */
export function shareOut({ incidents, investigated, joined, onlyListed }: StormCounts): string {
  const shares = [
    [investigated, 'investigated'],
    [joined, 'joined to those'],
    [onlyListed, 'only listed here'],
    [incidents - investigated - joined - onlyListed, 'waiting'],
  ] as const;
  const said = shares.filter(([count]) => count > 0).map(([count, what]) => `${count} ${what}`);
  return `${incidents} ${incidents === 1 ? 'incident' : 'incidents'}: ${said.join(', ')}`;
}

type StormCounts = Pick<StormSummary, 'incidents' | 'investigated' | 'joined' | 'onlyListed'>;

export interface StormInvestigation {
  readonly incidentId: string;
  readonly title: string;
  readonly severity: string | undefined;
  readonly state: 'waiting' | 'investigating' | 'reported' | 'not-investigated';
  /** Of the report; until that is there, of the first look. Of what is not investigated by itself, why. */
  readonly summary: string | undefined;
  /** Other incidents that it explains or is investigated together with. */
  readonly members: number;
  /** False once it and those are over. */
  readonly isFiring: boolean;
}
