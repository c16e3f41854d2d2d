import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, expect, test } from '@jest/globals';
import { describeIf } from '../support/describe-if.ts';
import { eventually } from '../support/eventually.ts';
import { calls, says, textOf, type ReceivedBody } from '../support/messages-api/script.ts';
import { startMessagesApi, type MessagesApi } from '../support/messages-api/server.ts';
import { REDIS } from '../support/programs.ts';
import { runRootnote, startRootnote, stopRootnotes, temporaryFolder } from '../support/rootnote-process.ts';

const RECORDING = fileURLToPath(new URL('../fixtures/recordings/payments-pool', import.meta.url));
const API_KEY = ['sk', 'ant', 'key-of-this-test'].join('-');
const TOKEN = 'inbound-token-of-this-test';
const FACT = 'payments: pool limit = 50';

(await describeIf(REDIS))('what one investigation leaves for the next', () => {
  let api: MessagesApi;
  afterEach(async () => {
    await stopRootnotes();
    await api.close();
  });

  test('B4 B8 B10: a playbook is offered and read, a fact remembered; the next incident recalls it and is shown the first report', async () => {
    const reportDir = join(await temporaryFolder(), 'reports');
    api = await startMessagesApi({
      apiKey: API_KEY,
      script: (body, index) =>
        index === 0 ? calls(['skill', { name: 'http-latency' }], ['remember', { fact: FACT }]) : conclude(body),
    });
    const rootnote = await startRootnote('all', {
      ALERTMANAGER_BEARER_TOKENS: TOKEN,
      ANTHROPIC_API_KEY: API_KEY,
      ANTHROPIC_BASE_URL: api.baseUrl,
      RECORDING_DIR: RECORDING,
      REPORT_DIR: reportDir,
    });
    const alert = await readFile(join(RECORDING, 'alert.json'), 'utf8');
    const investigate = async (body: string, reports: number) => {
      expect((await rootnote.post(body, { authorization: `Bearer ${TOKEN}` })).status).toBe(202);
      await eventually(
        `report ${reports} is written`,
        () => readdir(reportDir).catch(() => []),
        (files) => files.filter((file) => /^rep_\w+\.json$/.test(file)).length === reports,
      );
      // Filed for later incidents after it is on its way, and before this is said.
      await eventually(
        `the worker tells of report ${reports}`,
        () => rootnote.output().match(/"msg":"reported"/g) ?? [],
        (lines) => lines.length === reports,
      );
    };

    await investigate(alert, 1);
    const [first, second] = api.requests.map(({ body }) => body);
    expect(textOf(first ?? NOTHING)).toContain('http-latency');
    expect(systemOf(first ?? NOTHING)).not.toContain(FACT);
    expect(textOf(second ?? NOTHING)).toMatch(/## Stop conditions[\s\S]*Remembered\./);
    const facts = await runRootnote(['memory', 'list'], {}, rootnote.folder);
    expect(facts.stdout).toMatch(/^- \d{4}-\d\d-\d\d payments: pool limit = 50\n$/);

    const before = api.requests.length;
    await investigate(alert.replaceAll('10:00:00Z', '10:01:00Z').replaceAll('5a1c0de5a1c0de00', '5a1c0de5a1c0de01'), 2);
    const next = api.requests[before]?.body ?? NOTHING;
    expect(systemOf(next)).toContain(FACT);
    expect(textOf(next)).toMatch(/2026-01-01 CheckoutSlow \(same [^)]*alert[^)]*\): /);
  }, 180_000);
});

const NOTHING: ReceivedBody = { model: '', max_tokens: 0, messages: [] };

function systemOf({ system = '' }: ReceivedBody): string {
  return typeof system === 'string' ? system : system.map(({ text }) => text).join('\n');
}

/** A report on the evidence that the brief shows for payments. */
function conclude(body: ReceivedBody) {
  const ids = [...textOf(body).matchAll(/^\[([A-Z]\d+)\].*payments/gm)].map(([, id = '']) => id).slice(0, 3);
  return says(
    JSON.stringify({
      status: 'determined',
      summary: 'payments ran out of connections.',
      root_cause_service: 'payments',
      root_cause_type: 'connection_exhaustion',
      confidence: 0.8,
      confidence_reasons: [],
      evidence: ids,
      causal_chain: [],
      alternatives: [],
      action_plan: [],
    }),
  );
}
