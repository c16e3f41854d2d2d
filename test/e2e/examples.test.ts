import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { parse, stringify } from 'yaml';
import { startAlertmanager } from '../support/alertmanager.ts';
import { describeIf } from '../support/describe-if.ts';
import { eventually } from '../support/eventually.ts';
import { freePort } from '../support/free-port.ts';
import type { LoopbackProgram } from '../support/loopback-program.ts';
import { ALERTMANAGER, PROMETHEUS, REDIS } from '../support/programs.ts';
import { startPrometheus } from '../support/prometheus.ts';
import { admittedIn, startRootnote, stopRootnotes, type RootnoteProcess } from '../support/rootnote-process.ts';

const TOKEN = 'token-of-the-examples';
/** What fires beside the alerts about Rootnote: one to investigate, and three that must not come. */
const RULES = `
  - name: test
    rules:
      - { alert: CheckoutErrors, expr: vector(1), labels: { service: checkout, severity: critical } }
      - { alert: Watchdog, expr: vector(1), labels: { severity: critical } }
      - { alert: RootnoteTest, expr: vector(1), labels: { severity: critical } }
      - { alert: Chatter, expr: vector(1), labels: { severity: info } }
`;

interface Route {
  readonly receiver: string;
  readonly routes?: readonly Route[];
}

const suite = await describeIf(REDIS, PROMETHEUS, ALERTMANAGER);
suite('the examples for Prometheus and Alertmanager, with a running Rootnote', () => {
  let folder: string;
  let prometheus: LoopbackProgram;
  let alertmanager: LoopbackProgram;
  let rootnote: RootnoteProcess;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'rn-examples-'));
    await writeFile(join(folder, 'token'), `${TOKEN}\n`);
    const port = await freePort();
    alertmanager = await startAlertmanager({ configYaml: alertmanagerYaml(port) });
    rootnote = await startRootnote('all', {
      PORT: String(port),
      ALERTMANAGER_BEARER_TOKENS: TOKEN,
      REPORT_DIR: folder,
    });
    prometheus = await startPrometheus({
      configYaml: prometheusYaml(port),
      rulesYaml: `${readFileSync('examples/prometheus/rootnote-alerts.yml', 'utf8')}${RULES}`,
      resendDelay: '5s',
    });
  }, 240_000);

  afterAll(async () => {
    await stopRootnotes();
    await prometheus?.stop();
    await alertmanager?.stop();
    await rm(folder, { recursive: true, force: true });
  });

  /** The example with what only this machine can know, and quicker. */
  function alertmanagerYaml(port: number): string {
    const config = parse(readFileSync('examples/alertmanager/alertmanager.yml', 'utf8')) as {
      readonly route: Route;
      readonly receivers: readonly {
        readonly name: string;
        readonly webhook_configs?: readonly Readonly<Record<string, unknown>>[];
      }[];
    };
    const quick = (route: Route): Route => ({
      ...route,
      ...('group_wait' in route ? { group_wait: '100ms', group_interval: '1s' } : {}),
      ...(route.routes ? { routes: route.routes.map(quick) } : {}),
    });
    const text = stringify({ ...config, route: quick(config.route) });
    return text
      .replace('http://rootnote:8080', `http://127.0.0.1:${port}`)
      .replace('/run/secrets/rootnote_token', join(folder, 'token'));
  }

  function prometheusYaml(port: number): string {
    return readFileSync('examples/prometheus/prometheus.yml', 'utf8')
      .replace('rootnote-alerts.yml', 'rules.yml')
      .replaceAll('15s', '500ms')
      .replaceAll('alertmanager:9093', new URL(alertmanager.url).host)
      .replaceAll('rootnote:8080', `127.0.0.1:${port}`);
  }

  test('an alert goes from Prometheus through Alertmanager to an investigation, with the token from its file', async () => {
    const admitted = await eventually(
      'an incident',
      () => admittedIn(rootnote.output()),
      (all) => all.length > 0,
    );
    expect(admitted[0]?.decision).toBe('new');
    const headers = { authorization: `Bearer ${TOKEN}` };
    const id = admitted[0]?.incidentId ?? '';
    const incident = await (await fetch(`${rootnote.url}/api/v1/incidents/${id}`, { headers })).text();
    expect(incident).toContain('CheckoutErrors');
  });

  test('what is about Rootnote, always fires or only informs is not sent to it, but to the pager', async () => {
    const groups = await eventually(
      'all four alerts',
      async () => (await (await fetch(`${alertmanager.url}/api/v2/alerts/groups`)).json()) as readonly Group[],
      (all) => new Set(namesFor(all)).size >= 4,
    );
    expect(new Set(namesFor(groups, 'rootnote'))).toEqual(new Set(['CheckoutErrors']));
    expect(new Set(namesFor(groups, 'pager'))).toEqual(
      new Set(['CheckoutErrors', 'Watchdog', 'RootnoteTest', 'Chatter']),
    );
  });

  test('Prometheus scrapes Rootnote and can evaluate every rule', async () => {
    const rules = await eventually(
      'every rule is evaluated',
      async () => {
        const answer = (await (await fetch(`${prometheus.url}/api/v1/rules`)).json()) as { readonly data: RuleGroups };
        return answer.data.groups.flatMap((group) => group.rules);
      },
      (all) => all.length > 18 && all.every(({ health }) => health !== 'unknown'),
    );
    expect(rules.filter(({ health }) => health !== 'ok')).toEqual([]);
    const down = rules.find(({ name }) => name === 'RootnoteDown');
    await eventually(
      'it is scraped',
      async () => (await fetch(`${prometheus.url}/api/v1/query?query=up{job="rootnote"}`)).text(),
      (text) => text.includes('"1"]'),
    );
    expect(down?.state).not.toBe('firing');
  });
});

interface Group {
  readonly receiver: { readonly name: string };
  readonly alerts: readonly { readonly labels: { readonly alertname: string } }[];
}

interface RuleGroups {
  readonly groups: readonly {
    readonly rules: readonly { readonly name: string; readonly health: string; readonly state?: string }[];
  }[];
}

function namesFor(groups: readonly Group[], receiver?: string): readonly string[] {
  const own = groups.filter((group) => receiver === undefined || group.receiver.name === receiver);
  return own.flatMap(({ alerts }) => alerts.map(({ labels }) => labels.alertname));
}
