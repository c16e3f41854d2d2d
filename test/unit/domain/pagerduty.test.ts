import { describe, expect, test } from '@jest/globals';
import { PAGERDUTY_INCIDENT_LABEL, PAGERDUTY_SOURCE, pagerDutyIncidentId } from '../../../src/domain/pagerduty.ts';

const incident = (id: string, source: string = PAGERDUTY_SOURCE) => ({
  source,
  labels: { [PAGERDUTY_INCIDENT_LABEL]: id },
});

describe('pagerDutyIncidentId', () => {
  test('is the id that the source put into the labels', () => {
    expect(pagerDutyIncidentId(incident('Q1ABC2DEF3'))).toBe('Q1ABC2DEF3');
  });

  test('is undefined without the label', () => {
    expect(pagerDutyIncidentId({ source: PAGERDUTY_SOURCE, labels: {} })).toBeUndefined();
  });

  test('is undefined for the same label from another source', () => {
    expect(pagerDutyIncidentId(incident('Q1ABC2DEF3', 'alertmanager'))).toBeUndefined();
  });

  test.each(['', '../users', 'Q1/notes', 'Q1?x=1', 'Q1\nQ2', 'Q'.repeat(65)])(
    'is undefined for %j, which no path may hold',
    (id) => {
      expect(pagerDutyIncidentId(incident(id))).toBeUndefined();
    },
  );
});
