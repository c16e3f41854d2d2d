/** What Rootnote itself did and proposed, for the agent and for people: never evidence about the systems that are watched. */
export interface OperationsLog {
  /** Incidents and checks with state and, when there is one, the verdict; newest first. */
  listIncidents(limit: number): Promise<readonly OperationRecord[]>;
  /** Deliveries, given-up jobs and other things that happened in Rootnote; newest first. `incidentId` narrows it to one. */
  listEvents(limit: number, incidentId?: string): Promise<readonly OperationRecord[]>;
  /** Investigations that ran (how they ended, what they cost) and the actions their reports proposed: Rootnote executes none of them. */
  listExecutions(limit: number, incidentId?: string): Promise<readonly OperationRecord[]>;
}

export interface OperationRecord {
  readonly atMs: number;
  /** Id of the incident, report, session or delivery. */
  readonly id: string;
  /** One line, redacted. */
  readonly text: string;
}
