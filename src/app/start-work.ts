import type { DeliveryContent } from '../domain/delivery.ts';
import type { Incident } from '../domain/incident.ts';
import type { TelemetryProvider } from '../domain/provider.ts';
import { investigate } from '../investigate/investigate.ts';
import { reportId } from '../investigate/write-report.ts';
import { openWorkerRedis } from '../platform/redis.ts';
import { createProviders } from '../providers/index.ts';
import { createDeliveries, type Deliveries } from '../queue/deliveries/deliveries.ts';
import { startInvestigationWorker, type GivenUp } from '../queue/investigation-worker.ts';
import type { JobContext } from '../queue/job-worker.ts';
import { createIncidentStore, type IncidentStore } from '../sessions/incident-store.ts';
import { createReportStore, type ReportStore } from '../sessions/report-store.ts';
import { createBoundedDistil } from './distil-bounded.ts';
import { failedInvestigation } from './failed-investigation.ts';
import { measureInvestigation } from './measure-investigation.ts';
import { createInvestigationParts } from './parts.ts';
import type { Process } from './process.ts';

export interface RunningWork {
  /** True while the worker takes jobs. */
  isRunning(): boolean;
}

/** Beyond the investigation's own deadline: for storing and scheduling. */
const JOB_LEEWAY_MS = 30_000;

interface Stores {
  readonly incidents: IncidentStore;
  readonly reports: ReportStore;
}

/** Starts investigating and delivering. Investigations stop before deliveries, so that a finished report still goes out. */
export async function startWork(running: Process): Promise<RunningWork> {
  const { config, log, lifetime } = running;
  const redis = openWorkerRedis(running.redis, log);
  lifetime.onStop('store connection', () => redis.disconnect());
  const stores: Stores = {
    incidents: createIncidentStore(redis, config.REDIS_PREFIX),
    reports: createReportStore(redis, config.REDIS_PREFIX),
  };
  const deliveries = await createDeliveries({
    redisTarget: running.redis,
    prefix: config.REDIS_PREFIX,
    destinations: running.destinations,
    loadContent: (incidentId, kind) => loadContent(stores, incidentId, kind),
    redact: (text) => running.redactor.redact(text),
    log,
    onOutcome: ({ destination, outcome, durationMs }) => {
      running.metrics.delivery(destination, outcome, durationMs);
      running.watcher.onDelivery?.(destination, outcome);
    },
  });
  lifetime.onStop('deliveries', () => deliveries.close(config.SHUTDOWN_GRACE_MS / 3));
  deliveries.startWorker();

  const providers = createProviders(config);
  sayWhatIsUsed(running, providers);
  const investigateAndStore = createInvestigator(running, providers, stores, deliveries);
  const worker = await startInvestigationWorker({
    redis: running.redis,
    prefix: config.REDIS_PREFIX,
    concurrency: config.WORKER_CONCURRENCY,
    timeoutMs: config.INVESTIGATION_TIMEOUT_MS + JOB_LEEWAY_MS,
    log,
    investigate: investigateAndStore,
    onResolved: (incidentId) => deliveries.schedule(incidentId, 'resolved'),
    onPoison: (givenUp) => reportFailure(givenUp, running, stores, deliveries),
  });
  lifetime.onStop('investigations', () => worker.close(config.SHUTDOWN_GRACE_MS / 2));
  return worker;
}

/** So that nobody learns from the first report that it had no evidence or no model. */
function sayWhatIsUsed({ config, destinations, log }: Process, providers: readonly TelemetryProvider[]): void {
  const model = config.ANTHROPIC_API_KEY ? config.MODEL_ID : 'offline analyst: ANTHROPIC_API_KEY is not set';
  const names = (parts: readonly { readonly name: string }[]) => parts.map(({ name }) => name);
  log.info({ providers: names(providers), model, destinations: names(destinations) }, 'investigations use these');
  if (providers.length === 0)
    log.warn('no telemetry provider is configured: reports will have no evidence; set PROMETHEUS_URL');
}

function createInvestigator(
  running: Process,
  providers: readonly TelemetryProvider[],
  { reports }: Stores,
  deliveries: Deliveries,
) {
  const { config, log, metrics, redactor, watcher } = running;
  const distil = createBoundedDistil(config.FUNNEL_MEMORY_MB);
  return async (incident: Incident, context: JobContext): Promise<void> => {
    const jobLog = log.child({ incidentId: incident.id, jobId: context.jobId });
    if (await reports.getReport(reportId(incident.id))) {
      // Its worker died or lost Redis before everything was scheduled: nothing is investigated or paid for twice.
      await deliveries.schedule(incident.id, 'report');
      return jobLog.info('reported before; its deliveries are scheduled');
    }
    const parts = createInvestigationParts(config, {
      providers,
      offline: false,
      distil,
      redactor,
      metrics,
      onProgress: (stage, line) => {
        const text = redactor.redact(line);
        jobLog.info({ stage }, text);
        watcher.onStage?.(incident, stage, text);
      },
    });
    const investigation = await investigate(incident, parts, context.signal);
    const { report, session } = investigation;
    const isFirst = await reports.saveFirst(report, session, incident);
    measureInvestigation(incident, investigation, metrics);
    await deliveries.schedule(incident.id, 'report');
    if (!isFirst) return jobLog.warn('another worker reported first; its report stands');
    jobLog.info(
      { reportId: report.id, status: report.status, service: report.root_cause_service, confidence: report.confidence },
      'reported',
    );
    watcher.onReport?.(incident, investigation);
  };
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
  await deliveries.schedule(incident.id, 'report');
}
