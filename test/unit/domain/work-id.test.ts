import { describe, expect, test } from '@jest/globals';
import { incidentOfWork, lookId, roundId } from '../../../src/domain/work-id.ts';

const INCIDENT_ID = /^[a-z][a-zA-Z0-9_-]{3,127}$/;

describe('ids of later work', () => {
  test('the first round is named as its incident, later ones are their own; all are legal where an incident id is', () => {
    expect(roundId('inc_a1', 1)).toBe('inc_a1');
    const ids = [roundId('inc_a1', 2), roundId('inc_a1', 3), lookId('inc_a1', 1, 1), lookId('inc_a1', 2, 1)];
    expect(new Set(ids).size).toBe(ids.length);
    for (const id of ids) expect(id).toMatch(INCIDENT_ID);
  });

  test.each(['inc_a1', 'check_disk-r2_1767225600000', 'recording_0f-look-x'])('%s is read back', (incidentId) => {
    const ids = [roundId(incidentId, 1), roundId(incidentId, 12), lookId(incidentId, 1, 2), lookId(incidentId, 3, 1)];
    expect(ids.map(incidentOfWork)).toEqual(ids.map(() => incidentId));
  });
});
