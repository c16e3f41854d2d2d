import { afterEach, describe, expect, test } from '@jest/globals';
import { NO_GUIDANCE } from '../../src/agent/guidance.ts';
import { Report } from '../../src/domain/report.ts';
import { NO_TELEMETRY, type Telemetry } from '../../src/domain/telemetry.ts';
import { distil } from '../../src/funnel/distil.ts';
import { investigate } from '../../src/investigate/investigate.ts';
import { createAnthropicModel } from '../../src/llm/anthropic.ts';
import { createRedactor } from '../../src/policy/redact.ts';
import { caseProvider, INCIDENT, logLines, SECRET, series, SERVICES } from '../support/agent-case.ts';
import { startMessagesApi, TEST_API_KEY, type MessagesApi } from '../support/messages-api/server.ts';
import { paymentsReport } from '../support/payments-report.ts';
import { calls, fails, says, type Script } from '../support/messages-api/script.ts';

let api: MessagesApi | undefined;

afterEach(async () => {
  await api?.close();
  api = undefined;
});

const CALM = Array.from({ length: 40 }, (_, i) => 4 + (i % 3) / 10);
const PASSWORD = 'hunter2-correct-horse';

/** payments' pool fills up and its logs complain; checkout, which calls it, gets slow; cart stays calm. */
const TELEMETRY: Telemetry = {
  ...NO_TELEMETRY,
  series: [
    series('payments', 'connections_in_use', [...CALM, 48, 50, 50, 50, 50, 50]),
    series('checkout', 'latency_p95_seconds', [...CALM.map((value) => value / 40), 2, 4.85, 4.8, 4.7, 4.9, 4.8]),
    series('cart', 'cpu_percent', [...CALM, 4, 4.1, 4.2, 4, 4.1, 4.2]),
  ],
  logs: logLines(
    'payments',
    Array.from({ length: 30 }, (_, i) => `pool exhausted after ${i} ms, password=${PASSWORD}`),
  ),
  topology: { services: [...SERVICES], edges: [{ from: 'checkout', to: 'payments' }] },
  samplingMs: 60_000,
  rawCharacters: 40_000,
};

async function run(script: Script) {
  api = await startMessagesApi(script);
  const redactor = createRedactor({ secrets: [SECRET, TEST_API_KEY], key: 'k'.repeat(64) });
  const options = {
    apiKey: TEST_API_KEY,
    baseUrl: api.baseUrl,
    modelId: 'claude-sonnet-5-5',
    idleTimeoutMs: 5000,
    retryDelayMs: 1,
  };
  return investigate(
    INCIDENT,
    {
      toolbox: { providers: [caseProvider()] },
      gather: () => Promise.resolve(TELEMETRY),
      distil: (incident, telemetry, limits) => Promise.resolve(distil(incident, telemetry, limits)),
      guide: () => Promise.resolve(NO_GUIDANCE),
      model: createAnthropicModel(options),
      limits: {
        baselineMs: 3_600_000,
        eventWindowMs: 300_000,
        tokenBudget: 5820,
        timeoutMs: 300_000,
        maxTurns: 8,
        maxTokens: 200_000,
        maxOutputTokens: 2000,
        maxCostUsd: null,
      },
      now: Date.now,
      redact: (text) => redactor.redact(text),
      nonce: () => 'n0nce',
    },
    new AbortController().signal,
  );
}

/** Ids that the brief shows for a service. */

describe('an investigation with the real SDK', () => {
  test('D3: brief, tools, report; nothing secret is sent or kept', async () => {
    const { report, session } = await run((body, index) =>
      index === 0 ? calls(['query_logs', { service: 'payments' }]) : paymentsReport(body),
    );
    expect(api?.refusals).toEqual([]);
    expect(Report.safeParse(report).error).toBeUndefined();
    expect(report).toMatchObject({
      mode: 'agent',
      root_cause_service: 'payments',
      confidence: 0.8,
      status: 'determined',
    });
    expect(report.evidence.length).toBeGreaterThan(1);
    expect(report.usage).toMatchObject({ turns: 2, model: 'claude-sonnet-5-5', termination_reason: 'done' });
    expect(report.action_plan[0]?.needs_approval).toBe(true);
    const everything = JSON.stringify([api?.requests.map(({ raw }) => raw), report, session]);
    for (const secret of [SECRET, PASSWORD, TEST_API_KEY]) expect(everything).not.toContain(secret);
  });

  test('a citation that does not exist is removed, said in the gaps, and confidence falls', async () => {
    const { report } = await run((body) => paymentsReport(body, ['M404']));
    expect(report.mode).toBe('agent');
    expect(report.confidence).toBeLessThan(0.8);
    expect(report.evidence.map(({ id }) => id)).not.toContain('M404');
    expect(report.gaps.join('\n')).toContain('M404');
    expect(report.confidence_reasons.join()).toContain('Lowered: 1 of ');
  });

  test.each<[string, Script, string, string]>([
    [
      'a storm of 529',
      () => fails(529, 'overloaded_error'),
      'provider_error',
      'it was overloaded (529 overloaded_error), 4 times in a row',
    ],
    ['a wrong key', () => fails(401, 'authentication_error'), 'provider_error', 'it refused the API key'],
    ['a refusal', [{ blocks: [], stopReason: 'refusal' }], 'refusal', 'the model declined to work on this incident'],
    [
      'nonsense',
      () => says('{"verdict": "gremlins"}'),
      'invalid_report',
      'the report of the model was not valid, and not after a repair either',
    ],
    [
      'answers that are cut off',
      () => ({ ...says('{'), stopReason: 'max_tokens' }),
      'invalid_report',
      'cut off at the output limit, twice',
    ],
  ])('after %s the analyst reports and the reason is stated', async (_name, script, terminationReason, reason) => {
    const { report } = await run(script);
    expect(Report.safeParse(report).error).toBeUndefined();
    expect(report).toMatchObject({ mode: 'analyst', root_cause_service: 'payments', status: 'determined' });
    expect(report.usage.termination_reason).toBe(terminationReason);
    expect(report.gaps.join('\n')).toContain(reason);
  });
});
