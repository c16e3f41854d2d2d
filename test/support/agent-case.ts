import { Ledger } from '../../src/agent/ledger.ts';
import type { MainAgentInput } from '../../src/agent/main-agent.ts';
import type { Model } from '../../src/agent/model.ts';
import type { Brief } from '../../src/domain/brief.ts';
import { EvidenceBook, type Evidence } from '../../src/domain/evidence.ts';
import type { Incident } from '../../src/domain/incident.ts';
import type { TelemetryProvider } from '../../src/domain/provider.ts';
import type { Conclusion } from '../../src/domain/report.ts';
import type { LogRecord, MetricSeries } from '../../src/domain/telemetry.ts';
import { NO_TELEMETRY } from '../../src/domain/telemetry.ts';
import { verifyConclusion } from '../../src/investigate/verify.ts';

export const TRIGGER_MS = Date.parse('2026-03-01T10:00:00Z');
export const SERVICES = new Set(['checkout', 'payments', 'cart']);
/** Planted in alert and logs; must leave no process. Matches the redaction of `caseRedact`. */
export const SECRET = 'tok_live_9f8e7d6c5b4a';

export function caseRedact(text: string): string {
  return text.replaceAll(SECRET, '[redacted]');
}

export const INCIDENT: Incident = {
  id: 'inc_case',
  kind: 'incident',
  source: 'alertmanager',
  receiver: 'rootnote',
  title: 'CheckoutSlow',
  service: 'checkout',
  severity: 'critical',
  startsAtMs: TRIGGER_MS,
  state: 'firing',
  labels: { alertname: 'CheckoutSlow', service: 'checkout' },
  annotations: { summary: `p95 above 1 s, token ${SECRET}` },
  alerts: [],
  alertCount: 1,
  truncatedAlerts: 0,
  link: undefined,
};

export function caseBrief(): Brief {
  const book = new EvidenceBook();
  const metric = (service: string, statement: string, numbers: readonly number[]) =>
    book.add(statement, { kind: 'metric', service, statement, numbers, atMs: TRIGGER_MS - 45_000 });
  metric('payments', 'payments pool_in_use rose from 4 to 50 (baseline 4, peak 50)', [4, 50]);
  metric('checkout', 'checkout p95 rose from 0.12 to 4.85 s', [0.12, 4.85]);
  book.add('cut', {
    kind: 'log',
    service: 'cart',
    statement: 'cart: 12 times: slow render',
    atMs: TRIGGER_MS,
    numbers: [12],
  });
  return {
    text: 'Incident checkout\n[M1] payments pool_in_use rose from 4 to 50\n[M2] checkout p95 rose from 0.12 to 4.85 s\n',
    tokens: 60,
    rawTokens: 4000,
    ranking: { suspects: [], confidence: 0.5, confidenceReasons: [] },
    evidence: book.all(),
    gaps: [],
  };
}

export function series(service: string, metric: string, values: readonly number[]): MetricSeries {
  const timesMs = Float64Array.from(values, (_, i) => TRIGGER_MS + (i - values.length + 5) * 60_000);
  return { service, metric, timesMs, values: Float64Array.from(values) };
}

export function logLines(service: string, messages: readonly string[], level = 'ERROR'): readonly LogRecord[] {
  return messages.map((message, i) => ({ timeMs: TRIGGER_MS + i * 1000, service, level, message }));
}

export interface CaseProvider extends TelemetryProvider {
  readonly asked: string[];
}

/** A provider with fixed answers; `fail` makes it dead. */
export function caseProvider(
  options: { readonly logs?: readonly LogRecord[]; readonly fail?: Error } = {},
): CaseProvider {
  const asked: string[] = [];
  return {
    name: 'recording',
    asked,
    metricQueryHelp: '`service` or `service/metric`',
    gather: () => Promise.resolve(NO_TELEMETRY),
    check: () => Promise.resolve({ name: 'recording', status: 'ok', value: 'fixed' }),
    queryMetrics: (query) => {
      asked.push(`metrics ${query.query} ${query.fromMs - TRIGGER_MS} ${query.toMs - TRIGGER_MS}`);
      if (options.fail) return Promise.reject(options.fail);
      const calm = Array.from({ length: 30 }, () => 4);
      return Promise.resolve({ items: [series('payments', 'pool_in_use', [...calm, 20, 50, 50, 50])] });
    },
    queryLogs: (query) => {
      asked.push(`logs ${query.service ?? '*'}`);
      const lines = Array.from({ length: 48 }, (_, i) => `pool exhausted after ${i} ms, token ${SECRET}`);
      return Promise.resolve({ items: options.logs ?? logLines('payments', lines) });
    },
  };
}

export const CONCLUSION: Conclusion = {
  status: 'determined',
  summary: 'The connection pool of payments is exhausted.',
  root_cause_service: 'payments',
  root_cause_type: 'connection_exhaustion',
  confidence: 0.8,
  confidence_reasons: ['pool and latency rise together'],
  evidence: ['M1', 'M2'],
  causal_chain: [
    { service: 'payments', statement: 'The pool rose from 4 to 50.', evidence: ['M1'] },
    { service: 'checkout', statement: 'Its p95 rose to 4.85 s.', evidence: ['M2'] },
  ],
  alternatives: [],
  action_plan: [{ step: 'Raise the pool limit.', why: 'It is full.', risk: 'R2', needs_approval: true }],
};

export const LIMITS = {
  maxTurns: 8,
  maxTokens: 200_000,
  maxOutputTokens: 2000,
  maxToolCalls: 20,
  costUsd: null as number | null,
  timeMs: 600_000,
};

export interface CaseChanges extends Partial<Omit<MainAgentInput, 'ledger' | 'toolbox'>> {
  readonly providers?: readonly TelemetryProvider[];
  readonly limits?: Partial<typeof LIMITS>;
}

/** A whole input for `runMainAgent`, ten minutes of time; `changes` replace parts of it. */
export function agentInput(model: Model, { limits, providers, ...changes }: CaseChanges = {}): MainAgentInput {
  const { maxTurns: turns, maxTokens: tokens, maxToolCalls: toolCalls, ...more } = { ...LIMITS, ...limits };
  const { maxOutputTokens, costUsd, timeMs } = more;
  const now = changes.now ?? Date.now;
  const verify = (conclusion: Conclusion, evidence: readonly Evidence[]) =>
    verifyConclusion(conclusion, evidence, SERVICES);
  return {
    id: 'ses_case',
    incident: INCIDENT,
    brief: caseBrief(),
    toolbox: { providers: providers ?? [caseProvider()] },
    role: 'alert',
    model,
    window: { fromMs: TRIGGER_MS - 3_600_000, toMs: TRIGGER_MS + 600_000 },
    ledger: new Ledger({ allowance: { turns, tokens, toolCalls, costUsd, timeMs }, now, priceUsd: model.priceUsd }),
    maxOutputTokens,
    now,
    redact: caseRedact,
    nonce: 'f00dcafe',
    signal: new AbortController().signal,
    verify,
    ...changes,
  };
}

/** Limits of an investigation without a model. */
export const ANALYST_LIMITS = {
  baselineMs: 3_600_000,
  eventWindowMs: 300_000,
  tokenBudget: 5820,
  timeoutMs: 300_000,
  maxTurns: 1,
  maxTokens: 1,
  maxOutputTokens: 1,
  maxCostUsd: null,
};
