import type { Redis } from 'ioredis';
import type { TelemetryProvider } from '../domain/provider.ts';
import { openWorkerRedis } from '../platform/redis.ts';
import { createProviders } from '../providers/index.ts';
import { createDeliveries, type Deliveries } from '../queue/deliveries/deliveries.ts';
import { watchProgress } from '../queue/progress-watch.ts';
import { createIncidentMemory } from '../sessions/incident-memory.ts';
import { createOperationsLog } from '../sessions/operations-log.ts';
import type { StormStore } from '../sessions/storm-store.ts';
import { createBoundedDistil } from './distil-bounded.ts';
import { loadContent } from './load-content.ts';
import { openKnowledge } from './open-knowledge.ts';
import { openMemoryStore } from './open-memory.ts';
import { openMcp } from './open-mcp.ts';
import { openHost } from './open-host.ts';
import { openToolbox } from './open-toolbox.ts';
import { createInvestigationParts } from './parts.ts';
import type { Process } from './process.ts';
import { openStorms } from './open-storms.ts';
import { startAdmission } from './start-admission.ts';
import { startWorkers } from './start-workers.ts';
import { openStores, type Stores } from './stores.ts';
import { startStormTeller } from './tell-storms.ts';

export interface RunningWork {
  /** True while the worker takes jobs. */
  isRunning(): boolean;
  /** Queues of which this process takes nothing although jobs wait. */
  stuck(): readonly string[];
}

/** Starts investigating and delivering. Investigations stop before deliveries, so that a finished report still goes out. */
export async function startWork(running: Process): Promise<RunningWork> {
  const { config, log, lifetime } = running;
  const redis = openWorkerRedis(running.redis, log);
  lifetime.onStop('store connection', () => redis.disconnect());
  const stores = openStores(redis, config.REDIS_PREFIX, log);
  const storms = openStorms(running, redis, stores);
  const deliveries = await openDeliveries(running, stores, storms);
  lifetime.onStop('deliveries', () => deliveries.close(config.SHUTDOWN_GRACE_MS / 3));
  const parts = await openParts(running, redis, stores, deliveries);
  // Without Redis nothing is taken, and a process that waits for it has nothing to finish.
  if (redis.status === 'ready') running.watcher.onTakingWork?.();
  else redis.once('ready', () => running.watcher.onTakingWork?.());
  deliveries.startWorker();
  const workers = await startWorkers(running, { redis, stores, deliveries, storms, ...parts });
  if (config.WORKER_CONCURRENCY > 0) {
    const teller = startStormTeller({ storms, deliveries, log });
    lifetime.onStop('storm summaries', () => teller.stop());
    startAdmission(running, redis);
  }
  const watch = watchProgress({
    redis,
    prefix: config.REDIS_PREFIX,
    workers: [...workers, ...deliveries.workers()],
    log,
    onLook: running.metrics.workerStuck,
  });
  lifetime.onStop('progress watch', () => watch.stop());
  return { isRunning: () => workers.every((worker) => worker.isRunning()), stuck: () => watch.stuck() };
}

function openDeliveries(running: Process, stores: Stores, storms: StormStore): Promise<Deliveries> {
  const { config, log } = running;
  return createDeliveries({
    redisTarget: running.redis,
    prefix: config.REDIS_PREFIX,
    minReplicas: config.REDIS_MIN_REPLICAS,
    destinations: running.destinations,
    ...(running.watcher.onDeliveryStep ? { pause: running.watcher.onDeliveryStep } : {}),
    routing: running.routing,
    lockMs: config.JOB_LOCK_MS,
    loadContent: (incidentId, name, told) => loadContent(stores, incidentId, name, told),
    loadStorm: (id) => storms.getSummary(id),
    redact: (text) => running.redactor.redact(text),
    log,
    trace: running.tracing.trace,
    currentTraceparent: running.tracing.currentTraceparent,
    onLockLost: running.metrics.locksLost,
    onOutcome: ({ destination, outcome, durationMs }) => {
      running.metrics.delivery(destination, outcome, durationMs);
      running.watcher.onDelivery?.(destination, outcome);
    },
  });
}

/** What every investigation and sub-agent of this process works with. */
async function openParts(running: Process, redis: Redis, stores: Stores, deliveries: Deliveries) {
  const { config, log, lifetime } = running;
  const providers = createProviders(config);
  sayWhatIsUsed(running, providers);
  const redact = (text: string) => running.redactor.redact(text);
  const earlier = createIncidentMemory(redis, config.REDIS_PREFIX, { ...stores, redact });
  const knowledge = openKnowledge(config, {
    redact,
    store: openMemoryStore(config, redis),
    mayRemember: true,
    earlier,
    onProblem: (line) => log.warn({ problem: redact(line) }, 'an investigation goes on without some of its guidance'),
  });
  const mcp = await openMcp(config, running.metrics.mcpToolDisabled);
  lifetime.onStop('mcp servers', () => mcp.stop());
  const operations = createOperationsLog({ ...stores, deliveriesOf: (id) => deliveries.records(id) });
  const parts = createInvestigationParts(config, {
    toolbox: openToolbox(providers, knowledge, openHost(config, running.metrics.shellDenied), operations),
    knowledge,
    offline: false,
    distil: createBoundedDistil(config.FUNNEL_MEMORY_MB),
    redactor: running.redactor,
    metrics: running.metrics,
  });
  return { parts, earlier, mcp };
}

/** So that nobody learns from the first report that it had no evidence or no model. */
function sayWhatIsUsed({ config, destinations, log }: Process, providers: readonly TelemetryProvider[]): void {
  const model = config.ANTHROPIC_API_KEY ? config.MODEL_ID : 'offline analyst: ANTHROPIC_API_KEY is not set';
  const names = (parts: readonly { readonly name: string }[]) => parts.map(({ name }) => name);
  log.info({ providers: names(providers), model, destinations: names(destinations) }, 'investigations use these');
  if (providers.length === 0)
    log.warn('no telemetry provider is configured: reports will have no evidence; set PROMETHEUS_URL');
}
