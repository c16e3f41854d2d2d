/** Webhook bodies for the intake benchmark. All names are invented; every alert is a new one unless said otherwise. */

const STORM_ROUNDS = 7;
const STORM_ALERTS_A_BODY = 30;
export const STORM_GROUPS = 50;

/** `count` bodies of one group each, about 1.2 KB an alert. `salt` keeps the alerts of different calls apart. */
export function inventGroups(count: number, alertsEach: number, salt: string): readonly string[] {
  return Array.from({ length: count }, (_, group) => {
    const name = `group-${salt}-${group}`;
    return body(
      name,
      Array.from({ length: alertsEach }, (_alert, n) => alert(name, n)),
    );
  });
}

/** 50 groups, each sent seven times: its first alert always, and 29 new ones. `alerts` counts what all bodies carry; `salt` as above. */
export function inventStorm(salt: string): { readonly bodies: readonly string[]; readonly alerts: number } {
  const bodies: string[] = [];
  for (let round = 0; round < STORM_ROUNDS; round++) {
    for (let group = 0; group < STORM_GROUPS; group++) {
      const name = `storm-${salt}-${group}`;
      const fresh = Array.from({ length: STORM_ALERTS_A_BODY - 1 }, (_, n) => 1 + round * STORM_ALERTS_A_BODY + n);
      bodies.push(
        body(
          name,
          [0, ...fresh].map((n) => alert(name, n)),
        ),
      );
    }
  }
  return { bodies, alerts: bodies.length * STORM_ALERTS_A_BODY };
}

function alert(group: string, number: number) {
  const instance = `${group}-${number}`;
  return {
    status: 'firing',
    labels: {
      alertname: 'RequestsFailing',
      cluster: 'eu-1',
      namespace: 'shop',
      service: group,
      pod: `${instance}-5d9c7b`,
      instance: `10.4.0.1:${number}`,
      severity: 'critical',
    },
    annotations: {
      summary: `requests to ${instance} fail`,
      description: `More than 5 % of the requests to ${instance} failed over the last ten minutes. `.repeat(3),
      runbook_url: 'https://runbooks.example.net/requests-failing',
    },
    startsAt: '2026-11-03T07:21:45.987654321Z',
    endsAt: '0001-01-01T00:00:00Z',
    generatorURL: 'http://prometheus.example.net:9090/graph?g0.expr=rate%28errors%5B5m%5D%29+%3E+0.05&g0.tab=1',
    fingerprint: instance,
  };
}

function body(group: string, alerts: readonly ReturnType<typeof alert>[]): string {
  const common = { alertname: 'RequestsFailing', cluster: 'eu-1', namespace: 'shop', severity: 'critical' };
  return JSON.stringify({
    receiver: 'rootnote',
    status: 'firing',
    alerts,
    groupLabels: { alertname: 'RequestsFailing', service: group },
    commonLabels: common,
    commonAnnotations: {},
    externalURL: 'http://alertmanager.example.net:9093',
    version: '4',
    groupKey: `{}:{alertname="RequestsFailing", service="${group}"}`,
    truncatedAlerts: 0,
  });
}
