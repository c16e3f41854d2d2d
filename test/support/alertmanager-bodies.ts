/**
 * Builds webhook bodies as Alertmanager sends them: field order, nanosecond starts, the year-1 end of a firing alert, escaped
 * `<`, `>` and `&`, and the final newline. Names and values are invented.
 */
export interface BodyAlert {
  readonly status?: 'firing' | 'resolved';
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
  readonly startsAt?: string;
  readonly endsAt?: string;
  readonly generatorURL?: string;
  readonly fingerprint?: string;
}

export interface BodyGroup {
  readonly receiver?: string;
  readonly groupKey?: string;
  readonly groupLabels?: Readonly<Record<string, string>>;
  readonly externalURL?: string;
  readonly truncatedAlerts?: number;
  readonly alerts: readonly BodyAlert[];
}

export const NOT_ENDED = '0001-01-01T00:00:00Z';
const STARTED = '2026-11-03T07:21:45.987654321Z';

/** The body as an object: what `JSON.parse` gives the receiver. */
export function groupBody(group: BodyGroup) {
  const alerts = group.alerts.map(fullAlert);
  return {
    receiver: quoteMeta(group.receiver ?? 'rootnote'),
    status: alerts.every((alert) => alert.status === 'resolved') ? 'resolved' : 'firing',
    alerts,
    groupLabels: group.groupLabels ?? { alertname: 'CheckoutErrors' },
    commonLabels: common(alerts.map((alert) => alert.labels)),
    commonAnnotations: common(alerts.map((alert) => alert.annotations)),
    externalURL: group.externalURL ?? 'http://alertmanager-a.example.net:9093',
    version: '4',
    groupKey: group.groupKey ?? '{}/{team="shop"}:{alertname="CheckoutErrors"}',
    truncatedAlerts: group.truncatedAlerts ?? 0,
  };
}

/** The body as bytes on the wire. */
export function groupText(group: BodyGroup): string {
  return wireText(groupBody(group));
}

export function wireText(body: unknown): string {
  const escaped = JSON.stringify(body).replace(/[<>&]/g, (sign) => `\\u00${sign.charCodeAt(0).toString(16)}`);
  return `${escaped}\n`;
}

/** One alert of the group, different for every number. */
export function numberedAlert(number: number, overrides: BodyAlert = {}): BodyAlert {
  return {
    labels: {
      alertname: 'CheckoutErrors',
      service: 'checkout',
      severity: 'critical',
      instance: `10.2.0.${number}:8080`,
    },
    annotations: { summary: `checkout answers with errors on instance ${number}` },
    ...overrides,
  };
}

function fullAlert(alert: BodyAlert) {
  const status = alert.status ?? 'firing';
  const labels = alert.labels ?? numberedAlert(1).labels ?? {};
  return {
    status,
    labels,
    annotations: alert.annotations ?? {},
    startsAt: alert.startsAt ?? STARTED,
    endsAt: alert.endsAt ?? (status === 'resolved' ? '2026-11-03T07:42:10.5Z' : NOT_ENDED),
    generatorURL: alert.generatorURL ?? 'http://prometheus.example.net:9090/graph?g0.expr=up+%3D%3D+0&g0.tab=1',
    fingerprint: alert.fingerprint ?? fingerprint(labels),
  };
}

/** 16 hex digits of FNV-1a: like Alertmanager's, it depends on the labels alone. */
function fingerprint(labels: Readonly<Record<string, string>>): string {
  let hash = 0xcbf29ce484222325n;
  for (const byte of new TextEncoder().encode(
    JSON.stringify(Object.entries(labels).toSorted(([a], [b]) => a.localeCompare(b))),
  )) {
    hash = ((hash ^ BigInt(byte)) * 0x100000001b3n) & 0xffffffffffffffffn;
  }
  return hash.toString(16).padStart(16, '0');
}

function common(maps: readonly Readonly<Record<string, string>>[]): Record<string, string> {
  const [first = {}, ...rest] = maps;
  return Object.fromEntries(Object.entries(first).filter(([name, value]) => rest.every((map) => map[name] === value)));
}

function quoteMeta(text: string): string {
  return text.replace(/[\\.+*?()|[\]{}^$]/g, '\\$&');
}
