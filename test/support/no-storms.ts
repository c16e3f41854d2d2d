import type { Storms } from '../../src/intake/storm.ts';

/** Every incident is worked on by itself, but for what a test says. */
export function noStorms(told: Partial<Storms> = {}): Storms {
  const membersOf: Storms['membersOf'] = told.membersOf ?? (() => Promise.resolve([]));
  return {
    place: () => Promise.resolve({ kind: 'alone' }),
    membersOf,
    listMembers: async (leadId, limit) => (await membersOf(leadId, limit)).map(({ incidentId }) => incidentId),
    closedBy: (incidentId) => Promise.resolve(incidentId),
    ...told,
  };
}
