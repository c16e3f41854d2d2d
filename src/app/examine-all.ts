import type { Redis } from 'ioredis';
import type { UnknownVariable } from '../config/misspelled.ts';
import type { Config } from '../config/schema.ts';
import type { CheckResult } from '../domain/check-result.ts';
import { checkAnthropic } from '../llm/check.ts';
import { silentLogger } from '../platform/logger.ts';
import { describeTarget } from '../platform/redis.ts';
import { sanitize } from '../policy/untrusted.ts';
import { createProviders } from '../providers/index.ts';
import { EvictionPolicyError, requireNoEviction } from '../queue/eviction-policy.ts';
import { examine, type Patient } from './doctor.ts';
import { checkMemory, checkSkills } from './examine-knowledge.ts';
import { checkInbound, checkJobs, checkSources, slackOff, unknownSettings } from './examine-settings.ts';
import { checkHost } from './open-host.ts';
import { openMcp } from './open-mcp.ts';
import { connectOnce, openRedis } from './open-redis.ts';
import { checkRouting, openRouting } from './open-routing.ts';
import { openSources } from './open-sources.ts';
import { checkTracing } from './open-tracing.ts';
import { createProcessRedactor } from './parts.ts';
import { checkRedaction } from './redaction-patterns.ts';

/**
 * Everything that is configured, and what could be: inbound, Redis, model, providers, MCP servers, commands, destinations, playbooks, memory, scheduled checks, settings
 * that nobody reads.
 */
export async function examineAll(
  config: Config,
  unknown: readonly UnknownVariable[],
  say: (line: string) => void,
): Promise<readonly CheckResult[]> {
  // A pattern that cannot be used ends it here, before anything is asked.
  const { redact } = createProcessRedactor(config);
  const providers = createProviders(config);
  const mcp = openMcp(config);
  const sources = openSources(config);
  const opened = openRouting(config);
  const results = await examine([
    { name: 'inbound', check: (signal) => checkInbound(config, sources, signal) },
    ...known(checkSources(sources, config)),
    { name: 'redis', check: (signal) => checkRedis(config, say, signal) },
    { name: 'model', check: (signal) => checkModel(config, signal) },
    ...(providers.length > 0 ? providers : known(NO_PROVIDER)),
    ...mcp.checks,
    { name: 'commands', check: () => checkHost(config) },
    ...opened.destinations,
    ...known(slackOff(config)),
    ...known(checkRouting(config, opened)),
    { name: 'playbooks', check: () => checkSkills(config) },
    { name: 'memory', check: () => checkMemory(config) },
    { name: 'redaction', check: () => Promise.resolve(checkRedaction(config.REDACT_PATTERNS_FILE)) },
    { name: 'scheduled checks', check: () => checkJobs(config) },
    { name: 'traces', check: (signal) => checkTracing(config, signal) },
    ...known(unknownSettings(unknown)),
  ]);
  await mcp.stop();
  return results.map(({ remedy, ...result }) => ({
    ...result,
    // What was seen may be what the other side said, about our credentials for example.
    value: redact(sanitize(result.value)),
    ...(remedy === undefined ? {} : { remedy: redact(sanitize(remedy)) }),
  }));
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
