import { resolve } from 'node:path';
import { doubtsAbout, guessableGuards } from '../config/doubts.ts';
import { isRedisElsewhere } from '../config/redis-settings.ts';
import type { Config } from '../config/schema.ts';
import { assertSafeToListen } from '../http/authorize.ts';
import { requireFreeAddress } from '../http/require-free-address.ts';
import { createLogger, silentLogger, type Logger } from '../platform/logger.ts';
import { keepObjectsYoung } from '../platform/young-objects.ts';
import { investigates, receives, type Role } from './arguments.ts';
import { createLifetime, type Lifetime } from './lifetime.ts';
import { openRedis, refuseEviction } from './open-redis.ts';
import { measuredTrace } from './measured-trace.ts';
import { openRouting } from './open-routing.ts';
import { openSources } from './open-sources.ts';
import { openTracing } from './open-tracing.ts';
import { createProcessRedactor } from './process-redactor.ts';
import { createProcessMetrics } from './process-metrics.ts';
import { startHttp } from './start-http.ts';
import type { Process, RoleWatcher } from './process.ts';

export interface RunningRole {
  /** Of the HTTP server: webhooks (in `all` and `serve`), probes and metrics (in every role). */
  readonly url: string;
  readonly log: Logger;
  readonly lifetime: Lifetime;
}

/**
 * Starts one role, or all. Returns when it takes work; a Redis that is configured but away is waited for (webhooks are answered 503, `/readyz` is red).
 * Throws ConfigError, UnsafeListenError, RedisUnavailable or EvictionPolicyError when it must not start; then nothing is left running.
 */
export async function startRole(role: Role, config: Config, watcher: RoleWatcher = {}): Promise<RunningRole> {
  const sources = openSources(config);
  if (receives(role)) {
    assertSafeToListen(config, sources, guessableGuards(config));
    keepObjectsYoung();
  }
  // Before anything is started that would have to be stopped again.
  await requireFreeAddress(config.HOST, config.PORT);
  const { destinations, routing } = openRouting(config);
  const metrics = createProcessMetrics(config, sources, destinations);
  const redactor = createProcessRedactor(config, (type) => metrics.redaction(type));
  const log = createLogger(config.LOG_LEVEL, (text) => redactor.redact(text));
  for (const { setting, message } of doubtsAbout(config)) log.warn({ setting }, `${setting} ${message}`);
  const lifetime = createLifetime(log, config.SHUTDOWN_GRACE_MS);
  const tracing = await openTracing(config, {
    redact: (text) => redactor.redact(text),
    onLost: () => log.warn('spans could not be sent to the collector and are lost; work goes on'),
  });
  lifetime.onStop('tracing', () => tracing.stop(config.SHUTDOWN_GRACE_MS / 6));
  try {
    const redis = await openRedis(config, watcher.say ?? ((line) => log.info(line)));
    lifetime.onStop('redis', () => redis.stop());
    if (!isRedisElsewhere(config) && role !== 'all')
      log.warn(
        { stateDir: resolve(config.STATE_DIR) },
        'the Redis of this folder: other roles find it only with the same STATE_DIR; or set REDIS_URL for all',
      );
    const replicas = { count: config.REDIS_MIN_REPLICAS, log };
    await refuseEviction(redis.target, investigates(role) ? silentLogger() : log, replicas);
    const running: Process = {
      role,
      config,
      sources,
      destinations,
      routing,
      metrics,
      tracing: { ...tracing, trace: measuredTrace(tracing.trace, metrics) },
      redactor,
      log,
      lifetime,
      redis: redis.target,
      watcher,
    };
    // Loaded only where they are: a receiver is there sooner, and smaller, without what investigates.
    const worker = investigates(role) ? await (await import('./start-work.ts')).startWork(running) : undefined;
    if (role === 'all' || role === 'schedule') await (await import('./start-schedule.ts')).startSchedule(running);
    const url = await startHttp(running, worker);
    log.info({ role, url }, 'ready to work');
    return { url, log, lifetime };
  } catch (error) {
    await lifetime.stop();
    throw error;
  }
}
