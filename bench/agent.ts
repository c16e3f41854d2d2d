import { parseConfig } from '../src/config/load-config.ts';
import { investigateOnce } from '../src/app/investigate-once.ts';
import { calls, says, textOf, type Script } from '../test/support/messages-api/script.ts';
import { startMessagesApi, TEST_API_KEY } from '../test/support/messages-api/server.ts';
import { readOptions } from './options.ts';

/**
 * `npm run bench:agent [-- --json]`: what an investigation of the demo incident sends to the model and how much of that is read from the prompt cache.
 * A stand-in for the Messages API answers by script and counts (four characters a token): three turns of one agent, and the same with two
 * sub-agents. Every tool of the command line is on.
 */
const USAGE = 'npm run bench:agent -- [--json]';
const RECORDING = 'demo/recording';

interface Counted {
  readonly name: string;
  readonly requests: number;
  readonly inputTokens: number;
  readonly cacheReadTokens: number;
  readonly cacheWriteTokens: number;
  /** Of the tokens sent from the second request of an agent on. */
  readonly cachedShareAfterFirst: number;
  readonly status: string;
  readonly turns: readonly { readonly sent: number; readonly cached: number }[];
}

const values = readOptions(USAGE, { json: { type: 'boolean', default: false } });

const LOOK_CLOSER = calls(
  ['query_metrics', { query: 'payments/*' }],
  ['query_logs', { service: 'payments', contains: 'pool' }],
);
const CHANGES = calls(['query_changes', {}], ['query_events', {}]);
const FINDING = JSON.stringify({
  conclusion: 'The pool of payments was made too small.',
  evidence: ['C1', 'L1'],
  verdicts: [{ hypothesis: 'H1', verdict: 'supports', why: 'The pool is full from the change on.', evidence: ['C1'] }],
  gaps: [],
});
const REPORT = JSON.stringify({
  status: 'determined',
  summary: 'payments cannot get connections to its database: db_pool_max was changed to 2.',
  root_cause_service: 'payments',
  root_cause_type: 'connection_exhaustion',
  confidence: 0.9,
  confidence_reasons: ['the change comes first and the errors name the pool'],
  evidence: ['C1', 'L1'],
  causal_chain: [{ service: 'payments', statement: 'The pool was made smaller.', evidence: ['C1'] }],
  alternatives: [],
  action_plan: [{ step: 'Set db_pool_max back.', why: 'It was changed.', risk: 'R2', needs_approval: true }],
});

const THREE_TURNS: Script = [LOOK_CLOSER, CHANGES, says(REPORT)];
const isSubAgent = (text: string) => text.includes('Your task');
const WITH_SUB_AGENTS: Script = (body) => {
  const turn = body.messages.filter(({ role }) => role === 'assistant').length;
  if (isSubAgent(textOf(body))) return [LOOK_CLOSER, says(FINDING)][turn] ?? says(FINDING);
  const delegate = calls([
    'delegate',
    {
      tasks: [
        { task: 'Is the pool of payments full, and since when?', hypothesis: 'H1', stance: 'refute' },
        { task: 'Is catalogue slow?', hypothesis: 'H2', stance: 'test' },
      ],
    },
  ]);
  return [delegate, LOOK_CLOSER, says(REPORT)][turn] ?? says(REPORT);
};

const results = [await count('three turns', THREE_TURNS), await count('two sub-agents', WITH_SUB_AGENTS)];
if (values.json) process.stdout.write(`${JSON.stringify({ bench: 'agent', runs: results })}\n`);
else process.stdout.write(results.map(describe).join('\n'));

async function count(name: string, script: Script): Promise<Counted> {
  const api = await startMessagesApi({ script, countsTokens: true });
  try {
    const config = parseConfig({
      ANTHROPIC_API_KEY: TEST_API_KEY,
      ANTHROPIC_BASE_URL: api.baseUrl,
      STATE_DIR: '.rootnote/bench-agent',
    });
    const { report } = await investigateOnce(config, {
      recording: RECORDING,
      offline: false,
      onProgress: (line) => process.stderr.write(`${name}: ${line}\n`),
      signal: AbortSignal.timeout(120_000),
    });
    const turns = api.counts.map((usage) => ({
      sent: usage.input_tokens + usage.cache_read_input_tokens + usage.cache_creation_input_tokens,
      cached: usage.cache_read_input_tokens,
    }));
    const later = turns.filter((_, i) => (api.requests[i]?.body.messages.length ?? 0) > 1);
    return {
      name,
      requests: turns.length,
      inputTokens: sum(api.counts.map((usage) => usage.input_tokens)),
      cacheReadTokens: sum(turns.map(({ cached }) => cached)),
      cacheWriteTokens: sum(api.counts.map((usage) => usage.cache_creation_input_tokens)),
      cachedShareAfterFirst: sum(later.map(({ cached }) => cached)) / sum(later.map(({ sent }) => sent)),
      status: `${report.status}, ${report.usage.termination_reason}`,
      turns,
    };
  } finally {
    await api.close();
  }
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}

function describe(run: Counted): string {
  const { name, requests, inputTokens, cacheReadTokens, cacheWriteTokens, cachedShareAfterFirst, status, turns } = run;
  return [
    `${name}: ${requests} requests (${status})`,
    `  input tokens: ${inputTokens} new, ${cacheWriteTokens} written to the cache, ${cacheReadTokens} read from it`,
    `  from an agent's second turn on ${(100 * cachedShareAfterFirst).toFixed(1)} % are cache reads`,
    ...turns.map(({ sent, cached }, i) => `  request ${i + 1}: ${sent} sent, ${cached} of them cached`),
    '',
  ].join('\n');
}
