import { Counter, Gauge, Histogram, Registry } from 'prom-client';

/** Values a label may take; anything else is counted as `other`, so that no sender can make the number of series grow. */
export interface MetricLabels {
  readonly version: string;
  readonly sources: readonly string[];
  readonly destinations: readonly string[];
  readonly models: readonly string[];
  /** Kinds of errors of the model port. */
  readonly modelErrors: readonly string[];
  readonly tools: readonly string[];
  /** Why an investigation ends, beside what it found. */
  readonly terminationReasons: readonly string[];
  /** What can be used up. */
  readonly budgets: readonly string[];
  /** Types of redaction. */
  readonly redactions: readonly string[];
  /** Names of MCP servers, and why tools of theirs are not there. */
  readonly mcp: { readonly servers: readonly string[]; readonly reasons: readonly string[] };
}

export const INVESTIGATION_OUTCOMES = ['determined', 'inconclusive', 'healthy', 'failed'] as const;
export const DELIVERY_OUTCOMES = ['delivered', 'retry', 'gave-up'] as const;
/** `cut_short`: it handed in what it had by then. */
const SUB_AGENT_OUTCOMES = ['done', 'cut_short', 'lost'] as const;
export const TOOL_OUTCOMES = ['ok', 'error'] as const;
export const TOKEN_TYPES = ['input', 'output', 'cache_read', 'cache_write'] as const;
const WEBHOOK_CODES = ['202', '400', '401', '405', '413', '415', '500', '503'] as const;
const QUEUE_STATES = ['waiting', 'active', 'delayed', 'failed'] as const;

export type Metrics = ReturnType<typeof createMetrics>;

/**
 * Every metric Rootnote exports, as functions that take what happened. Names and labels: docs/operations.md. Counters start at 0 for
 * every known label, so that rates work from the first event.
 */
export function createMetrics(known: MetricLabels) {
  const registry = new Registry();
  const count = counters(registry);
  const { sources, destinations, models, tools } = known;

  const webhookRequests = count('webhook_requests_total', 'Webhook requests answered.', {
    source: sources,
    code: WEBHOOK_CODES,
  });
  const webhookDuplicates = count('webhook_duplicates_total', 'Notifications that held nothing new.', {
    source: sources,
  });
  const queueErrors = count('webhook_queue_errors_total', 'Notifications that could not be persisted.', {
    source: sources,
  });
  const investigations = count('investigations_total', 'Investigations ended.', {
    outcome: INVESTIGATION_OUTCOMES,
    termination_reason: known.terminationReasons,
  });
  const llmRequests = count('llm_requests_total', 'Requests to the model.', {
    model: models,
    status: ['ok', 'error'],
    error_type: ['none', ...known.modelErrors],
  });
  const llmRetries = count('llm_retries_total', 'Requests to the model that were made again, by what had failed.', {
    reason: known.modelErrors,
  });
  const llmTokens = count('llm_tokens_total', 'Tokens used.', {
    model: models,
    agent: ['main', 'sub'],
    type: TOKEN_TYPES,
  });
  const llmCost = count('llm_cost_usd_total', 'Cost of the model, US dollars.', {
    model: models,
    agent: ['main', 'sub'],
  });
  const budgets = count('budget_exhausted_total', 'Investigations that a budget ended early or left without a model.', {
    budget: known.budgets,
  });
  const subAgents = count('subagents_total', 'Sub-agents ended.', { outcome: SUB_AGENT_OUTCOMES });
  const toolCalls = count('tool_calls_total', 'Tool calls of the agent.', { tool: tools, outcome: TOOL_OUTCOMES });
  const shellDenied = count('shell_denied_total', 'Commands of the agent that the gate did not run.', {
    class: ['R1', 'R2', 'R3'],
  });
  const redactions = count('redactions_total', 'Secrets taken out of texts.', { type: known.redactions });
  const mcpToolsDisabled = count('mcp_tools_disabled_total', 'Allowed tools of MCP servers that became unavailable.', {
    server: known.mcp.servers,
    reason: known.mcp.reasons,
  });
  const deliveries = count('deliveries_total', 'Attempts to deliver a report.', {
    destination: destinations,
    outcome: DELIVERY_OUTCOMES,
  });

  const sourceOf = closed([...sources, 'schedule', 'recording']);
  const destinationOf = closed(destinations);
  const modelOf = closed(models);
  const toolOf = closed(tools);
  const investigationSeconds = histogram(
    registry,
    'investigation_duration_seconds',
    'Duration of investigations.',
    ['source'],
    SECONDS,
  );
  const investigationTurns = histogram(
    registry,
    'investigation_turns',
    'Turns of the agent.',
    ['source'],
    [0, 1, 2, 4, 6, 8, 10, 12, 16, 24],
  );
  const tokenRatio = histogram(
    registry,
    'token_estimate_ratio',
    'Input tokens that the model counted, divided by the estimate.',
    ['model'],
    [0.5, 0.6, 0.7, 0.8, 0.9, 1, 1.1, 1.25, 1.5, 2, 4],
  );
  const toolSeconds = histogram(registry, 'tool_duration_seconds', 'Duration of tool calls.', ['tool'], SECONDS);
  const deliverySeconds = histogram(
    registry,
    'delivery_duration_seconds',
    'Duration of delivery attempts.',
    ['destination', 'outcome'],
    SECONDS,
  );
  const queueDepth = gauge(registry, 'queue_depth', 'Jobs in a queue.', ['queue', 'state']);
  const queueAge = gauge(registry, 'queue_oldest_age_seconds', 'Age of the job that has waited longest.', ['queue']);
  gauge(registry, 'build_info', 'Always 1.', ['version', 'node']).set(
    { version: known.version, node: process.version },
    1,
  );

  return {
    /** The Prometheus text format and its content type. */
    text: async () => ({ contentType: registry.contentType, body: await registry.metrics() }),
    webhook: (source: string, code: number) => webhookRequests({ source, code: String(code) }),
    webhookDuplicate: (source: string) => webhookDuplicates({ source }),
    webhookQueueError: (source: string) => queueErrors({ source }),
    investigation: (ended: {
      readonly source: string;
      readonly outcome: Exclude<(typeof INVESTIGATION_OUTCOMES)[number], 'failed'>;
      readonly terminationReason: string;
      readonly durationMs: number;
      readonly turns: number;
    }) => {
      investigations({ outcome: ended.outcome, termination_reason: ended.terminationReason });
      investigationSeconds.observe({ source: sourceOf(ended.source) }, ended.durationMs / 1000);
      investigationTurns.observe({ source: sourceOf(ended.source) }, ended.turns);
    },
    /** There is no report but one that says so. */
    investigationFailed: (terminationReason: string) =>
      investigations({ outcome: 'failed', termination_reason: terminationReason }),
    llmRequest: (model: string, status: 'ok' | 'error', errorType = 'none') =>
      llmRequests({ model, status, error_type: errorType }),
    llmRetry: (reason: string) => llmRetries({ reason }),
    tokenRatio: (model: string, ratio: number) => tokenRatio.observe({ model: modelOf(model) }, ratio),
    llmTokens: (model: string, agent: 'main' | 'sub', type: (typeof TOKEN_TYPES)[number], tokens: number) =>
      llmTokens({ model, agent, type }, tokens),
    llmCost: (model: string, agent: 'main' | 'sub', usd: number) => llmCost({ model, agent }, usd),
    budgetExhausted: (budget: string) => budgets({ budget }),
    subAgent: (outcome: (typeof SUB_AGENT_OUTCOMES)[number]) => subAgents({ outcome }),
    toolCall: (tool: string, outcome: (typeof TOOL_OUTCOMES)[number]) => toolCalls({ tool, outcome }),
    toolDuration: (tool: string, durationMs: number) => toolSeconds.observe({ tool: toolOf(tool) }, durationMs / 1000),
    mcpToolDisabled: (server: string, reason: string) => mcpToolsDisabled({ server, reason }),
    shellDenied: (risk: string) => shellDenied({ class: risk }),
    redaction: (type: string, times = 1) => redactions({ type }, times),
    delivery: (destination: string, outcome: (typeof DELIVERY_OUTCOMES)[number], durationMs: number) => {
      deliveries({ destination, outcome });
      deliverySeconds.observe({ destination: destinationOf(destination), outcome }, durationMs / 1000);
    },
    queue: (name: string, depth: Readonly<Record<(typeof QUEUE_STATES)[number], number>>, oldestAgeMs: number) => {
      for (const state of QUEUE_STATES) queueDepth.set({ queue: name, state }, depth[state]);
      queueAge.set({ queue: name }, oldestAgeMs / 1000);
    },
  };
}

const SECONDS = [0.1, 0.25, 0.5, 1, 2.5, 5, 10, 20, 40, 80, 120, 300, 600];
const OTHER = 'other';

type LabelSets = Readonly<Record<string, readonly string[]>>;

/** Makes counters whose labels are closed sets, all combinations set to 0. */
function counters(registry: Registry) {
  return <L extends LabelSets>(name: string, help: string, labels: L) => {
    const names = Object.keys(labels);
    const counter = new Counter({ name: `rootnote_${name}`, help, labelNames: names, registers: [registry] });
    for (const combination of combinations(labels)) counter.inc(combination, 0);
    const close = Object.fromEntries(names.map((label) => [label, closed(labels[label] ?? [])]));
    return (values: Readonly<Record<keyof L & string, string>>, by = 1) => {
      const safe = Object.entries<string>(values).map(([label, value]) => [label, close[label]?.(value) ?? OTHER]);
      counter.inc(Object.fromEntries(safe) as Record<string, string>, by);
    };
  };
}

function closed(values: readonly string[]): (value: string) => string {
  const known = new Set(values);
  return (value) => (known.has(value) ? value : OTHER);
}

function combinations(labels: LabelSets): Record<string, string>[] {
  return Object.entries(labels).reduce<Record<string, string>[]>(
    (rows, [label, values]) => rows.flatMap((row) => values.map((value) => ({ ...row, [label]: value }))),
    [{}],
  );
}

function histogram<T extends string>(
  registry: Registry,
  name: string,
  help: string,
  labelNames: T[],
  buckets: number[],
) {
  return new Histogram({ name: `rootnote_${name}`, help, labelNames, buckets, registers: [registry] });
}

function gauge<T extends string>(registry: Registry, name: string, help: string, labelNames: T[]) {
  return new Gauge({ name: `rootnote_${name}`, help, labelNames, registers: [registry] });
}
