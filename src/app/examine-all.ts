import { doubtsAbout } from '../config/doubts.ts';
import type { ExaminedConfig } from '../config/load-config.ts';
import type { UnknownVariable } from '../config/misspelled.ts';
import type { Config } from '../config/schema.ts';
import { createDestinations } from '../destinations/index.ts';
import type { CheckResult } from '../domain/check-result.ts';
import { checkAnthropic } from '../llm/check.ts';
import { sanitize } from '../policy/untrusted.ts';
import { kubernetesOff } from '../providers/kubernetes/open.ts';
import { createSources } from '../sources/index.ts';
import { examine, type Patient } from './doctor.ts';
import { checkMemory, checkSkills } from './examine-knowledge.ts';
import { doubtfulSettings, mistakenParts, openConfigured } from './examine-mistakes.ts';
import { checkRedis } from './examine-redis.ts';
import { checkJobs, readLastResults, type LastResults } from './examine-jobs.ts';
import { checkInbound, checkSources, slackOff, unknownSettings } from './examine-settings.ts';
import { checkHost } from './open-host.ts';
import { openMcp } from './open-mcp.ts';
import { memoryPlace } from './open-memory.ts';
import { checkRouting } from './open-routing.ts';
import { checkTracing } from './open-tracing.ts';
import { createProcessRedactor } from './process-redactor.ts';
import { checkRedaction } from './redaction-patterns.ts';

/**
 * Everything that is configured, and what could be: inbound, Redis, model, providers, MCP servers, commands, destinations, playbooks, memory, scheduled checks, settings
 * that nobody reads. What cannot be used is told with all that is wrong with it, and hides nothing else.
 */
export async function examineAll(
  examined: ExaminedConfig,
  unknown: readonly UnknownVariable[],
  say: (line: string) => void,
): Promise<readonly CheckResult[]> {
  const { config } = examined;
  const { mistakes, ...opened } = openConfigured(examined);
  const sources = opened.sources ?? createSources(config);
  const { redact } = createProcessRedactor(
    opened.redactionRules ? config : { ...config, REDACT_PATTERNS_FILE: undefined },
  );
  const mistaken = mistakenParts(mistakes);
  const mcp = opened.mcp && (await openMcp(config));
  const destinations = opened.routing?.destinations ?? createDestinations(config);
  let redis: Promise<CheckResult> | undefined;
  // After it has been looked at: an embedded one is started for each who asks, and what is away is told once.
  const lastResults: LastResults = async (enabled) =>
    (await redis)?.status === 'fail' ? [] : readLastResults(config, say, enabled);
  const patients = [
    { name: 'inbound', check: (signal: AbortSignal) => checkInbound(config, sources, signal) },
    ...known(checkSources(sources, config)),
    { name: 'redis', check: (signal: AbortSignal) => (redis = checkRedis(config, say, signal)) },
    { name: 'model', check: (signal: AbortSignal) => checkModel(config, signal) },
    ...providersOr(opened.providers, mistaken),
    ...known(kubernetesOff(config)),
    ...(mcp?.checks ?? []),
    { name: 'commands', check: () => checkHost(config) },
    ...destinations,
    ...known(slackOff(config)),
    ...known(opened.routing && checkRouting(config, opened.routing)),
    { name: 'playbooks', check: () => checkSkills(config) },
    { name: 'memory', check: () => checkMemory(config) },
    ...known(opened.redactionRules && checkRedaction(config.REDACT_PATTERNS_FILE, opened.redactionRules)),
    { name: 'scheduled checks', check: () => checkJobs(config, destinations, lastResults) },
    { name: 'traces', check: (signal: AbortSignal) => checkTracing(config, signal) },
  ];
  const settings = [...doubtfulSettings(doubtsAbout(config)), unknownSettings(unknown)];
  const results = await examine([...withMistakes(patients, mistaken), ...settings.flatMap(known)]);
  await mcp?.stop();
  return withoutRedis(results, config).map((result) => redacted(result, (text) => redact(sanitize(text))));
}

/** What was seen may be what the other side said, about our credentials for example. */
function redacted({ details, remedy, ...result }: CheckResult, redact: (text: string) => string): CheckResult {
  return {
    ...result,
    value: redact(result.value),
    ...(details === undefined ? {} : { details: details.map(redact) }),
    ...(remedy === undefined ? {} : { remedy: redact(remedy) }),
  };
}

/** Nothing works that is in a Redis which does not; the reason stands there. */
function withoutRedis(results: readonly CheckResult[], config: Config): readonly CheckResult[] {
  const isAway = results.some(({ name, status }) => name === 'redis' && status === 'fail');
  if (!isAway || memoryPlace(config) === 'file') return results;
  return results.map((one) =>
    one.name === 'memory' ? { ...one, status: 'off', value: `${one.value}: see redis` } : one,
  );
}

const PROVIDERS: readonly string[] =
  'prometheus loki elasticsearch victorialogs tempo jaeger kubernetes topology recording'.split(' ');

/** Telemetry providers, or that there are none; one that holds a mistake is meant to be there. */
function providersOr(providers: readonly Patient[], mistaken: readonly CheckResult[]): readonly Patient[] {
  const isMeant = mistaken.some(({ name }) => PROVIDERS.includes(name));
  return providers.length > 0 || isMeant ? providers : known(NO_PROVIDER);
}

/** A part with mistakes in its settings tells those, where it stands; one that is not there otherwise goes before all. */
function withMistakes(patients: readonly Patient[], mistaken: readonly CheckResult[]): readonly Patient[] {
  const homeless = mistaken.filter(({ name }) => !patients.some((patient) => patient.name === name));
  const placed = patients.flatMap((patient) => {
    const mistake = mistaken.find(({ name }) => name === patient.name);
    return mistake ? known(mistake) : patient;
  });
  return [...homeless.flatMap(known), ...placed];
}

const NO_PROVIDER: CheckResult = {
  name: 'telemetry',
  status: 'warn',
  value: 'no provider is configured: reports will have no evidence',
  remedy: 'Set PROMETHEUS_URL, or KUBERNETES_KUBECONFIG outside a cluster.',
};

/** A line for which nothing has to be asked. */
function known(result: CheckResult | undefined): readonly Patient[] {
  return result ? [{ name: result.name, check: () => Promise.resolve(result) }] : [];
}

async function checkModel(config: Config, signal: AbortSignal): Promise<CheckResult> {
  if (!config.ANTHROPIC_API_KEY) {
    return {
      name: 'model',
      status: 'off',
      value: 'ANTHROPIC_API_KEY is not set: the offline analyst writes the reports',
    };
  }
  return checkAnthropic(
    {
      apiKey: config.ANTHROPIC_API_KEY,
      baseUrl: config.ANTHROPIC_BASE_URL,
      modelId: config.MODEL_ID,
      isCostCapped: config.AGENT_MAX_COST_USD !== undefined || config.AGENT_MAX_COST_USD_PER_DAY !== undefined,
    },
    signal,
  );
}
