import { createServer, type Server } from 'node:net';
import type { AddressInfo } from 'node:net';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals';
import { z } from 'zod';
import { silentLogger } from '../../src/platform/logger.ts';
import { openReceiverRedis } from '../../src/platform/redis.ts';
import { createCheckStore } from '../../src/sessions/check-store.ts';
import { describeIf } from '../support/describe-if.ts';
import { freePort } from '../support/free-port.ts';
import { startMessagesApi, TEST_API_KEY, type MessagesApi } from '../support/messages-api/server.ts';
import { REDIS } from '../support/programs.ts';
import { startPrometheusImitation, type PrometheusImitation } from '../support/prometheus-api.ts';
import { startTestRedis, type TestRedis } from '../support/redis.ts';
import { runRootnote, startRootnote, stopRootnotes, temporaryFolder } from '../support/rootnote-process.ts';
import { startSlackApi, type SlackApiServer } from '../support/slack-api.ts';

const Checkup = z.array(
  z.strictObject({
    name: z.string(),
    status: z.enum(['ok', 'warn', 'fail', 'off']),
    value: z.string(),
    details: z.array(z.string()).optional(),
    remedy: z.string().optional(),
  }),
);
const WRONG_SLACK_TOKEN = 'xoxb-the-wrong-slack-token';
const WRONG_API_KEY = 'sk-ant-the-wrong-key';

const suite = await describeIf(REDIS);

suite('rootnote doctor', () => {
  let redis: TestRedis;
  let slack: SlackApiServer;
  let messages: MessagesApi;
  let prometheus: PrometheusImitation;
  let website: PrometheusImitation;

  beforeAll(async () => {
    redis = await startTestRedis();
    slack = await startSlackApi();
    messages = await startMessagesApi([]);
    prometheus = await startPrometheusImitation(({ params }) =>
      params.get('query')?.includes('up')
        ? { data: { resultType: 'vector', result: [{ metric: { up: '1' }, value: [1, '3'] }] } }
        : undefined,
    );
    website = await startPrometheusImitation(() => ({ status: 200, body: '<!doctype html><title>Welcome</title>' }));
  });
  afterAll(async () => {
    await Promise.all([redis.stop(), slack.close(), messages.close(), prometheus.stop(), website.stop()]);
  });
  afterEach(stopRootnotes);

  const allRight = () => ({
    PORT: '0',
    ALERTMANAGER_BEARER_TOKENS: 'a-token-of-a-test',
    REDIS_URL: redis.url,
    PROMETHEUS_URL: prometheus.url,
    SLACK_API_URL: slack.apiUrl,
    SLACK_BOT_TOKEN: slack.token,
    SLACK_CHANNEL: slack.channel,
    ANTHROPIC_BASE_URL: messages.baseUrl,
    ANTHROPIC_API_KEY: TEST_API_KEY,
  });

  test('all right: says what was seen of every part and ends with 0', async () => {
    const { code, stdout } = await runRootnote(['doctor'], allRight());
    expect(stdout).toContain('Nothing is broken.');
    for (const seen of [
      /redis +Redis \d+\.\d+/,
      /prometheus +Prometheus 2\.42\.0, 3 targets up/,
      /slack +rootnote in Acme, #alerts/,
    ])
      expect(stdout).toMatch(seen);
    expect(stdout).toMatch(/model .*accepts the key/);
    expect(code).toBe(0);
  });

  test('everything wrong at once: every part says which, why and what to do; no secret is printed; ends with 1', async () => {
    const { code, stdout, stderr } = await runRootnote(['doctor', '--json'], {
      ...allRight(),
      REDIS_URL: `redis://worker:redis-password-1@127.0.0.1:${await freePort()}`,
      PROMETHEUS_URL: `http://127.0.0.1:${await freePort()}`,
      PROMETHEUS_BEARER_TOKEN: 'prometheus-token-1',
      SLACK_BOT_TOKEN: WRONG_SLACK_TOKEN,
      ANTHROPIC_API_KEY: WRONG_API_KEY,
    });
    expect(code).toBe(1);
    expect(failures(stdout)).toEqual({
      redis: [expect.stringContaining('ECONNREFUSED'), expect.stringContaining('REDIS_URL')],
      model: [expect.stringMatching(/401|key/), expect.stringContaining('ANTHROPIC_API_KEY')],
      prometheus: [expect.stringContaining('ECONNREFUSED'), expect.stringContaining('PROMETHEUS_URL')],
      slack: ['invalid_auth', expect.stringContaining('SLACK_BOT_TOKEN')],
    });
    for (const secret of ['redis-password-1', 'prometheus-token-1', WRONG_SLACK_TOKEN, WRONG_API_KEY])
      expect(stdout + stderr).not.toContain(secret);
  });

  test('addresses that lead somewhere else: a website, nothing at all', async () => {
    const nowhere = `http://127.0.0.1:${await freePort()}`;
    const { code, stdout } = await runRootnote(['doctor', '--json'], {
      ...allRight(),
      PROMETHEUS_URL: website.url,
      SLACK_API_URL: nowhere,
      ANTHROPIC_BASE_URL: nowhere,
    });
    expect(code).toBe(1);
    expect(failures(stdout)).toEqual({
      prometheus: [expect.stringMatching(/not a Prometheus API .*HTML/), expect.stringContaining('PROMETHEUS_URL')],
      slack: [expect.stringContaining('ECONNREFUSED'), expect.stringContaining('SLACK_API_URL')],
      model: [expect.any(String), expect.stringContaining('ANTHROPIC_BASE_URL')],
    });
  });

  test('what takes connections and never answers is named, and doctor ends all the same', async () => {
    const silent = await listenSilently();
    try {
      const { port } = silent.address() as AddressInfo;
      const { code, stdout } = await runRootnote(['doctor', '--json'], {
        ...allRight(),
        REDIS_URL: `redis://127.0.0.1:${port}`,
        PROMETHEUS_URL: `http://127.0.0.1:${port}`,
        SLACK_API_URL: `http://127.0.0.1:${port}`,
        ANTHROPIC_BASE_URL: `http://127.0.0.1:${port}`,
      });
      expect(code).toBe(1);
      expect(Object.keys(failures(stdout)).toSorted()).toEqual(['model', 'prometheus', 'redis', 'slack']);
    } finally {
      silent.close();
    }
  });

  test('a Redis that may evict alerts: doctor fails it, and no role starts on it', async () => {
    const evicting = await startTestRedis({ args: ['--maxmemory-policy', 'allkeys-lru'] });
    try {
      const env = { ...allRight(), REDIS_URL: evicting.url, PORT: '0' };
      const { code, stdout } = await runRootnote(['doctor', '--json'], env);
      expect(code).toBe(1);
      expect(failures(stdout)).toEqual({
        redis: [expect.stringContaining('maxmemory-policy allkeys-lru'), expect.stringContaining('REDIS_URL')],
      });
      for (const role of ['all', 'serve', 'work', 'schedule']) {
        const { code, stderr } = await runRootnote([role], env);
        expect({ role, code, stderr }).toMatchObject({ code: 2, stderr: expect.stringContaining('noeviction') });
      }
    } finally {
      await evicting.stop();
    }
  });

  test('nothing is configured: no failure, and it says what that means', async () => {
    const { code, stdout } = await runRootnote(['doctor'], { PORT: '0' });
    expect(code).toBe(0);
    expect(stdout).toMatch(/Redis \d+\.\d+.*, embedded/);
    expect(stdout).toContain('the offline analyst writes the reports');
    expect(stdout).toContain('Set PROMETHEUS_URL');
    expect(stdout).toMatch(/– slack +neither SLACK_BOT_TOKEN/);
    expect(stdout).toMatch(/! sources +alertmanager: open, anybody may send/);
    expect(stdout).toContain('Works, but: 2 warnings.');
  });

  test('D5: broken checks are named with file and line', async () => {
    const folder = await temporaryFolder();
    await mkdir(join(folder, 'jobs'));
    await writeFile(join(folder, 'jobs', 'wrong.md'), '---\ndescription: x\ncron: "* *"\n---\nLook.\n');
    const { code, stdout } = await runRootnote(['doctor', '--json'], { ...allRight(), JOBS_DIR: join(folder, 'jobs') });
    expect(code).toBe(1);
    expect(Object.keys(failures(stdout))).toEqual(['scheduled checks']);
    expect(stdout).toMatch(/wrong\.md:3: cron: must have five fields/);
  });

  test('D5: checks whose last run could look at nothing are a warning, with why', async () => {
    const folder = join(await temporaryFolder(), 'jobs');
    await mkdir(folder);
    const text = (more: string) => `---\ndescription: x\ncron: "0 * * * *"\n${more}---\nLook.\n`;
    for (const name of ['blind', 'seeing', 'new']) await writeFile(join(folder, `${name}.md`), text(''));
    await writeFile(join(folder, 'off.md'), text('enabled: false\n'));
    const connection = openReceiverRedis(redis.target, silentLogger());
    await new Promise((resolve) => connection.once('ready', resolve));
    const store = createCheckStore(connection, 'rootnote');
    const tickMs = Date.parse('2026-11-29T10:00:00Z');
    const outcome = { tickMs, endedAtMs: tickMs, reportId: 'r', confidence: 0, signature: '[]' };
    for (const name of ['blind', 'off'])
      await store.noteResult(name, { ...outcome, status: 'failed', summary: 'Nothing could be looked at.' });
    await store.noteResult('seeing', { ...outcome, status: 'healthy', summary: 'All clear.' });
    connection.disconnect();
    const env = { ...allRight(), JOBS_DIR: folder };
    const line = async (more: Readonly<Record<string, string>>) => {
      const { stdout } = await runRootnote(['doctor', '--json'], { ...env, ...more });
      return Checkup.parse(JSON.parse(stdout)).find(({ name }) => name === 'scheduled checks');
    };
    expect(await line({})).toMatchObject({
      status: 'warn',
      value: `3 enabled, 1 disabled in ${folder}; the last run was inconclusive of 1`,
      details: ['blind, 2026-11-29T10:00Z: Nothing could be looked at.'],
      remedy: expect.stringContaining('rootnote check run NAME'),
    });
    expect(await line({ REDIS_URL: 'redis://127.0.0.1:1' })).toEqual({
      name: 'scheduled checks',
      status: 'ok',
      value: `3 enabled, 1 disabled in ${folder}`,
    });
    const list = await runRootnote(['check', 'list'], env);
    expect(list.stdout).toMatch(/result of 2026-11-29 10:00Z: Nothing could be looked at/);
  });

  test('inbound: free, served by Rootnote, taken by another program, and open to anybody', async () => {
    const port = String(await freePort());
    const inbound = async (env: Readonly<Record<string, string>>) => {
      const { stdout } = await runRootnote(['doctor', '--json'], { ...allRight(), ...env });
      const line = Checkup.parse(JSON.parse(stdout)).find(({ name }) => name === 'inbound');
      return `${line?.status}: ${line?.value}`;
    };
    expect(await inbound({ PORT: port })).toBe(`ok: 127.0.0.1:${port} is free`);
    const role = await startRootnote('serve', { ...allRight(), PORT: port });
    expect(await inbound({ PORT: port })).toBe(`ok: 127.0.0.1:${port} is served by a running Rootnote`);
    await role.kill();
    const { port: taken } = new URL(website.url);
    expect(await inbound({ PORT: taken })).toBe(`fail: 127.0.0.1:${taken} is used by another program`);
    expect(await inbound({ HOST: '0.0.0.0', ALERTMANAGER_BEARER_TOKENS: '' })).toBe(
      'fail: 0.0.0.0, a free port: no role that receives starts',
    );
  });

  test('settings that nothing reads are warnings: a misspelt name, a channel without a token, a folder that is not there', async () => {
    const folder = await temporaryFolder();
    await writeFile(
      join(folder, '.env'),
      'PROMETHEUS_ULR=http://localhost:9090\nSLACK_TOKEN=x\nCOMPOSE_PROJECT=shop\n',
    );
    const env = { PORT: '0', REDIS_URL: redis.url, SLACK_CHANNEL: 'C1', JOBS_DIR: 'no-such-jobs' };
    const { code, stdout } = await runRootnote(['doctor'], env, folder);
    expect(code).toBe(0);
    expect(stdout).toMatch(/! settings +no setting has the name PROMETHEUS_ULR, SLACK_TOKEN\n/);
    expect(stdout).toContain('PROMETHEUS_ULR: did you mean PROMETHEUS_URL?');
    expect(stdout).toMatch(/! slack +SLACK_CHANNEL is set/);
    expect(stdout).toMatch(/! scheduled checks +there is no folder no-such-jobs/);
    expect(stdout).toContain('Works, but: 5 warnings.');
  });

  test('a check that never ends does not keep doctor from ending', async () => {
    // Node tries to make this folder for ever.
    const { code, stdout } = await runRootnote(['doctor'], { ...allRight(), REPORT_DIR: '/proc/no/such/folder' });
    expect(stdout).toMatch(/✗ file/);
    expect(code).toBe(1);
  });

  test('settings and files that cannot be used are told with all their mistakes, and hide nothing else', async () => {
    const folder = await temporaryFolder();
    await writeFile(join(folder, 'routes.yaml'), 'routes:\n  - matchers: [a=="b"]\n    destinations: [nowhere]\n');
    await writeFile(join(folder, 'sources.yaml'), 'sources: [{ name: shop, auth: { bearer: NO_SUCH_TOKEN } }]\n');
    await writeFile(join(folder, 'mcp.yaml'), 'servers: 7\n');
    await writeFile(join(folder, 'redact.yaml'), '- { type: a, pattern: "(x+)+" }\n- { type: b }\n');
    await writeFile(join(folder, 'queries.yaml'), '');
    const files = {
      ROUTES_FILE: 'routes.yaml',
      SOURCES_FILE: 'sources.yaml',
      MCP_CONFIG_FILE: 'mcp.yaml',
      REDACT_PATTERNS_FILE: 'redact.yaml',
      QUERIES_FILE: 'queries.yaml',
    };
    const env = {
      ...allRight(),
      ...files,
      PORT: 'eighty',
      ALERTMANAGER_BASIC_AUTH: 'nobody',
      PROMETHEUS_CA_FILE: '/no/such.pem',
      MEMORY_STORE: 'rediss',
      MAX_SPANS: 'many',
      GRAFANA_BEARER_TOKENS: 'changeme',
    };
    const { code, stdout, stderr } = await runRootnote(['doctor', '--json'], env, folder);
    expect(code).toBe(1);
    const checkup = Checkup.parse(JSON.parse(stdout));
    const details = Object.fromEntries(
      checkup.flatMap(({ name, status, details: told }) => (status === 'fail' ? [[name, told]] : [])),
    );
    expect(details).toEqual({
      inbound: ['PORT: must be a whole number from 0 to 65535'],
      sources: [
        'ALERTMANAGER_BASIC_AUTH: must have the form user:password',
        'SOURCES_FILE: sources.yaml:1: sources.shop.auth: the variable NO_SUCH_TOKEN is not set',
      ],
      prometheus: [
        'PROMETHEUS_CA_FILE: /no/such.pem is not there',
        expect.stringMatching(/^QUERIES_FILE: queries.yaml: the file is empty/),
      ],
      mcp: ['MCP_CONFIG_FILE: mcp.yaml:1: servers: must be a map of names and values, not a number'],
      routing: [
        expect.stringMatching(/^ROUTES_FILE: routes.yaml:2: .*Alertmanager's is =: write a="b"$/),
        expect.stringMatching(/^ROUTES_FILE: routes.yaml:3: .*there is no destination nowhere; there is file, slack/),
      ],
      settings: ['MAX_SPANS: must be a whole number from 1000 to 10000000'],
      memory: ['MEMORY_STORE: must be auto, file or redis; did you mean redis?'],
      redaction: [
        expect.stringMatching(/^REDACT_PATTERNS_FILE: redact.yaml:1: a.pattern: .*upper bound/),
        'REDACT_PATTERNS_FILE: redact.yaml:2: b.pattern: is missing: it must be text',
      ],
    });
    const seen = checkup.filter(({ status }) => status === 'ok').map(({ name }) => name);
    expect(seen).toEqual(expect.arrayContaining(['redis', 'model', 'slack', 'file', 'commands']));
    const names = checkup.map(({ name, status }) => `${name} ${status}`);
    expect(names).toEqual([...new Set(names)]);
    expect(names).toContain('settings warn');
    expect(names).not.toContain('telemetry warn');
    expect(stdout + stderr).not.toMatch(/eighty|\bat .*:\d+:\d+/);
  });

  test('a role starts on none of it, and tells all of it at once', async () => {
    const folder = await temporaryFolder();
    await writeFile(join(folder, 'routes.yaml'), 'default: [nowhere]\n');
    await writeFile(join(folder, 'redact.yaml'), '# to be written\n');
    const env = { ...allRight(), ROUTES_FILE: 'routes.yaml', REDACT_PATTERNS_FILE: 'redact.yaml', PORT: 'eighty' };
    const { code, stderr } = await runRootnote(['all'], env, folder);
    expect(code).toBe(2);
    for (const told of [
      '  PORT: must be a whole number',
      '  ROUTES_FILE: routes.yaml:1: default.#1: there is no destination nowhere',
      '  REDACT_PATTERNS_FILE: redact.yaml: the file is empty; write for example',
    ])
      expect(stderr).toContain(told);
  });

  test('a secret that is no secret yet, and one of a strange form, are told without asking anybody', async () => {
    const { code, stdout } = await runRootnote(['doctor'], {
      ...allRight(),
      SLACK_API_URL: '',
      SLACK_BOT_TOKEN: 'xoxb-…',
      GITHUB_API_URL: 'https://github.com',
      GITHUB_ISSUES_TOKEN: 'github_pat_of_a_test',
      GITHUB_ISSUES_REPOSITORY: 'acme/ops',
      PROMETHEUS_BEARER_TOKEN: 'changeme',
    });
    expect(code).toBe(1);
    expect(stdout).toMatch(/✗ slack .*\n +· SLACK_BOT_TOKEN: is not set yet: it holds the placeholder of an example/);
    expect(stdout).toMatch(/✗ github .*\n +· GITHUB_API_URL: is the web site; the API is https:\/\/api.github.com/);
    expect(stdout).toMatch(/! settings +PROMETHEUS_BEARER_TOKEN is not set yet/);
  });
});

/** Every failed part: what was seen, and what to do. */
function failures(stdout: string): Record<string, readonly [value: string, remedy: string | undefined]> {
  const failed = Checkup.parse(JSON.parse(stdout)).filter(({ status }) => status === 'fail');
  return Object.fromEntries(failed.map(({ name, value, remedy }) => [name, [value, remedy] as const]));
}

function listenSilently(): Promise<Server> {
  const server = createServer((socket) => socket.on('error', () => undefined).unref());
  return new Promise((resolve) => server.listen(0, '127.0.0.1', () => resolve(server)));
}
