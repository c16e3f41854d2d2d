import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, expect, test } from '@jest/globals';
import { definitionHash } from '../../src/mcp/definition.ts';
import { describeIf } from '../support/describe-if.ts';
import { eventually } from '../support/eventually.ts';
import { firstLookIn } from '../support/first-look.ts';
import { ODD_TOOLS } from '../support/mcp/odd-server.ts';
import { startMessagesApi, TEST_API_KEY, type MessagesApi } from '../support/messages-api/server.ts';
import { calls, says, textOf, type ReceivedBody } from '../support/messages-api/script.ts';
import { spanTree, startOtlpReceiver, type OtlpReceiver } from '../support/otlp-receiver.ts';
import { paymentsReport } from '../support/payments-report.ts';
import { REDIS } from '../support/programs.ts';
import { startRootnote, stopRootnotes, temporaryFolder } from '../support/rootnote-process.ts';

const RECORDING = fileURLToPath(new URL('../fixtures/recordings/payments-pool', import.meta.url));
const support = (name: string) => fileURLToPath(new URL(`../support/${name}`, import.meta.url));
const SERVER_SECRET = 'token-for-the-mcp-server-0123456789';

const suite = await describeIf(REDIS);

suite('B14: an investigation with tools of an MCP server and records of Rootnote itself, traced', () => {
  let api: MessagesApi | undefined;
  let collector: OtlpReceiver | undefined;
  afterEach(async () => {
    await stopRootnotes();
    await api?.close();
    await collector?.stop();
  });

  test('main agent and sub-agent use them; one trace holds the work, the delivery links to it, and no content leaves', async () => {
    const folder = await temporaryFolder();
    const reportDir = join(folder, 'reports');
    api = await startMessagesApi(async (body) => {
      await firstLookIn(reportDir);
      return replyTo(body);
    });
    collector = await startOtlpReceiver();
    const rootnote = await startRootnote('all', {
      ANTHROPIC_API_KEY: TEST_API_KEY,
      ANTHROPIC_BASE_URL: api.baseUrl,
      RECORDING_DIR: RECORDING,
      REPORT_DIR: reportDir,
      MCP_CONFIG_FILE: await writeMcpFile(folder),
      ODD_TOKEN: SERVER_SECRET,
      OTEL_EXPORTER_OTLP_ENDPOINT: collector.url.replace('/v1/traces', ''),
      OTEL_EXPORTER_OTLP_HEADERS: 'x-collector-key=key-of-the-collector-0123',
    });
    const [traceId, spanId] = ['0af7651916cd43dd8448eb211c80319c', 'b7ad6b7169203331'];
    await rootnote.post(await readFile(join(RECORDING, 'alert.json'), 'utf8'), {
      traceparent: `00-${traceId}-${spanId}-01`,
    });
    await eventually(
      'the report is written',
      () => readdir(reportDir).catch(() => []),
      (files) => files.some((file) => /^rep_\w+\.json$/.test(file)),
    );
    const metrics = await (await fetch(`${rootnote.url}/metrics`)).text();
    for (const series of [
      /^rootnote_tool_calls_total\{tool="mcp__odd__lookup",outcome="ok"\} [2-9]$/m,
      /^rootnote_tool_duration_seconds_count\{tool="mcp__odd__lookup"\} [2-9]$/m,
      /^rootnote_mcp_tools_disabled_total\{server="odd",reason="hash_mismatch"\} 0$/m,
    ])
      expect(metrics).toMatch(series);
    // Spans that wait are posted at the end.
    expect(await rootnote.terminate()).toBe(0);

    const seen = api.requests.map(({ body }) => textOf(body)).join('\n');
    expect(api.refusals).toEqual([]);
    expect(seen).toContain('checkout runs');
    expect(seen).toMatch(/Searched Rootnote: incidents and checks[^]*firing: /);
    // The server hands its environment out; the redactor knows what it was given.
    expect(seen).toContain('ODD_TOKEN');
    expect(seen).not.toContain(SERVER_SECRET);

    const lines = spanTree(collector.spans);
    expect(lines.filter((line) => /^\S/.test(line)).toSorted()).toEqual([
      'deliver file',
      'deliver file',
      'invoke_workflow',
    ]);
    for (const line of [
      '  invoke_agent main',
      '    turn',
      '      anthropic.messages.create',
      '    execute_tool mcp__odd__lookup',
      '    execute_tool ops_list',
      '    execute_tool delegate',
      '      invoke_agent sub',
      '        turn',
      '        execute_tool mcp__odd__lookup',
    ])
      expect(lines).toContain(line);
    const workflow = collector.spans.find(({ name }) => name === 'invoke_workflow');
    const delivery = collector.spans.find(({ name }) => name === 'deliver file');
    expect(workflow?.attributes).toMatchObject({
      'rootnote.report.mode': 'agent',
      'rootnote.incident.kind': 'incident',
    });
    const agents = collector.spans.filter(({ name }) => name.startsWith('invoke_agent'));
    for (const { attributes } of [...agents, workflow ?? { attributes: {} }])
      expect(attributes).toMatchObject({ 'gen_ai.conversation.id': expect.stringMatching(/^ses_inc_[0-9a-f]+$/) });
    expect(workflow?.links).toMatchObject([{ traceId, spanId }]);
    expect(delivery?.links).toMatchObject([{ traceId: workflow?.traceId, spanId: workflow?.spanId }]);
    expect(delivery?.attributes).toMatchObject({ 'rootnote.delivery.outcome': 'delivered' });
    expect(collector.text()).not.toMatch(/checkout runs|connection pool|Look payments up|sk-ant-test-key|0123456789/);
    expect(collector.headers[0]).toMatchObject({ 'x-collector-key': 'key-of-the-collector-0123' });
    expect(rootnote.output()).not.toMatch(/key-of-the-collector|token-for-the-mcp-server/);
  }, 180_000);
});

/** The odd server with two tools that sub-agents may use, too. */
async function writeMcpFile(folder: string): Promise<string> {
  const allowTools = ['lookup', 'environment'];
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
    subagents: true,
    allowTools,
    toolsSha256,
  };
  const file = join(folder, 'mcp.json');
  await writeFile(file, JSON.stringify({ servers: { odd } }));
  return file;
}

/** Main agent: tools, then a sub-agent, then the report. Sub-agent: the MCP tool, then its finding. */
function replyTo(body: ReceivedBody) {
  const turn = body.messages.filter(({ role }) => role === 'assistant').length;
  const lookup = ['mcp__odd__lookup', { service: 'checkout' }] as const;
  if (!body.tools?.some(({ name }) => name === 'delegate')) {
    const finding = { conclusion: 'It runs.', evidence: [], verdicts: [], gaps: [] };
    return turn === 0 ? calls(lookup) : says(JSON.stringify(finding));
  }
  if (turn === 0) return calls(lookup, ['mcp__odd__environment', {}], ['ops_list', {}]);
  return turn === 1 ? calls(['delegate', { tasks: [{ task: 'Look payments up.' }] }]) : paymentsReport(body);
}
