import type { Redis } from 'ioredis';
import type { Incident } from '../domain/incident.ts';
import type { Storms } from '../intake/storm.ts';
import type { InvestigationParts } from '../investigate/run.ts';
import { reportId } from '../investigate/write-report.ts';
import type { McpServers } from '../mcp/servers.ts';
import type { Deliveries } from '../queue/deliveries/deliveries.ts';
import { startInvestigationWorker, type GivenUp } from '../queue/investigation-worker.ts';
import type { JobWorker } from '../queue/job-worker.ts';
import { createLaterLooks } from '../queue/later-looks.ts';
import { startSubAgentWorker } from '../queue/sub-agent-worker.ts';
import { createQueuedSubAgents } from '../queue/sub-agents.ts';
import { createAllowance } from '../sessions/day-spend.ts';
import type { IncidentMemory } from '../sessions/incident-memory.ts';
import { failedInvestigation } from './failed-investigation.ts';
import { tellMembers } from './place-incident.ts';
import type { Process } from './process.ts';
import { capsOf, createSpending } from './spending.ts';
import type { Stores } from './stores.ts';
import { createInvestigator, tellReport, type IncidentWork } from './work-on-incident.ts';
import { createAcknowledger } from './work-on-acknowledgement.ts';
import { createGrowthInvestigator, createGrowthLoss } from './work-on-growth.ts';
import { createLooker } from './work-on-look.ts';
import { createOrderRunner } from './work-on-order.ts';

/** Beyond the investigation's own deadline: for storing and scheduling. */
const JOB_LEEWAY_MS = 30_000;

const ALLOWANCES = { day_cost: 'spend', hour_cost: 'hour-spend', hour_runs: 'hour-runs' } as const;

interface Work {
  readonly redis: Redis;
  readonly stores: Stores;
  readonly earlier: IncidentMemory;
  readonly deliveries: Deliveries;
  readonly storms: Storms;
  readonly parts: InvestigationParts;
  readonly mcp: McpServers;
}

/** Starts the workers whose concurrency is not 0. Investigations stop before sub-agents: those that they wait for may still come in. */
export async function startWorkers(
  running: Process,
  { redis, stores, earlier, deliveries, storms, parts, mcp }: Work,
): Promise<readonly JobWorker[]> {
  const { config, log, metrics, lifetime } = running;
  const prefix = config.REDIS_PREFIX;
  const shared = {
    redis: running.redis,
    prefix,
    timeoutMs: config.INVESTIGATION_TIMEOUT_MS + JOB_LEEWAY_MS,
    lockMs: config.JOB_LOCK_MS,
    redact: (text: string) => running.redactor.redact(text),
    onLockLost: metrics.locksLost,
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
  sayWhatIsTaken(running);
  const workers: JobWorker[] = [];
  if (config.SUB_AGENT_CONCURRENCY > 0) {
    const helpers = await startSubAgentWorker({ ...shared, ...orderRunner, concurrency: config.SUB_AGENT_CONCURRENCY });
    lifetime.onStop('sub-agents', () => helpers.close(config.SHUTDOWN_GRACE_MS / 6));
    workers.push(helpers);
  }
  if (config.WORKER_CONCURRENCY === 0) return workers;

  const caps = capsOf(config, (name, cap) => createAllowance(redis, prefix, { name: ALLOWANCES[name], cap }, Date.now));
  const spending = createSpending(config, caps, metrics.budgetExhausted);
  const looks = createLaterLooks(redis, prefix, log);
  lifetime.onStop('queue of later looks', () => looks.close());
  const later = { ...stores, deliveries, looks, lookMinutes: config.SECOND_LOOK_MINUTES };
  const work = {
    ...later,
    storms,
    routing: running.routing,
    parts,
    mcp,
    earlier,
    subAgents,
    spending,
  };
  const investigate = createInvestigator(running, work);
  const giveUp = (givenUp: GivenUp) => reportFailure(givenUp, running, work);
  const growth = { ...work, investigate, giveUp, coolDownMs: config.REINVESTIGATE_COOLDOWN_MINUTES * 60_000 };
  const worker = await startInvestigationWorker({
    ...shared,
    concurrency: config.WORKER_CONCURRENCY,
    investigate,
    later: {
      look: createLooker(running, work),
      grown: createGrowthInvestigator(running, growth),
      onGrownLost: createGrowthLoss(running, growth),
      acknowledged: createAcknowledger(work),
    },
    onResolved: (incident) => tellResolved(incident, { incidents: stores.incidents, storms, deliveries }),
    onPoison: giveUp,
  });
  lifetime.onStop('investigations', () => worker.close(config.SHUTDOWN_GRACE_MS / 2));
  return [...workers, worker];
}

/** One that was muted has no post to close. The post of one that covers others is closed when all of them are over. */
async function tellResolved(
  incident: Incident,
  { incidents, storms, deliveries }: Pick<Work, 'storms' | 'deliveries'> & Pick<Stores, 'incidents'>,
): Promise<void> {
  if ((await incidents.getLife(incident.id))?.stage === 'muted') return;
  const closedId = await storms.closedBy(incident.id);
  const closed = closedId === incident.id ? incident : closedId && (await incidents.getIncident(closedId));
  if (closed) await deliveries.schedule(closed, 'resolved');
}

/** A share that no process takes waits without an error: whoever divides the work should see in the log how. */
function sayWhatIsTaken({ config, log }: Process): void {
  const { WORKER_CONCURRENCY: investigations, SUB_AGENT_CONCURRENCY: subAgents } = config;
  log.info({ investigations, subAgents }, 'takes so many jobs at a time');
  if (subAgents === 0) log.warn('takes no sub-agents: another process has to, with SUB_AGENT_CONCURRENCY above 0');
  if (investigations === 0)
    log.warn('takes no investigations: another process has to, with WORKER_CONCURRENCY above 0');
}

function logError(log: Process['log']): (error: unknown) => void {
  return (error) => log.warn({ err: error instanceof Error ? error.message : String(error) }, 'a session was not kept');
}

/** An incident is never answered with silence: when its job is given up, a report says so. */
async function reportFailure(givenUp: GivenUp, running: Process, work: IncidentWork): Promise<void> {
  const { parts, incidents, reports, resume, spending } = work;
  const incident = await incidents.getIncident(givenUp.incidentId);
  if (!incident) return;
  const [state, used, told] = await Promise.all([
    resume.loadState(incident.id),
    resume.used(incident.id),
    reports.getFirstLook(reportId(incident.id)),
  ]);
  const left = { state, used, firstLook: told?.report };
  const { report, session } = await failedInvestigation(incident, givenUp, parts, left);
  const isFirst = await reports.saveFirst(report, session, incident);
  await incidents.noteProgress(incident.id, 'gave-up', Date.now(), givenUp.reason);
  if (isFirst) running.metrics.investigationFailed('given_up');
  await spending.settle(incident.id, report);
  await resume.clear(incident.id);
  await tellReport(work, incident, report);
  await tellMembers(work, incident.id);
}
