import { afterEach, describe, expect, test } from '@jest/globals';
import { NO_GUIDANCE } from '../../src/agent/guidance.ts';
import { SUB_AGENT_PROMPT } from '../../src/agent/prompts.ts';
import { Report } from '../../src/domain/report.ts';
import { NO_TELEMETRY, type Telemetry } from '../../src/domain/telemetry.ts';
import { distil } from '../../src/funnel/distil.ts';
import { investigate, type Investigation } from '../../src/investigate/investigate.ts';
import { createAnthropicModel } from '../../src/llm/anthropic.ts';
import { caseProvider, caseRedact, INCIDENT, series, SERVICES } from '../support/agent-case.ts';
import { calls, says, textOf, type ReceivedBody, type Reply } from '../support/messages-api/script.ts';
import { startMessagesApi, TEST_API_KEY, type MessagesApi } from '../support/messages-api/server.ts';

const CALM = Array.from({ length: 40 }, (_, i) => 4 + (i % 3) / 10);
/** payments' pool fills up, checkout gets slow. Enough for a leader, too little to be sure. */
const TELEMETRY: Telemetry = {
  ...NO_TELEMETRY,
  series: [
    series('payments', 'connections_in_use', [...CALM, 48, 50, 50, 50, 50, 50]),
    series('checkout', 'latency_p95_seconds', [...CALM.map((value) => value / 40), 2, 4.85, 4.8, 4.7, 4.9, 4.8]),
  ],
  topology: { services: [...SERVICES], edges: [{ from: 'checkout', to: 'payments' }] },
  samplingMs: 60_000,
  rawCharacters: 40_000,
};

let api: MessagesApi | undefined;

afterEach(async () => {
  await api?.close();
  api = undefined;
});

const isSubAgent = (body: ReceivedBody) => JSON.stringify(body.system).includes(SUB_AGENT_PROMPT.slice(0, 60));

interface Parts {
  /** Turns of the main agent; the last one is repeated. */
  readonly main: readonly ((body: ReceivedBody) => Reply)[];
  readonly sub: (body: ReceivedBody) => Reply;
}

async function run({ main, sub }: Parts): Promise<Investigation> {
  let turn = 0;
  api = await startMessagesApi((body) =>
    isSubAgent(body) ? sub(body) : (main[Math.min(turn++, main.length - 1)]?.(body) ?? says('')),
  );
  const model = createAnthropicModel({
    apiKey: TEST_API_KEY,
    baseUrl: api.baseUrl,
    modelId: 'claude-sonnet-5-5',
    idleTimeoutMs: 5000,
    retryDelayMs: 1,
  });
  const limits = {
    baselineMs: 3_600_000,
    eventWindowMs: 300_000,
    tokenBudget: 5820,
    timeoutMs: 300_000,
    maxTurns: 30,
    maxTokens: 900_000,
    maxOutputTokens: 2000,
    maxCostUsd: null,
  };
  return investigate(
    INCIDENT,
    {
      toolbox: { providers: [caseProvider()] },
      gather: () => Promise.resolve(TELEMETRY),
      distil: (incident, telemetry, options) => Promise.resolve(distil(incident, telemetry, options)),
      guide: () => Promise.resolve(NO_GUIDANCE),
      model,
      limits,
      now: Date.now,
      redact: caseRedact,
      nonce: () => 'n0nce',
    },
    new AbortController().signal,
  );
}

const delegate = (tasks: readonly object[]) => () => calls(['delegate', { tasks }]);
const conclude = (body: ReceivedBody): Reply => {
  const [first = 'M1'] = /\[(M\d+)\] payments/.exec(textOf(body))?.slice(1) ?? [];
  return says(
    JSON.stringify({
      status: 'determined',
      summary: 'The connection pool of payments is exhausted.',
      root_cause_service: 'payments',
      root_cause_type: 'connection_exhaustion',
      confidence: 1,
      confidence_reasons: [],
      evidence: [first],
      causal_chain: [],
      alternatives: [],
      action_plan: [],
    }),
  );
};

/** Queries once, then says its verdict on the leader, with the id of what it found. */
function tester(verdict: 'supports' | 'contradicts' | 'neither') {
  return (body: ReceivedBody): Reply => {
    if (body.messages.length === 1) return calls(['query_metrics', { query: 'payments/pool_in_use' }]);
    const found = /\[(M\d{4,})\]/.exec(textOf(body))?.[1] ?? 'M1';
    const verdicts = [{ hypothesis: 'H1', verdict, why: 'the pool was looked at', evidence: [found] }];
    return says(JSON.stringify({ conclusion: 'Looked at the pool.', evidence: [found], verdicts, gaps: [] }));
  };
}

const askedOf = (body: ReceivedBody) =>
  textOf(body)
    .split('\n')
    .filter((line) => /^(?:Try to refute|Test) H\d: /.test(line));

describe('hypotheses in an investigation', () => {
  test('one delegated task becomes two: the second tries to refute the leader; its failure lets the confidence rise', async () => {
    const { report, session } = await run({
      main: [delegate([{ task: 'Look at checkout.', hypothesis: 'H2' }]), conclude],
      sub: tester('neither'),
    });
    expect(api?.refusals).toEqual([]);
    const openings =
      api?.requests.map(({ body }) => body).filter((body) => isSubAgent(body) && body.messages.length === 1) ?? [];
    expect(openings.map(askedOf).flat().toSorted()).toEqual([
      expect.stringContaining('Test H2'),
      expect.stringContaining('Try to refute H1'),
    ]);
    expect(session.entries.map(({ text }) => text).join('\n')).toContain(
      'A task was added: one sub-agent tries to refute H1.',
    );
    expect(session.hypotheses?.[0]).toMatchObject({ id: 'H1', service: 'payments', survivedRefutation: true });
    expect(report.confidence_reasons.at(-1)).toMatch(
      /^Tested: a sub-agent looked for evidence against payments and found none \(M10001, M20001\)/,
    );
    expect(report.usage.sub_agents).toBe(2);
  });

  test('untested, the same leader is held lower than when it was tested, whatever the model says', async () => {
    const untested = (await run({ main: [conclude], sub: tester('neither') })).report;
    await api?.close();
    const tested = (
      await run({
        main: [delegate([{ task: 'Look.', hypothesis: 'H1', stance: 'refute' }]), conclude],
        sub: tester('neither'),
      })
    ).report;
    expect(untested.confidence).toBeLessThan(tested.confidence);
    expect(tested.confidence).toBeLessThan(1);
    expect(untested.confidence_reasons.at(-1)).toContain('Not tested: payments rests on the brief alone');
  });

  test('a cause that was no hypothesis stands as one of its own, and as a lead while nothing was looked up about it', async () => {
    const other = (body: ReceivedBody) => {
      const report = JSON.parse(
        conclude(body)
          .blocks?.flatMap((block) => (block.type === 'text' ? [block.text] : []))
          .join('') ?? '{}',
      ) as object;
      return says(JSON.stringify({ ...report, root_cause_service: 'cart' }));
    };
    const { report, session } = await run({ main: [other], sub: tester('neither') });
    expect(report).toMatchObject({ status: 'inconclusive', root_cause_service: 'cart' });
    expect(report.confidence).toBeLessThanOrEqual(0.35);
    expect(session.hypotheses?.at(-1)).toMatchObject({
      service: 'cart',
      prior: 0,
      tests: { supports: 0, contradicts: 0 },
    });
    expect(report.alternatives[0]).toMatchObject({ service: 'payments', hypothesis: 'H1' });
  });

  test('a refuted leader is not determined; what speaks against it stands in the report with its evidence', async () => {
    const { report } = await run({
      main: [delegate([{ task: 'Look.', hypothesis: 'H1', stance: 'refute' }]), conclude],
      sub: tester('contradicts'),
    });
    expect(Report.safeParse(report).error).toBeUndefined();
    expect(report).toMatchObject({ status: 'inconclusive', root_cause_service: 'payments', confidence: 0.3 });
    expect(report.contradicting).toHaveLength(1);
    expect(report.evidence.map(({ id }) => id)).toEqual(expect.arrayContaining(report.contradicting ?? []));
    expect(report.alternatives.map(({ service, hypothesis }) => [service, hypothesis])).toEqual([['checkout', 'H2']]);
  });
});
