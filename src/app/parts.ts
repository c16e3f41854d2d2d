import { randomBytes } from 'node:crypto';
import type { Config } from '../config/schema.ts';
import { NO_GUIDANCE } from '../agent/guidance.ts';
import type { Model } from '../agent/model.ts';
import type { Toolbox } from '../agent/toolbox.ts';
import type { Telemetry } from '../domain/telemetry.ts';
import type { InvestigationParts } from '../investigate/run.ts';
import { createAnthropicModel } from '../llm/anthropic.ts';
import { measuredModel } from './measured-model.ts';
import type { Redactor } from '../policy/redact.ts';
import { sanitize } from '../policy/untrusted.ts';
import type { Metrics } from '../platform/metrics.ts';
import { gatherAll } from '../providers/gather-all.ts';
import { createPagerDutyDetails, type PagerDutyDetails } from '../sources/pagerduty/details/index.ts';
import type { Knowledge } from './open-knowledge.ts';
import { costSetting, maxCostUsd } from './spending.ts';

/** The configured model, or why there is none. */
function createModel(
  config: Config,
  offline: boolean,
  metrics?: Metrics,
  onProgress?: InvestigationParts['onProgress'],
): Model | { readonly off: string } {
  if (offline) return { off: '--offline was given' };
  if (!config.ANTHROPIC_API_KEY) return { off: 'ANTHROPIC_API_KEY is not set' };
  const model = createAnthropicModel({
    apiKey: config.ANTHROPIC_API_KEY,
    baseUrl: config.ANTHROPIC_BASE_URL,
    modelId: config.MODEL_ID,
    idleTimeoutMs: config.MODEL_IDLE_TIMEOUT_MS,
    onRetry: ({ kind, message, waitMs }) => {
      metrics?.llmRetry(kind);
      onProgress?.('agent', `the model gave no answer: ${message}; asking again in ${(waitMs / 1000).toFixed(1)} s`);
    },
    onTokenRatio: (ratio) => metrics?.tokenRatio(config.MODEL_ID, ratio),
    onFirstToken: (waitedMs) => metrics?.llmFirstToken(config.MODEL_ID, waitedMs),
  });
  return metrics ? measuredModel(model, metrics) : model;
}

/** A provider that is slower than this is not waited for with the first look. */
const FIRST_LOOK_PATIENCE_MS = 3500;

/** What `investigate()` needs, from the configuration. `distil` differs: a thread in workers, inline on the command line. */
export function createInvestigationParts(
  config: Config,
  options: {
    readonly toolbox: Toolbox;
    readonly offline: boolean;
    readonly distil: InvestigationParts['distil'];
    readonly redactor: Redactor;
    /** Absent: no guidance, and no remembered calls. */
    readonly knowledge?: Knowledge;
    /** Counts the model's requests, where there is somebody to read them. */
    readonly metrics?: Metrics;
    readonly onProgress?: InvestigationParts['onProgress'];
  },
): InvestigationParts {
  const { toolbox, distil, redactor, knowledge, metrics, onProgress } = options;
  const model = createModel(config, options.offline, metrics, onProgress);
  // Sanitised first: an invisible character or colour code in a secret would hide it.
  const redact = (text: string) => redactor.redact(sanitize(text));
  const details = openDetails(config, redact);
  return {
    toolbox,
    complete: (incident, signal) => details.complete(incident, signal),
    gather: async (incident, window, signal, onSoFar) => {
      const completed = (telemetry: Telemetry) =>
        knowledge?.complete(telemetry, incident) ?? Promise.resolve(telemetry);
      const tell = (soFar: Telemetry) => void completed(soFar).then(onSoFar, () => undefined);
      const telemetry = await gatherAll(toolbox.providers, incident, window, {
        timeoutMs: Math.ceil(config.INVESTIGATION_TIMEOUT_MS / 4),
        caps: { logLines: config.MAX_LOG_LINES, spans: config.MAX_SPANS, series: config.MAX_SERIES },
        signal,
        ...(onSoFar ? { early: { afterMs: FIRST_LOOK_PATIENCE_MS, tell } } : {}),
      });
      return completed(telemetry);
    },
    distil: async (incident, telemetry, limits, signal) => {
      const brief = await distil(incident, telemetry, limits, signal);
      metrics?.evidence('telemetry', telemetry.rawCharacters, Buffer.byteLength(brief.text));
      return brief;
    },
    guide: knowledge?.guide ?? (() => Promise.resolve(NO_GUIDANCE)),
    model,
    limits: {
      baselineMs: config.BASELINE_MINUTES * 60_000,
      eventWindowMs: config.EVENT_WINDOW_SECONDS * 1000,
      tokenBudget: config.BRIEF_TOKEN_BUDGET,
      timeoutMs: config.INVESTIGATION_TIMEOUT_MS,
      maxTurns: config.AGENT_MAX_TURNS,
      maxTokens: config.AGENT_MAX_TOKENS,
      maxOutputTokens: config.MODEL_MAX_OUTPUT_TOKENS,
      maxCostUsd: maxCostUsd(config, model),
      costSetting: costSetting(config, model),
    },
    now: Date.now,
    redact,
    nonce: () => randomBytes(9).toString('base64url'),
    ...(onProgress ? { onProgress } : {}),
  };
}

/** What PagerDuty's webhook does not carry. */
function openDetails(config: Config, redact: (text: string) => string): PagerDutyDetails {
  const { PAGERDUTY_API_URL: apiUrl, PAGERDUTY_API_TOKEN: token } = config;
  return createPagerDutyDetails({ apiUrl, token, redact });
}
