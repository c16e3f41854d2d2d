import type { Incident } from '../domain/incident.ts';

/** How an incident is to be worked on. */
export type Placement =
  /** By itself: there is no storm, or nothing of it is connected with it. */
  | { readonly kind: 'alone' }
  /** By itself, and for those of the storm that join it. */
  | { readonly kind: 'leads' }
  /** Not by itself: another one's investigation covers it. It gets no post of its own. */
  | { readonly kind: 'member'; readonly of: string }
  /** Not at all: it is a line of the storm's summary. */
  | { readonly kind: 'summary-only' };

/** Many incidents at once. Shared by all processes; asked before an investigation starts. */
export interface Storms {
  /** Asked again, for example by another process, it answers the same. Rejects when the store cannot be reached. */
  place(incident: Incident, signal: AbortSignal): Promise<Placement>;
  /** Ids of the lead's members by now, the latest first, at most so many. Empty for incidents that lead nothing. */
  listMembers(incidentId: string, limit: number): Promise<readonly string[]>;
  /** The same with what they are: for its report and its thread. */
  membersOf(incidentId: string, limit: number): Promise<readonly StormMember[]>;
  /**
   * The incident whose post is over now that this one has ended: its own, or that of its lead once the lead and all members are. Undefined when others of
   * them still fire, and when it has no post.
   */
  closedBy(incidentId: string): Promise<string | undefined>;
}

export interface StormMember {
  readonly incidentId: string;
  readonly title: string;
  readonly service: string | undefined;
  readonly severity: string | undefined;
}
