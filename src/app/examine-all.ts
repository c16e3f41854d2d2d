import type { Redis } from 'ioredis';
import { doubtsAbout } from '../config/doubts.ts';
import type { ConfigError, ExaminedConfig } from '../config/load-config.ts';
import type { UnknownVariable } from '../config/misspelled.ts';
import type { Config } from '../config/schema.ts';
import { createDestinations } from '../destinations/index.ts';
import type { CheckResult } from '../domain/check-result.ts';
import { checkAnthropic } from '../llm/check.ts';
import { silentLogger } from '../platform/logger.ts';
import { describeTarget } from '../platform/redis.ts';
import type { Redactor } from '../policy/redact.ts';
import { sanitize } from '../policy/untrusted.ts';
import { createProviders } from '../providers/index.ts';
import { EvictionPolicyError, requireNoEviction } from '../queue/eviction-policy.ts';
import { createSources } from '../sources/index.ts';
import { examine, type Patient } from './doctor.ts';
import { checkMemory, checkSkills } from './examine-knowledge.ts';
import { doubtfulSettings, mistakenParts, openOrTell, partOf, refusalOf } from './examine-mistakes.ts';
import { checkInbound, checkJobs, checkSources, slackOff, unknownSettings } from './examine-settings.ts';
import { checkHost } from './open-host.ts';
import { mcpSettingsOf } from './mcp-settings.ts';
import { openMcp } from './open-mcp.ts';
import { connectOnce, openRedis } from './open-redis.ts';
import { checkRouting, openRouting } from './open-routing.ts';
import { openSources } from './open-sources.ts';
import { checkTracing } from './open-tracing.ts';
import { createProcessRedactor } from './process-redactor.ts';
import { checkRedaction } from './redaction-patterns.ts';

/**
 * Everything that is configured, and what could be: inbound, Redis, model, providers, MCP servers, commands, destinations, playbooks, memory, scheduled checks, settings
 * that nobody reads. What cannot be used is told with all that is wrong with it, and hides nothing else.
 */
export async function examineAll(
  { config, problems }: ExaminedConfig,
  unknown: readonly UnknownVariable[],
  say: (line: string) => void,
): Promise<readonly CheckResult[]> {
  const { redact } = redactorOf(config);
  const settingsOfMcp = openOrTell('mcp', () => mcpSettingsOf(config), undefined);
  const mcp = settingsOfMcp.opened && (await openMcp(config));
  const settings = [...doubtfulSettings(doubtsAbout(config)), unknownSettings(unknown)];
  const patients = [
    ...inboundParts(config),
    { name: 'redis', check: (signal: AbortSignal) => checkRedis(config, say, signal) },
    { name: 'model', check: (signal: AbortSignal) => checkModel(config, signal) },
    ...providersOf(config),
    ...(mcp?.checks ?? []),
    ...settingsOfMcp.told,
    { name: 'commands', check: () => checkHost(config) },
    ...outboundParts(config),
    { name: 'playbooks', check: () => checkSkills(config) },
    { name: 'memory', check: () => checkMemory(config) },
    { name: 'redaction', check: () => Promise.resolve(config.REDACT_PATTERNS_FILE).then(checkRedaction) },
    { name: 'scheduled checks', check: () => checkJobs(config) },
    { name: 'traces', check: (signal: AbortSignal) => checkTracing(config, signal) },
    ...settings.flatMap(known),
  ];
  const results = await examine(withMistakes(patients, mistakenParts(problems)));
  await mcp?.stop();
  return results.map(({ remedy, details, ...result }) => ({
    ...result,
    // What was seen may be what the other side said, about our credentials for example.
    value: redact(sanitize(result.value)),
    ...(details === undefined ? {} : { details: details.map((detail) => redact(sanitize(detail))) }),
    ...(remedy === undefined ? {} : { remedy: redact(sanitize(remedy)) }),
  }));
}

/** Patterns that cannot be used are told by their own part. */
function redactorOf(config: Config): Redactor {
  const withoutPatterns = createProcessRedactor({ ...config, REDACT_PATTERNS_FILE: undefined });
  return openOrTell('redaction', () => createProcessRedactor(config), withoutPatterns).opened;
}

function inboundParts(config: Config): readonly Patient[] {
  const sources = openOrTell('sources', () => openSources(config), undefined);
  return [
    { name: 'inbound', check: (signal) => checkInbound(config, sources.opened ?? createSources(config), signal) },
    ...sources.told,
    ...known(sources.opened && checkSources(sources.opened, config)),
  ];
}

function providersOf(config: Config): readonly Patient[] {
  const broken: ConfigError[] = [];
  const providers = createProviders(config, (error) => void broken.push(error));
  const told = broken.map((error) => refusalOf(partOf(error.message), error));
  const all = [...providers, ...told];
  return all.length > 0 ? all : known(NO_PROVIDER);
}

function outboundParts(config: Config): readonly Patient[] {
  const routing = openOrTell('routing', () => openRouting(config), undefined);
  return [
    ...(routing.opened?.destinations ?? createDestinations(config)),
    ...known(slackOff(config)),
    ...routing.told,
    ...known(routing.opened && checkRouting(config, routing.opened)),
  ];
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
  remedy: 'Set PROMETHEUS_URL.',
};

/** A line for which nothing has to be asked. */
function known(result: CheckResult | undefined): readonly Patient[] {
  return result ? [{ name: result.name, check: () => Promise.resolve(result) }] : [];
}

async function checkRedis(config: Config, say: (line: string) => void, signal: AbortSignal): Promise<CheckResult> {
  const opened = await openRedis(config, say, signal);
  let redis: Redis | undefined;
  try {
    redis = await connectOnce(opened.target);
    await requireNoEviction(redis, silentLogger());
    const version = /redis_version:(\S+)/.exec(await redis.info('server'))?.[1] ?? 'of unknown version';
    const kind = config.REDIS_URL ? '' : ', embedded';
    return { name: 'redis', status: 'ok', value: `Redis ${version} at ${describeTarget(opened.target)}${kind}` };
  } catch (error) {
    const value = error instanceof Error ? error.message : String(error);
    const remedy =
      error instanceof EvictionPolicyError
        ? 'No role starts on this Redis: change its policy, or REDIS_URL.'
        : 'Check REDIS_URL, or unset it to use the embedded Redis.';
    return { name: 'redis', status: 'fail', value, remedy };
  } finally {
    redis?.disconnect();
    await opened.stop();
  }
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
