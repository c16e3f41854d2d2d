import type { Incident } from '../../src/domain/incident.ts';
import { serviceOf, type Labels } from '../../src/domain/labels.ts';

/** A firing incident of one alert with these labels. */
export function incidentOf(
  labels: Labels,
  alert: { readonly startsAtMs: number; readonly generatorUrl?: string },
): Incident {
  return {
    id: 'incident_of_a_test',
    kind: 'incident',
    source: 'test',
    receiver: 'test',
    title: labels['alertname'] ?? 'Alert',
    service: serviceOf(labels),
    severity: labels['severity'],
    startsAtMs: alert.startsAtMs,
    state: 'firing',
    labels,
    annotations: {},
    alerts: [
      {
        status: 'firing',
        labels,
        annotations: {},
        startsAtMs: alert.startsAtMs,
        endsAtMs: undefined,
        generatorUrl: alert.generatorUrl,
        fingerprint: '0123456789abcdef',
      },
    ],
    alertCount: 1,
    truncatedAlerts: 0,
    link: undefined,
  };
}

/** A firing incident of `frontend`, the same for every test but for what it says itself. */
export function firingIncident(fields: Partial<Incident> & Pick<Incident, 'startsAtMs'>): Incident {
  return {
    id: 'inc_1',
    kind: 'incident',
    source: 'alertmanager',
    receiver: 'rootnote',
    title: 'HighErrorRate',
    service: 'frontend',
    severity: 'critical',
    state: 'firing',
    labels: { namespace: 'shop' },
    annotations: {},
    alerts: [],
    alertCount: 1,
    truncatedAlerts: 0,
    link: undefined,
    ...fields,
  };
}
