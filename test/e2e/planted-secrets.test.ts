import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, expect, test } from '@jest/globals';
import { Redis } from 'ioredis';
import { drawFrom, isLeaked } from '../../bench/secret-texts.ts';
import { definitionHash } from '../../src/mcp/definition.ts';
import { describeIf } from '../support/describe-if.ts';
import { eventually } from '../support/eventually.ts';
import { ODD_TOOLS } from '../support/mcp/odd-server.ts';
import { startMessagesApi, TEST_API_KEY } from '../support/messages-api/server.ts';
import { calls, says, textOf, type ReceivedBody, type Reply } from '../support/messages-api/script.ts';
import { startOtlpReceiver } from '../support/otlp-receiver.ts';
import { REDIS } from '../support/programs.ts';
import { startPrometheusImitation, type PrometheusImitation } from '../support/prometheus-api.ts';
import { startTestRedis, type TestRedis } from '../support/redis.ts';
import { startRootnote, stopRootnotes, temporaryFolder } from '../support/rootnote-process.ts';

const suite = await describeIf(REDIS);
const { alnum } = drawFrom(77);

/** One of each kind, so that a leak names its way. Of the settings: */
const own = {
  inbound: alnum(30),
  prometheus: alnum(28),
  mcpServer: alnum(32),
  collector: alnum(26),
};
/** What others know, and say where Rootnote reads. */
const foreign = {
  alert: alnum(24),
  label: alnum(25),
  prometheusError: alnum(22),
  file: alnum(27),
  logLine: alnum(29),
  mcpResult: alnum(31),
  mcpFailure: 'hunter2hunter2',
  modelError: alnum(21),
};
/** And what the model writes: whatever it has read, it may say. */
const said = {
  thought: alnum(20),
  command: alnum(33),
  task: alnum(34),
  finding: alnum(35),
  fact: alnum(36),
  report: alnum(37),
};

suite('secrets of every kind, each planted once, in a whole live investigation with sub-agents', () => {
  const stops: (() => Promise<unknown>)[] = [];
  afterEach(async () => {
    await stopRootnotes();
    for (const stop of stops.toReversed()) await stop();
  });
  const kept = <T extends { stop(): Promise<unknown> }>(part: T): T => {
    stops.push(() => part.stop());
    return part;
  };

  test('none reaches Redis, the log, reports, the API, spans or metrics; none that others know reaches the model', async () => {
    const redis = kept(await startTestRedis());
    const collector = kept(await startOtlpReceiver());
    const prometheus = kept(await startProvider());
    const folder = await temporaryFolder();
    const files = await writeFiles(folder);
    const api = await startMessagesApi((body, index) => replyTo(body, index, files));
    stops.push(() => api.close());
    const written = await watch(redis);
    stops.push(() => written.stop());
    const reportDir = join(folder, 'reports');
    const rootnote = await startRootnote('all', {
      REDIS_URL: redis.url,
      ALERTMANAGER_BEARER_TOKENS: own.inbound,
      ANTHROPIC_API_KEY: TEST_API_KEY,
      ANTHROPIC_BASE_URL: api.baseUrl,
      PROMETHEUS_URL: prometheus.url,
      PROMETHEUS_BEARER_TOKEN: own.prometheus,
      MCP_CONFIG_FILE: await writeMcpFile(folder),
      ODD_TOKEN: own.mcpServer,
      READ_ROOTS: folder,
      REPORT_DIR: reportDir,
      LOG_LEVEL: 'trace',
      OTEL_EXPORTER_OTLP_ENDPOINT: collector.url.replace('/v1/traces', ''),
      OTEL_EXPORTER_OTLP_HEADERS: `x-collector-key=${own.collector}`,
    });
    const authorization = `Bearer ${own.inbound}`;
    expect((await rootnote.post(JSON.stringify(alert()), { authorization })).status).toBe(202);
    const file = await eventually('the report is written', async () => {
      const names = await readdir(reportDir).catch(() => []);
      return names.find((name) => /^rep_\w+\.json$/.test(name)) ?? '';
    });
    const get = async (path: string) => (await fetch(`${rootnote.url}${path}`, { headers: { authorization } })).text();
    const shown = [await get('/api/reports'), await get('/metrics'), await readFile(join(reportDir, file), 'utf8')];
    await rootnote.terminate();

    expect(api.refusals).toEqual([]);
    const asked = api.requests.map(({ body }) => textOf(body)).join('\n');
    seenEverything(asked);
    const all = { ...own, ...foreign, ...said };
    for (const words of [
      'what is harmless is kept',
      'the file is read',
      'the log is read',
      'checkout-with',
      '[REDACTED:',
    ])
      expect(written.text()).toContain(words);
    expect(leaks(written.text(), all)).toEqual([]);
    expect(leaks(rootnote.output(), all)).toEqual([]);
    expect(leaks(shown.join('\n'), all)).toEqual([]);
    expect(leaks(collector.text(), all)).toEqual([]);
    expect(leaks(JSON.stringify(api.requests), { ...own, ...foreign })).toEqual([]);
  }, 180_000);
});

function leaks(text: string, planted: Readonly<Record<string, string>>): readonly string[] {
  return Object.entries(planted).flatMap(([kind, secret]) => {
    if (!isLeaked(text, secret)) return [];
    const at = text.indexOf(secret);
    return [`${kind}: ${text.slice(Math.max(0, at - 80), at + 12)}`];
  });
}

/** A test that planted nothing would pass. */
function seenEverything(asked: string): void {
  for (const words of [
    'the file is read',
    'the log is read',
    'checkout-with',
    'ODD_TOKEN',
    'no such thing',
    'the query is refused',
  ])
    expect(asked).toContain(words);
}

function alert() {
  return {
    version: '4',
    groupKey: 'planted',
    status: 'firing',
    receiver: 'rootnote',
    groupLabels: { alertname: 'CheckoutSlow' },
    commonLabels: { alertname: 'CheckoutSlow', service: 'checkout', severity: 'critical' },
    commonAnnotations: {},
    externalURL: 'http://alertmanager.example',
    alerts: [
      {
        status: 'firing',
        labels: { alertname: 'CheckoutSlow', service: 'checkout', severity: 'critical', db_password: foreign.label },
        annotations: {
          summary: 'p95 above 1 s',
          hint: `curl -H "Authorization: Bearer ${own.inbound}" -u admin:${foreign.alert} http://checkout`,
        },
        startsAt: new Date(Date.now() - 60_000).toISOString(),
        endsAt: '0001-01-01T00:00:00Z',
        generatorURL: '',
        fingerprint: 'aaaaaaaaaaaaaaaa',
      },
    ],
  };
}

function startProvider(): Promise<PrometheusImitation> {
  return startPrometheusImitation(({ params }) =>
    params.get('query')?.includes('refused_query') === true
      ? {
          status: 422,
          body: JSON.stringify({
            status: 'error',
            errorType: 'execution',
            error: `the query is refused: token ${own.prometheus} postgres://app:${foreign.prometheusError}@db/x`,
          }),
        }
      : undefined,
  );
}

interface Files {
  readonly text: string;
  readonly log: string;
}

async function writeFiles(folder: string): Promise<Files> {
  const files = { text: join(folder, 'app.conf'), log: join(folder, 'app.log') };
  await writeFile(files.text, `# the file is read\ndb_password = ${foreign.file}\n`);
  await writeFile(files.log, `the log is read\nGET / Authorization: Bearer ${foreign.logLine}\n`);
  return files;
}

async function writeMcpFile(folder: string): Promise<string> {
  const support = (name: string) => fileURLToPath(new URL(`../support/${name}`, import.meta.url));
  const allowTools = ['lookup', 'environment', 'fails'];
  const toolsSha256 = Object.fromEntries(
    ODD_TOOLS.filter(({ name }) => allowTools.includes(name)).map(
      ({ name, description, inputSchema, annotations }) =>
        [name, definitionHash({ name, description, inputSchema, annotations })] as const,
    ),
  );
  const odd = {
    transport: 'stdio',
    command: process.execPath,
    args: ['--import', support('typescript-loader.mjs'), support('mcp/mcp-stdio-worker.ts')],
    env: ['ODD_TOKEN'],
    allowTools,
    toolsSha256,
  };
  const file = join(folder, 'mcp.json');
  await writeFile(file, JSON.stringify({ servers: { odd } }));
  return file;
}

/** Everything that is ever sent to the server, also what is gone when the report is there: checkpoints, orders, jobs. */
async function watch(redis: TestRedis): Promise<{ text(): string; stop(): Promise<void> }> {
  const connection = new Redis(redis.url);
  const watching = await connection.monitor();
  const commands: string[] = [];
  watching.on('monitor', (_time: string, args: string[]) => commands.push(args.join(' ')));
  return {
    text: () => commands.join('\n'),
    stop: () => {
      watching.disconnect();
      connection.disconnect();
      return Promise.resolve();
    },
  };
}

/** Asks everything that holds a secret, and says one in every way that a model has. */
function replyTo(body: ReceivedBody, index: number, files: Files): Reply {
  if (index === 0)
    return { status: 500, errorType: 'api_error', message: `no route to postgres://app:${foreign.modelError}@db/x` };
  const turn = body.messages.filter(({ role }) => role === 'assistant').length;
  if (!body.tools?.some(({ name }) => name === 'delegate'))
    return turn === 0
      ? calls(['bash', { command: `cat ${files.log}` }])
      : says(
          JSON.stringify({
            conclusion: `what is harmless is kept; password=${said.finding}`,
            evidence: [],
            verdicts: [],
            gaps: [`no login with token: ${said.finding}`],
          }),
        );
  if (turn === 0)
    return {
      blocks: [
        { type: 'text', text: `I look around. The password is ${said.thought}` },
        { type: 'tool_use', name: 'read', input: { path: files.text } },
        { type: 'tool_use', name: 'bash', input: { command: `cat ${files.log}` } },
        { type: 'tool_use', name: 'bash', input: { command: `grep password=${said.command} ${files.log}` } },
        { type: 'tool_use', name: 'query_metrics', input: { query: 'refused_query' } },
        {
          type: 'tool_use',
          name: 'mcp__odd__lookup',
          input: { service: `checkout-with token=${foreign.mcpResult}` },
        },
        { type: 'tool_use', name: 'mcp__odd__environment', input: {} },
        { type: 'tool_use', name: 'mcp__odd__fails', input: {} },
      ],
    };
  if (turn === 1)
    return calls(
      ['delegate', { tasks: [{ task: `Log in with password=${said.task} and look at the log.` }] }],
      ['remember', { fact: `checkout: password = ${said.fact}` }],
    );
  return says(
    JSON.stringify({
      status: 'undetermined',
      summary: `what is harmless is kept. Log in with password=${said.report}.`,
      root_cause_service: null,
      root_cause_type: 'unknown',
      confidence: 0.2,
      confidence_reasons: [`the token: ${said.report} worked`],
      evidence: [],
      causal_chain: [],
      alternatives: [],
      action_plan: [],
    }),
  );
}
