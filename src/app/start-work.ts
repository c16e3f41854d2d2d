import type { Redis } from 'ioredis';
import type { DeliveryContent } from '../domain/delivery.ts';
import type { TelemetryProvider } from '../domain/provider.ts';
import type { InvestigationParts } from '../investigate/run.ts';
import { reportId } from '../investigate/write-report.ts';
import type { McpServers } from '../mcp/servers.ts';
import { openWorkerRedis } from '../platform/redis.ts';
import { createProviders } from '../providers/index.ts';
import { createDeliveries, type Deliveries } from '../queue/deliveries/deliveries.ts';
import { startInvestigationWorker, type GivenUp } from '../queue/investigation-worker.ts';
import type { JobWorker } from '../queue/job-worker.ts';
import { startSubAgentWorker } from '../queue/sub-agent-worker.ts';
import { createQueuedSubAgents } from '../queue/sub-agents.ts';
import { createDaySpend } from '../sessions/day-spend.ts';
import { createIncidentMemory, type IncidentMemory } from '../sessions/incident-memory.ts';
import { createIncidentStore, type IncidentStore } from '../sessions/incident-store.ts';
import { createOperationsLog } from '../sessions/operations-log.ts';
import { createReportStore, type ReportStore } from '../sessions/report-store.ts';
import { createResumeStore, type ResumeStore } from '../sessions/resume-store.ts';
import { createBoundedDistil } from './distil-bounded.ts';
import { failedInvestigation } from './failed-investigation.ts';
import { openKnowledge } from './open-knowledge.ts';
import { openMemoryStore } from './open-memory.ts';
import { openMcp } from './open-mcp.ts';
import { openHost } from './open-host.ts';
import { openToolbox } from './open-toolbox.ts';
import { createInvestigationParts } from './parts.ts';
import type { Process } from './process.ts';
import { createSpending } from './spending.ts';
import { createInvestigator } from './work-on-incident.ts';
import { createOrderRunner } from './work-on-order.ts';

export interface RunningWork {
  /** True while the worker takes jobs. */
  isRunning(): boolean;
}

/** Beyond the investigation's own deadline: for storing and scheduling. */
const JOB_LEEWAY_MS = 30_000;

interface Stores {
  readonly incidents: IncidentStore;
  readonly reports: ReportStore;
  readonly resume: ResumeStore;
}

/** Starts investigating and delivering. Investigations stop before deliveries, so that a finished report still goes out. */
export async function startWork(running: Process): Promise<RunningWork> {
  const { config, log, lifetime } = running;
  const redis = openWorkerRedis(running.redis, log);
  lifetime.onStop('store connection', () => redis.disconnect());
  const stores: Stores = {
    incidents: createIncidentStore(redis, config.REDIS_PREFIX),
    reports: createReportStore(redis, config.REDIS_PREFIX),
    resume: createResumeStore(redis, config.REDIS_PREFIX, log),
  };
  const deliveries = await createDeliveries({
    redisTarget: running.redis,
    prefix: config.REDIS_PREFIX,
    destinations: running.destinations,
    lockMs: config.JOB_LOCK_MS,
    loadContent: (incidentId, kind) => loadContent(stores, incidentId, kind),
    redact: (text) => running.redactor.redact(text),
    log,
    trace: running.tracing.trace,
    currentTraceparent: running.tracing.currentTraceparent,
    onOutcome: ({ destination, outcome, durationMs }) => {
      running.metrics.delivery(destination, outcome, durationMs);
      running.watcher.onDelivery?.(destination, outcome);
    },
  });
  lifetime.onStop('deliveries', () => deliveries.close(config.SHUTDOWN_GRACE_MS / 3));
  deliveries.startWorker();

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
  const mcp = openMcp(config, running.metrics.mcpToolDisabled);
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
  const workers = await startWorkers(running, { redis, stores, earlier, deliveries, parts, mcp });
  return { isRunning: () => workers.every((worker) => worker.isRunning()) };
}

interface Work {
  readonly redis: Redis;
  readonly stores: Stores;
  readonly earlier: IncidentMemory;
  readonly deliveries: Deliveries;
  readonly parts: InvestigationParts;
  readonly mcp: McpServers;
}

/** Investigations stop before sub-agents: those that they wait for may still come in. */
async function startWorkers(
  running: Process,
  { redis, stores, earlier, deliveries, parts, mcp }: Work,
): Promise<readonly JobWorker[]> {
  const { config, log, metrics, lifetime } = running;
  const prefix = config.REDIS_PREFIX;
  const shared = {
    redis: running.redis,
    prefix,
    timeoutMs: config.INVESTIGATION_TIMEOUT_MS + JOB_LEEWAY_MS,
    lockMs: config.JOB_LOCK_MS,
    log,
  };
  const orderRunner = createOrderRunner(running, stores.reports, { parts, mcp });
  const subAgents = createQueuedSubAgents({
    redis,
    prefix,
    store: stores.resume,
    log,
    currentTraceparent: running.tracing.currentTraceparent,
    onLost: (order, outcome, incidentId) => void orderRunner.onOutcome(order, outcome, incidentId).catch(logError(log)),
  });
  lifetime.onStop('queue of sub-agents', () => subAgents.close());
  const helpers = await startSubAgentWorker({ ...shared, ...orderRunner, concurrency: config.SUB_AGENT_CONCURRENCY });
  lifetime.onStop('sub-agents', () => helpers.close(config.SHUTDOWN_GRACE_MS / 6));

  const daySpend = createDaySpend(redis, prefix, config.AGENT_MAX_COST_USD_PER_DAY ?? 0, Date.now);
  const spending = createSpending(config, daySpend, () => metrics.budgetExhausted('day_cost'));
  const worker = await startInvestigationWorker({
    ...shared,
    concurrency: config.WORKER_CONCURRENCY,
    investigate: createInvestigator(running, { parts, mcp, ...stores, earlier, subAgents, deliveries, spending }),
    onResolved: (incidentId) => deliveries.schedule(incidentId, 'resolved'),
    onPoison: (givenUp) => reportFailure(givenUp, running, stores, deliveries),
  });
  lifetime.onStop('investigations', () => worker.close(config.SHUTDOWN_GRACE_MS / 2));
  return [helpers, worker];
}

function logError(log: Process['log']): (error: unknown) => void {
  return (error) => log.warn({ err: error instanceof Error ? error.message : String(error) }, 'a session was not kept');
}

/** So that nobody learns from the first report that it had no evidence or no model. */
function sayWhatIsUsed({ config, destinations, log }: Process, providers: readonly TelemetryProvider[]): void {
  const model = config.ANTHROPIC_API_KEY ? config.MODEL_ID : 'offline analyst: ANTHROPIC_API_KEY is not set';
  const names = (parts: readonly { readonly name: string }[]) => parts.map(({ name }) => name);
  log.info({ providers: names(providers), model, destinations: names(destinations) }, 'investigations use these');
  if (providers.length === 0)
    log.warn('no telemetry provider is configured: reports will have no evidence; set PROMETHEUS_URL');
}

/** What a delivery tells: the report as stored, with the incident as it is now. */
async function loadContent(
  { incidents, reports }: Stores,
  incidentId: string,
  kind: DeliveryContent['kind'],
): Promise<DeliveryContent | undefined> {
  const reported = await reports.getReported(reportId(incidentId));
  if (!reported) return undefined;
  if (kind === 'report') return { kind, ...reported };
  const resolvedAtMs = await incidents.getResolvedAtMs(incidentId);
  const incident = (await incidents.getIncident(incidentId)) ?? reported.incident;
  return { kind, incident, report: reported.report, resolvedAtMs: resolvedAtMs ?? incident.startsAtMs };
}

/** An incident is never answered with silence: when its job is given up, a short report says so. */
async function reportFailure(
  givenUp: GivenUp,
  running: Process,
  stores: Stores,
  deliveries: Deliveries,
): Promise<void> {
  const incident = await stores.incidents.getIncident(givenUp.incidentId);
  if (!incident) return;
  const { report, session } = failedInvestigation(incident, givenUp, Date.now(), (text) =>
    running.redactor.redact(text),
  );
  const isFirst = await stores.reports.saveFirst(report, session, incident);
  if (isFirst) running.metrics.investigationFailed('given_up');
  await stores.resume.clear(incident.id);
  await deliveries.schedule(incident.id, 'report');
}
