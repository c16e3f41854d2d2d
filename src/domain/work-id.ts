/** Legal wherever an incident's id is; no incident's id ends like this. */
const LATER = /(?:-r[1-9]\d*)?(?:-look[1-9]\d*)?$/;

/** Names the work of one full investigation of an incident, counted from 1: the incident's id, then `<id>-r2`, … Session, checkpoints and spending go by it. */
export function roundId(incidentId: string, round: number): string {
  return round === 1 ? incidentId : `${incidentId}-r${round}`;
}

/** Names a later look after a round, counted from 1. */
export function lookId(incidentId: string, round: number, number: number): string {
  return `${roundId(incidentId, round)}-look${number}`;
}

/** The incident that a round or look is about. */
export function incidentOfWork(workId: string): string {
  return workId.replace(LATER, '');
}
