import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { checkRouting, openRouting, routingSecretsOf } from '../../src/app/open-routing.ts';
import { tryRoute } from '../../src/app/try-route.ts';
import { ConfigError, parseConfig } from '../../src/config/load-config.ts';
import { findProgram } from '../../src/platform/find-program.ts';
import { runProgram } from '../../src/platform/run-program.ts';
import { takeRoutes } from '../../src/policy/routing/routing.ts';
import { skipSuite } from '../support/describe-if.ts';
import { projectRoot } from '../support/programs.ts';

let folder = '';
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'rn-routes-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

let count = 0;
async function configWith(yaml: string, environment: Record<string, string> = {}) {
  const file = join(folder, `routes-${++count}.yaml`);
  await writeFile(file, yaml);
  return { file, config: parseConfig({ ROUTES_FILE: file, STATE_DIR: folder, ...environment }) };
}

const SLACK = { SLACK_BOT_TOKEN: 'xoxb-of-a-test', SLACK_CHANNEL: 'C00000001' };
const WORKED_EXAMPLE = `
destinations:
  payments:
    type: slack
    channel: C00000002
routes:
  - matchers: [severity="critical"]
    destinations: [slack]
    continue: true
  - matchers: [team=~"pay.*"]
    destinations: [payments]
    after: 10m
mute:
  - matchers: [cluster="old", severity!="critical"]
    reason: is being taken down
    until: 2026-12-31
default: [file]
`;

describe('ROUTES_FILE', () => {
  test('adds destinations and decides who is told', async () => {
    const { config, file } = await configWith(WORKED_EXAMPLE, SLACK);
    const opened = openRouting(config);
    expect(opened.destinations.map(({ name }) => name)).toEqual(['file', 'slack', 'payments']);
    expect(checkRouting(config, opened)).toMatchObject({
      status: 'ok',
      value: `2 routes and 1 mute rule in ${file}, 3 destinations, otherwise to file`,
    });
  });

  test('doctor --route says which route is taken, where it leads and what is muted', async () => {
    const { config, file } = await configWith(WORKED_EXAMPLE, SLACK);
    const now = Date.parse('2026-11-30T00:00:00Z');
    const said = (labels: string) => tryRoute(config, { labels, json: false }, now);
    expect(said('severity=critical,team=payments')).toBe(
      [
        `route         ${file}:7: severity="critical" (and on)`,
        `route         ${file}:10: team=~"pay.*"`,
        'destinations  slack, payments (after 10 min, when it still fires)',
        'muted         no',
        '',
      ].join('\n'),
    );
    expect(said('cluster=old')).toBe(
      [
        'route         none matches: the default',
        'destinations  nobody while it is muted; then file',
        'muted         yes until 2027-01-01T00:00:00.000Z: is being taken down',
        '',
      ].join('\n'),
    );
    const answer = JSON.parse(tryRoute(config, { labels: 'cluster=old', json: true }, now)) as object;
    expect(answer).toMatchObject({
      routes: [],
      destinations: [{ destination: 'file', afterMs: 0 }],
      muted: { reason: 'is being taken down', until: '2027-01-01T00:00:00.000Z' },
    });
    expect(() => said('severity')).toThrow('--route: severity: an operator is missing: write severity=critical');
  });

  test('the worked example of the docs works as they show', async () => {
    const docs = await readFile(join(projectRoot(), 'docs', 'routing.md'), 'utf8');
    const [, yaml = ''] = /```yaml\n([\s\S]*?)```/.exec(docs) ?? [];
    const [, labels = '', shown = ''] = /--route '([^']+)'\n([\s\S]*?)```/.exec(docs) ?? [];
    const jira = {
      JIRA_URL: 'https://acme.atlassian.net',
      JIRA_EMAIL: 'a@example.com',
      JIRA_TOKEN: 't',
      JIRA_PROJECT: 'OPS',
    };
    const { config, file } = await configWith(yaml, { ...SLACK, ...jira, PAGERDUTY_API_TOKEN: 'p' });
    const said = tryRoute(config, { labels, json: false }, Date.parse('2026-11-30T12:00:00Z'));
    expect(said.replaceAll(file, 'routes.yaml')).toBe(shown);
  });

  test('everything that is wrong is told at once, each with its line', async () => {
    const { config, file } = await configWith(`
routes:
  - matchers: [severity="critical]
    destinations: [pager]
  - matchers: [team=~"(a"]
    destination: [file]
mute:
  - matchers: [a="b"]
    until: someday
`);
    let message = '';
    try {
      openRouting(config);
    } catch (error) {
      expect(error).toBeInstanceOf(ConfigError);
      message = error instanceof Error ? error.message : '';
    }
    const wanted = [
      /:3: routes\.#1\.matchers: /,
      /:4: .*no destination pager/,
      /:5: .*without its \)/,
      /:6: .*did you mean destinations\?/,
      /reason/,
      /:9: .*such as 2026-12-31/,
    ];
    for (const line of wanted) expect(message).toMatch(line);
    expect(message.split('\n').every((line) => line.startsWith(`ROUTES_FILE: ${file}:`))).toBe(true);
  });

  test.each([
    [
      'a destination that lacks its secret',
      'destinations: {a: {type: teams, url_env: NOT_SET}}\ndefault: [a]',
      /:1: .*NOT_SET/,
    ],
    [
      'one that no route leads to',
      'destinations: {a: {type: file, folder: x}}\ndefault: [file]',
      /no route leads to a/,
    ],
    ['one whose name is taken', 'destinations: {file: {type: file, folder: x}}\ndefault: [file]', /choose another/],
    ['what is no YAML', 'routes: [', /:1:10: this is no YAML: /],
  ])('%s is refused', async (_what, yaml, reason) => {
    const { config } = await configWith(yaml);
    expect(() => openRouting(config)).toThrow(reason);
    expect(routingSecretsOf(config)).toEqual([]);
  });

  test('without it everything goes to all', () => {
    const opened = openRouting(parseConfig({ STATE_DIR: folder, ...SLACK }));
    expect(opened.rules.default).toEqual(['file', 'slack']);
  });
});

const amtool = await findProgram(['amtool']);
(amtool ? describe : skipSuite('no amtool on PATH; it comes with Alertmanager'))('against Alertmanager itself', () => {
  const matchers = [
    ['severity="critical"'],
    ['team=~"pay.*|core"', 'severity!="info"'],
    ['team!~"pay.*"', 'cluster="eu-1"'],
    ['instance=~"db-[0-9]+\\\\.example\\\\.com:\\\\d{2,4}"'],
    ['cluster=""', 'team="search"'],
    ['severity=~"(?:warn|crit)ical|warning"'],
  ];
  const goesOn = [true, false, true, false, true, false];
  const values = {
    severity: ['critical', 'warning', 'info', ''],
    team: ['payments', 'core', 'search', ''],
    cluster: ['eu-1', ''],
    instance: ['db-12.example.com:5432', 'db-x.example.com:1', ''],
  };

  test('amtool config routes test leads to the same receivers', async () => {
    const names = matchers.map((_list, index) => `r${index}`);
    const quoted = (list: readonly string[]) =>
      `[${list.map((matcher) => `'${matcher.replaceAll('\\\\', '\\')}'`).join(', ')}]`;
    const route = (list: readonly string[], index: number) =>
      `matchers: ${quoted(list)}, continue: ${goesOn[index] ?? false}`;
    const theirs = join(folder, 'alertmanager.yaml');
    await writeFile(
      theirs,
      `route:\n  receiver: otherwise\n  routes:\n${matchers.map((list, index) => `    - {receiver: r${index}, ${route(list, index)}}\n`).join('')}` +
        `receivers:\n${['otherwise', ...names].map((name) => `  - name: ${name}\n`).join('')}`,
    );
    const { config } = await configWith(
      `destinations:\n${['otherwise', ...names].map((name) => `  ${name}: {type: file, folder: x}\n`).join('')}` +
        `default: [otherwise]\nroutes:\n${matchers.map((list, index) => `  - {destinations: [r${index}], ${route(list, index)}}\n`).join('')}`,
    );
    const { rules } = openRouting(config);
    const sets = values.severity.flatMap((severity) =>
      values.team.flatMap((team) =>
        values.cluster.flatMap((cluster) => values.instance.map((instance) => ({ severity, team, cluster, instance }))),
      ),
    );
    for (const set of sets) {
      const labels = Object.entries(set).filter(([, value]) => value !== '');
      const args = labels.map(([name, value]) => `${name}=${value}`);
      const answer = await runProgram(
        amtool?.command ?? '',
        ['config', 'routes', 'test', `--config.file=${theirs}`, ...args],
        { timeoutMs: 10_000 },
      );
      const ours = takeRoutes(rules, [Object.fromEntries(labels)]).destinations.map(({ destination }) => destination);
      expect([args, ours]).toEqual([args, answer.trim().split(',')]);
    }
  });
});
