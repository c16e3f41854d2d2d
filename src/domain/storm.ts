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
  /** One line an investigation, gravest first, capped. */
  readonly investigations: readonly StormInvestigation[];
  /** Investigations that are not listed. */
  readonly omitted: number;
}

export interface StormInvestigation {
  readonly incidentId: string;
  readonly title: string;
  readonly severity: string | undefined;
  readonly state: 'waiting' | 'investigating' | 'reported';
  /** Of the report; until that is there, of the first look. Of what is not investigated by itself, why. */
  readonly summary: string | undefined;
  /** Other incidents that it explains or is investigated together with. */
  readonly members: number;
  /** False once it and those are over. */
  readonly isFiring: boolean;
}
