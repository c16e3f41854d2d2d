import { groupText } from '../support/alertmanager-bodies.ts';

/** Stands in every alert and every environment; no log may say it. Put together so that no scanner takes it for a real one. */
export const PLANTED = ['planted', 'p4ssw0rd', 'of', 'the', 'fault', 'tests'].join('-');

/** When the recording under test/fixtures has its incident. */
const STARTED = '2026-01-01T10:00:00Z';

export interface TestAlert {
  readonly name: string;
  readonly body: string;
}

/** An alert that is an incident of its own: own group, own service, own namespace, so that nothing connects it with the others. */
export function alertOf(name: string, overrides: Readonly<Record<string, string>> = {}): TestAlert {
  const labels = {
    alertname: `Slow-${name}`,
    service: `shop-${name}`,
    namespace: `ns-${name}`,
    severity: 'critical',
    case: name,
    ...overrides,
  };
  const annotations = { summary: `${name} answers slowly`, dsn: `postgres://shop:${PLANTED}@db.example.net/shop` };
  const group = { groupKey: `{}:{case="${name}"}`, groupLabels: { case: name } };
  return { name, body: groupText({ ...group, alerts: [{ labels, annotations, startsAt: STARTED }] }) };
}

/** The name of the alert that a message for people is about: it names the service. */
export const nameIn = (text: string): string | undefined => /shop-([a-z]+(?:-\d+)*)/.exec(text)?.[1];

export const alertsOf = (prefix: string, count: number): readonly TestAlert[] =>
  Array.from({ length: count }, (_, index) => alertOf(`${prefix}-${index + 1}`));
