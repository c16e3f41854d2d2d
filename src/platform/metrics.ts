import { Registry } from 'prom-client';
import { metersOf, type Meters } from './meters.ts';

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
  /** What became of what did not hold and was asked for again. */
  readonly repairs: readonly string[];
  /** Kinds of what sources give. */
  readonly evidenceKinds: readonly string[];
  /** Names of MCP servers, and why tools of theirs are not there. */
  readonly mcp: { readonly servers: readonly string[]; readonly reasons: readonly string[] };
}

export const INVESTIGATION_OUTCOMES = ['determined', 'inconclusive', 'healthy', 'failed'] as const;
/** `skipped`: the incident was resolved, or investigated again. */
export const LOOK_OUTCOMES = ['changed', 'unchanged', 'skipped'] as const;
export const DELIVERY_OUTCOMES = ['delivered', 'retry', 'gave-up'] as const;
/** `cut_short`: it handed in what it had by then. */
const SUB_AGENT_OUTCOMES = ['done', 'cut_short', 'lost'] as const;
/** `truncated`: it worked, and more came back than was shown. `denied`: no such call is permitted. */
export const TOOL_OUTCOMES = ['ok', 'error', 'timeout', 'denied', 'truncated'] as const;
export const TOKEN_TYPES = ['input', 'output', 'cache_read', 'cache_write'] as const;
const WEBHOOK_CODES = ['202', '400', '401', '405', '413', '415', '422', '500', '503'] as const;
const ADMISSIONS = ['new', 'joined', 'repeat', 'resolved', 'acknowledged', 'ignored', 'undecided'] as const;
/** `failed`: the store was away in their minute; they are decided when it is back. */
export const CHECK_TICK_OUTCOMES = ['run', 'late', 'skipped_overlap', 'missed', 'failed'] as const;
const QUEUE_STATES = ['waiting', 'active', 'delayed', 'failed'] as const;

export type Metrics = ReturnType<typeof createMetrics>;

/** Every metric Rootnote exports, as functions that take what happened. Names and labels: docs/operations.md. */
export function createMetrics(known: MetricLabels) {
  const registry = new Registry();
  const meters = metersOf(registry);
  meters.gauge('build_info', 'Always 1.', ['version', 'node'])({ version: known.version, node: process.version }, 1);
  return {
    /** The Prometheus text format and its content type. */
    text: async () => ({ contentType: registry.contentType, body: await registry.metrics() }),
    ...webhookMetrics(meters, known),
    ...investigationMetrics(meters, known),
    ...modelMetrics(meters, known),
    ...agentMetrics(meters, known),
    ...toolMetrics(meters, known),
    ...deliveryMetrics(meters, known),
    ...checkMetrics(meters),
  };
}

function webhookMetrics({ count, gauge }: Meters, { sources: source }: MetricLabels) {
  const requests = count('webhook_requests_total', 'Webhook requests answered.', { source, code: WEBHOOK_CODES });
  const admissions = count('admissions_total', 'What came in, decided.', { source, decision: ADMISSIONS });
  const duplicates = count('webhook_duplicates_total', 'Notifications that held nothing new.', { source });
  const queueErrors = count('webhook_queue_errors_total', 'Notifications that could not be persisted.', { source });
  const waiting = gauge('inbox_waiting', 'What came in and no worker has decided yet.', []);
  const oldest = gauge('inbox_oldest_age_seconds', 'Age of what waits longest to be decided.', []);
  const aside = gauge('inbox_aside', 'What came in, could not be decided and is kept aside.', []);
  return {
    webhook: (name: string, code: number) => requests({ source: name, code: String(code) }),
    admission: (name: string, decision: (typeof ADMISSIONS)[number]) => {
      admissions({ source: name, decision });
      if (decision === 'repeat') duplicates({ source: name });
    },
    /** What nobody has decided yet, the age of the oldest, and what could not be decided. */
    inbox: (arrivals: number, ageMs: number, asideCount: number) => {
      waiting({}, arrivals);
      oldest({}, ageMs / 1000);
      aside({}, asideCount);
    },
    inboxUnknown: () => [waiting, oldest, aside].forEach((one) => one.forget()),
    webhookQueueError: (name: string) => queueErrors({ source: name }),
  };
}

function investigationMetrics({ count, histogram }: Meters, known: MetricLabels) {
  const source = [...known.sources, 'schedule', 'recording'];
  const investigations = count('investigations_total', 'Investigations ended.', {
    outcome: INVESTIGATION_OUTCOMES,
    termination_reason: known.terminationReasons,
  });
  const seconds = histogram('investigation_duration_seconds', 'Duration of investigations.', { source });
  const looks = count('later_looks_total', 'Second looks at incidents that still fired.', { outcome: LOOK_OUTCOMES });
  const turns = histogram('investigation_turns', 'Turns of the agent.', { source }, [0, 1, 2, 4, 6, 8, 10, 12, 16, 24]);
  return {
    investigation: (ended: {
      readonly source: string;
      readonly outcome: Exclude<(typeof INVESTIGATION_OUTCOMES)[number], 'failed'>;
      readonly terminationReason: string;
      readonly durationMs: number;
      readonly turns: number;
    }) => {
      investigations({ outcome: ended.outcome, termination_reason: ended.terminationReason });
      seconds({ source: ended.source }, ended.durationMs / 1000);
      turns({ source: ended.source }, ended.turns);
    },
    laterLook: (outcome: (typeof LOOK_OUTCOMES)[number]) => looks({ outcome }),
    /** There is no report but one that says so. */
    investigationFailed: (terminationReason: string) =>
      investigations({ outcome: 'failed', termination_reason: terminationReason }),
  };
}

function modelMetrics({ count, histogram }: Meters, { models: model, modelErrors }: MetricLabels) {
  const agent = ['main', 'sub'];
  const requests = count('llm_requests_total', 'Requests to the model.', {
    model,
    status: ['ok', 'error'],
    error_type: ['none', ...modelErrors],
  });
  const retries = count('llm_retries_total', 'Requests to the model that were made again, by what had failed.', {
    reason: modelErrors,
  });
  const tokens = count('llm_tokens_total', 'Tokens used.', { model, agent, type: TOKEN_TYPES });
  const cost = count('llm_cost_usd_total', 'Cost of the model, US dollars.', { model, agent });
  const firstToken = histogram('llm_time_to_first_token_seconds', 'From the request to the first output.', { model });
  const ratio = histogram(
    'token_estimate_ratio',
    'Input tokens that the model counted, divided by the estimate.',
    { model },
    [0.5, 0.6, 0.7, 0.8, 0.9, 1, 1.1, 1.25, 1.5, 2, 4],
  );
  return {
    llmRequest: (name: string, status: 'ok' | 'error', errorType = 'none') =>
      requests({ model: name, status, error_type: errorType }),
    llmRetry: (reason: string) => retries({ reason }),
    llmFirstToken: (name: string, waitedMs: number) => firstToken({ model: name }, waitedMs / 1000),
    tokenRatio: (name: string, counted: number) => ratio({ model: name }, counted),
    llmTokens: (name: string, whose: 'main' | 'sub', type: (typeof TOKEN_TYPES)[number], used: number) =>
      tokens({ model: name, agent: whose, type }, used),
    llmCost: (name: string, whose: 'main' | 'sub', usd: number) => cost({ model: name, agent: whose }, usd),
  };
}

function agentMetrics({ count }: Meters, known: MetricLabels) {
  const budgets = count('budget_exhausted_total', 'Investigations that a budget ended early or left without a model.', {
    budget: known.budgets,
  });
  const subAgents = count('subagents_total', 'Sub-agents ended.', { outcome: SUB_AGENT_OUTCOMES });
  const repairs = count('report_repairs_total', 'Reports and findings that did not hold and were asked for again.', {
    result: known.repairs,
  });
  return {
    budgetExhausted: (budget: string) => budgets({ budget }),
    subAgent: (outcome: (typeof SUB_AGENT_OUTCOMES)[number]) => subAgents({ outcome }),
    reportRepair: (result: string) => repairs({ result }),
  };
}

function toolMetrics(
  { count, histogram }: Meters,
  { tools: tool, redactions: type, mcp, evidenceKinds }: MetricLabels,
) {
  const calls = count('tool_calls_total', 'Tool calls of the agent.', { tool, outcome: TOOL_OUTCOMES });
  const seconds = histogram('tool_duration_seconds', 'Duration of tool calls.', { tool });
  const kind = evidenceKinds;
  const bytesIn = count('evidence_bytes_in_total', 'Bytes that sources gave, before they were distilled.', { kind });
  const bytesOut = count('evidence_bytes_out_total', 'Bytes of that which a model was given.', { kind });
  const denied = count('shell_denied_total', 'Commands of the agent that the gate did not run.', {
    class: ['R1', 'R2', 'R3'],
  });
  const redactions = count('redactions_total', 'Secrets taken out of texts.', { type });
  const disabled = count('mcp_tools_disabled_total', 'Allowed tools of MCP servers that became unavailable.', {
    server: mcp.servers,
    reason: mcp.reasons,
  });
  return {
    toolCall: (name: string, outcome: (typeof TOOL_OUTCOMES)[number]) => calls({ tool: name, outcome }),
    toolDuration: (name: string, durationMs: number) => seconds({ tool: name }, durationMs / 1000),
    evidence: (of: string, read: number, shown: number) => {
      bytesIn({ kind: of }, read);
      bytesOut({ kind: of }, shown);
    },
    mcpToolDisabled: (server: string, reason: string) => disabled({ server, reason }),
    shellDenied: (risk: string) => denied({ class: risk }),
    redaction: (of: string, times = 1) => redactions({ type: of }, times),
  };
}

function deliveryMetrics({ count, histogram, gauge }: Meters, { destinations: destination }: MetricLabels) {
  const labels = { destination, outcome: DELIVERY_OUTCOMES };
  const deliveries = count('deliveries_total', 'Attempts to deliver a report.', labels);
  const seconds = histogram('delivery_duration_seconds', 'Duration of delivery attempts.', labels);
  const depthOf = gauge('queue_depth', 'Jobs in a queue.', ['queue', 'state']);
  const ageOf = gauge('queue_oldest_age_seconds', 'Age of the job that has waited longest.', ['queue']);
  const backlogOf = gauge('delivery_backlog', 'Deliveries that are not settled.', ['destination']);
  const backlogAgeOf = gauge('delivery_oldest_age_seconds', 'Age of the oldest unsettled delivery.', ['destination']);
  const stuck = gauge('worker_stuck', '1 while jobs wait and this worker, with places free, takes none.', ['queue']);
  const queues = ['incidents', 'subagents', ...destination.map((name) => `deliveries-${name}`)];
  const locksLost = count('job_locks_lost_total', 'Jobs that another worker took over while this one was at them.', {
    queue: queues,
  });
  return {
    delivery: (name: string, outcome: (typeof DELIVERY_OUTCOMES)[number], durationMs: number) => {
      deliveries({ destination: name, outcome });
      seconds({ destination: name, outcome }, durationMs / 1000);
    },
    deliveryBacklog: (name: string, unsettled: number, oldestAgeMs: number) => {
      backlogOf({ destination: name }, unsettled);
      backlogAgeOf({ destination: name }, oldestAgeMs / 1000);
    },
    workerStuck: (queue: string, isStuck: boolean) => stuck({ queue }, isStuck ? 1 : 0),
    locksLost: (queue: string, jobs: number) => locksLost({ queue }, jobs),
    queue: (queue: string, depth: Readonly<Record<(typeof QUEUE_STATES)[number], number>>, oldestAgeMs: number) => {
      for (const state of QUEUE_STATES) depthOf({ queue, state }, depth[state]);
      ageOf({ queue }, oldestAgeMs / 1000);
    },
    queuesUnknown: () => [depthOf, ageOf, backlogOf, backlogAgeOf].forEach((one) => one.forget()),
  };
}

function checkMetrics({ count, gauge }: Meters) {
  const ticks = count('check_ticks_total', 'Ticks of scheduled checks, by what became of them.', {
    outcome: CHECK_TICK_OUTCOMES,
  });
  const broken = gauge('check_files_broken', 'Files of scheduled checks that cannot be used.', []);
  const decided = gauge('check_ticks_decided_timestamp_seconds', 'When this process last decided about all ticks.', []);
  return {
    checkTicks: (outcome: (typeof CHECK_TICK_OUTCOMES)[number], number: number) => ticks({ outcome }, number),
    checkFilesBroken: (files: number) => broken({}, files),
    checksDecided: () => decided({}, Date.now() / 1000),
  };
}
