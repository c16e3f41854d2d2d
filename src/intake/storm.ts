import type { Incident } from '../domain/incident.ts';
import type { Report } from '../domain/report.ts';

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

/** Many incidents at once. Shared by all processes; asked for before an investigation starts, told of what becomes of it. */
export interface Storms {
  /** Asked again, for example by another process, it answers the same. Rejects when the store cannot be reached. */
  place(incident: Incident, signal: AbortSignal): Promise<Placement>;
  /** The lead's members by now, with what they are: for its report and its thread. Empty for incidents that lead nothing. */
  membersOf(incidentId: string): Promise<readonly StormMember[]>;
  /** An investigation has begun, or has ended with a report. `gave-up`: there is none, or one that says that it failed. */
  note(incidentId: string, what: 'investigating' | 'reported' | 'gave-up', report?: Report): Promise<void>;
}

export interface StormMember {
  readonly incidentId: string;
  readonly title: string;
  readonly service: string | undefined;
  readonly severity: string | undefined;
}

/** Where storms are not told apart: every incident is worked on by itself. */
export function noStorms(): Storms {
  return {
    place: () => Promise.resolve({ kind: 'alone' }),
    membersOf: () => Promise.resolve([]),
    note: () => Promise.resolve(),
  };
}
