import { parseJsonBody } from '../json-body.ts';
import type { Reading, Source } from '../source.ts';
import { readGrafana } from './read-grafana.ts';
import { grafanaAuth, type GrafanaAuthOptions } from './signature.ts';

/** The webhook contact point of Grafana-managed alerting. */
export function createGrafanaSource(options: GrafanaAuthOptions): Source {
  return {
    name: 'grafana',
    auth: grafanaAuth(options),
    // Grafana lets its operator choose.
    methods: ['POST', 'PUT'],
    read: ({ bytes }): Reading => ({ kind: 'notification', notification: readGrafana(parseJsonBody(bytes)) }),
  };
}
