import { appendFile, cp, readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { Report } from '../../src/domain/report.ts';
import { describeIf } from '../support/describe-if.ts';
import { eventually } from '../support/eventually.ts';
import { firstLookIn } from '../support/first-look.ts';
import { startMessagesApi, type MessagesApi } from '../support/messages-api/server.ts';
import { calls, fails, type Script } from '../support/messages-api/script.ts';
import { paymentsReport } from '../support/payments-report.ts';
import { REDIS } from '../support/programs.ts';
import {
  runRootnote,
  startRootnote,
  stopRootnotes,
  temporaryFolder,
  type RootnoteProcess,
} from '../support/rootnote-process.ts';

const RECORDING = fileURLToPath(new URL('../fixtures/recordings/payments-pool', import.meta.url));

/** What the process is configured with. Put together so that no scanner takes them for real. */
const CONFIGURED = {
  apiKey: ['sk', 'ant', 'configured-key-of-the-test'].join('-'),
  inboundToken: 'inbound-token-of-the-test',
  prometheusToken: 'prometheus-token-of-the-test',
};
/** And a password that only a log line knows. */
const LOGGED = 'correct-horse-battery-staple';
const SECRETS = { ...CONFIGURED, logged: LOGGED };

/** What one investigation with one tool call and one destination, told of the first look and the report, leaves in /metrics. */
const COUNTED: readonly RegExp[] = [
  /^rootnote_webhook_requests_total\{source="alertmanager",code="202"\} 1$/m,
  /^rootnote_investigations_total\{outcome="determined",termination_reason="done"\} 1$/m,
  /^rootnote_investigation_duration_seconds_count\{source="alertmanager"\} 1$/m,
  /^rootnote_investigation_turns_sum\{source="alertmanager"\} 2$/m,
  /^rootnote_llm_requests_total\{model="[\w-]+",status="ok",error_type="none"\} 2$/m,
  /^rootnote_llm_tokens_total\{model="[\w-]+",agent="main",type="input"\} [1-9]/m,
  /^rootnote_llm_tokens_total\{model="[\w-]+",agent="main",type="output"\} [1-9]/m,
  /^rootnote_tool_calls_total\{tool="query_logs",outcome="ok"\} 1$/m,
  /^rootnote_llm_time_to_first_token_seconds_count\{model="[\w-]+"\} 2$/m,
  /^rootnote_evidence_bytes_in_total\{kind="telemetry"\} [1-9]/m,
  /^rootnote_evidence_bytes_out_total\{kind="logs"\} [1-9]/m,
  /^rootnote_deliveries_total\{destination="file",outcome="delivered"\} 2$/m,
  /^rootnote_delivery_duration_seconds_count\{destination="file",outcome="delivered"\} 2$/m,
  /^rootnote_redactions_total\{type="known-secret"\} [1-9]/m,
  /^rootnote_redactions_total\{type="password"\} [1-9]/m,
  /^rootnote_queue_depth\{queue="incidents",state="waiting"\} 0$/m,
  /^rootnote_queue_oldest_age_seconds\{queue="incidents"\} 0$/m,
  /^rootnote_queue_depth\{queue="subagents",state="waiting"\} 0$/m,
  /^rootnote_llm_cost_usd_total\{model="[\w-]+",agent="main"\} 0\.\d/m,
];

const suite = await describeIf(REDIS);

suite('a report by the agent', () => {
  let api: MessagesApi;
  let recording: string;
  let reportDir: string;

  /** The fixture, whose services log what they must not. */
  beforeEach(async () => {
    const folder = await temporaryFolder();
    recording = join(folder, 'case');
    reportDir = join(folder, 'reports');
    await cp(RECORDING, recording, { recursive: true });
    const line = (message: string) =>
      `${JSON.stringify({ time: Date.parse('2026-01-01T10:00:10Z') / 1000, service: 'payments', level: 'ERROR', message })}\n`;
    const leaks = Object.values(CONFIGURED).map((secret) => line(`refused: token ${secret} password=${LOGGED}`));
    await appendFile(join(recording, 'logs.jsonl'), leaks.join(''));
  });
  afterEach(async () => {
    await stopRootnotes();
    await api.close();
  });

  const start = async (script: Script): Promise<RootnoteProcess> => {
    api = await startMessagesApi({ script, apiKey: CONFIGURED.apiKey });
    return startRootnote('all', {
      ALERTMANAGER_BEARER_TOKENS: CONFIGURED.inboundToken,
      ANTHROPIC_API_KEY: CONFIGURED.apiKey,
      ANTHROPIC_BASE_URL: api.baseUrl,
      PROMETHEUS_BEARER_TOKEN: CONFIGURED.prometheusToken,
      RECORDING_DIR: recording,
      REPORT_DIR: reportDir,
      LOG_LEVEL: 'trace',
    });
  };

  /** Sends the recorded alert, with secrets in it, and waits for the report in the folder. */
  const investigate = async (rootnote: RootnoteProcess): Promise<Report> => {
    const body = JSON.parse(await readFile(join(recording, 'alert.json'), 'utf8')) as {
      alerts: { annotations: object }[];
    };
    for (const alert of body.alerts)
      Object.assign(alert.annotations, {
        hint: `curl -H "Authorization: Bearer ${CONFIGURED.inboundToken}"`,
        key: CONFIGURED.apiKey,
      });
    const answer = await rootnote.post(JSON.stringify(body), { authorization: `Bearer ${CONFIGURED.inboundToken}` });
    expect(answer.status).toBe(202);
    const [file = ''] = await eventually(
      'the report is written',
      () => reportFiles(reportDir),
      (files) => files.length > 0,
    );
    return Report.parse(JSON.parse(await readFile(join(reportDir, file), 'utf8')));
  };

  test('D3 D4: webhook, brief, tool call, verified report; reports and sessions read it back; no secret is anywhere', async () => {
    const rootnote = await start(async (body, index) => {
      await firstLookIn(reportDir);
      return index === 0 ? calls(['query_logs', { service: 'payments' }]) : paymentsReport(body);
    });
    const report = await investigate(rootnote);
    expect(api.refusals).toEqual([]);
    expect(report).toMatchObject({
      mode: 'agent',
      status: 'determined',
      root_cause_service: 'payments',
      confidence: 0.8,
    });
    expect(report.usage).toMatchObject({ turns: 2, termination_reason: 'done' });
    expect(report.evidence.length).toBeGreaterThan(0);

    // They join the embedded Redis of the running process.
    const read = async (...args: string[]) => {
      const { code, stdout, stderr } = await runRootnote(args, { REPORT_DIR: reportDir }, rootnote.folder);
      expect({ args, code }).toEqual({ args, code: 0 });
      expect(stderr).toContain('already runs');
      return stdout;
    };
    const shown = {
      reports: await read('reports', 'list'),
      report: await eventually(
        'the delivery is confirmed',
        () => read('reports', 'show', report.id),
        (text) => text.includes('report delivered'),
      ),
      reportJson: await read('reports', 'show', report.id, '--json'),
      sessions: await read('sessions', 'list'),
      session: await read('sessions', 'show', report.session),
      sessionJson: await read('sessions', 'show', report.session, '--json'),
    };
    expect(shown.reports).toContain(report.id);
    expect(shown.report).toMatch(/file: report delivered \(1 attempt\)/);
    expect(JSON.parse(shown.reportJson)).toEqual({
      ...report,
      deliveries: expect.arrayContaining([
        expect.objectContaining({ destination: 'file', content: 'report', state: 'delivered' }),
      ]),
      covers: 0,
      members: [],
      storm: null,
      untold: null,
    });
    expect(shown.sessions).toContain(report.session);
    expect(shown.session).toContain('query_logs {"service":"payments"}');

    const metrics = await eventually(
      'everything that happened is counted',
      async () => (await fetch(`${rootnote.url}/metrics`)).text(),
      (text) => COUNTED.every((series) => series.test(text)),
    );
    const requests = api.requests.map(({ raw }) => raw);
    expect(requests).toHaveLength(2);
    const stored = await filesUnder(rootnote.folder);
    expect(Object.values(stored).join()).toContain('CheckoutSlow');
    expectNoSecret({ ...shown, ...stored, requests, metrics, report, log: rootnote.output() });
    expect(requests.join()).toContain('[REDACTED:');
  }, 180_000);

  test('D7: when the model stays overloaded the analyst reports and says why; both are there after a restart', async () => {
    const rootnote = await start(() => fails(529, 'overloaded_error', { 'retry-after': '0' }));
    const report = await investigate(rootnote);
    expect(report).toMatchObject({ mode: 'analyst', status: 'determined', root_cause_service: 'payments' });
    expect(report.gaps.join('\n')).toMatch(/model: .*it was overloaded \(529 overloaded_error\).*offline analyst/);
    expectNoSecret({ report, log: rootnote.output(), requests: api.requests.map(({ raw }) => raw) });

    expect(await rootnote.terminate()).toBe(0);
    const { stdout } = await runRootnote(['reports', 'list', '--json'], {}, rootnote.folder);
    expect(JSON.parse(stdout)).toEqual([expect.objectContaining({ id: report.id, mode: 'analyst' })]);
    const missing = await runRootnote(['sessions', 'show', 'ses_of_nobody'], {}, rootnote.folder);
    expect(missing).toMatchObject({
      code: 1,
      stdout: '',
      stderr: expect.stringContaining('see rootnote sessions list'),
    });
  }, 180_000);
});

function expectNoSecret(places: Readonly<Record<string, unknown>>): void {
  for (const [name, secret] of Object.entries(SECRETS)) {
    const leaks = Object.keys(places).filter((place) => JSON.stringify(places[place]).includes(secret));
    expect({ secret: name, leaks }).toEqual({ secret: name, leaks: [] });
  }
}

/** Everything on disk: the embedded Redis among it. */
async function filesUnder(folder: string): Promise<Readonly<Record<string, string>>> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  return Object.fromEntries(
    await Promise.all(files.map(async (file) => [file, await readFile(file, 'latin1')] as const)),
  );
}

async function reportFiles(folder: string): Promise<readonly string[]> {
  const names = await readdir(folder).catch(() => []);
  return names.filter((name) => /^[^.].*(?<!first-look)\.json$/.test(name));
}
