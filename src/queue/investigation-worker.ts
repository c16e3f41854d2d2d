import { UnrecoverableError, WaitingError, Worker, type Job } from 'bullmq';
import type { Redis } from 'ioredis';
import type { Incident } from '../domain/incident.ts';
import type { Logger } from '../platform/logger.ts';
import { openWorkerRedis, type RedisTarget } from '../platform/redis.ts';
import { createOutbox } from '../sessions/admission-store.ts';
import { createIncidentStore, type IncidentStore } from '../sessions/incident-store.ts';
import { closeWorker } from './close-worker.ts';
import { EvictionPolicyError, requireNoEviction } from './eviction-policy.ts';
import { createIncidentQueue } from './incident-queue.ts';
import { INCIDENT_QUEUE, type IncidentJobData, type IncidentJobName } from './jobs.ts';
import { startOutboxSweep } from './outbox-sweep.ts';
import { JobStopped, RunningJobs } from './running-jobs.ts';

/** A job that was started so often without ever finishing kills its worker. */
const MAX_STARTS = 5;
/** A dead worker's job starts elsewhere after at most lock + interval; the defaults of BullMQ make that a minute. */
const LOCK_MS = 15_000;
const STALLED_CHECK_MS = 5000;
/** BullMQ's own limit would drop the job without a word; `MAX_STARTS` is the rule instead. */
const NO_STALLED_LIMIT = 1000;
/** How long a start waits for Redis before it goes on without: the worker begins when Redis appears. */
const BOOT_WAIT_MS = 3000;

export interface JobContext {
  readonly jobId: string;
  /** 1 for the first start. */
  readonly attempt: number;
  /** Aborts at the deadline, at shutdown and when another worker has taken the job over. */
  readonly signal: AbortSignal;
}

export interface GivenUp {
  readonly incidentId: string;
  readonly jobId: string;
  /** `poison`: its workers died. `failed`: every attempt threw. */
  readonly reason: 'poison' | 'failed';
  readonly error: unknown;
}

export interface InvestigationWorkerDeps {
  readonly redis: RedisTarget;
  readonly prefix: string;
  readonly concurrency: number;
  /** Deadline of one job. */
  readonly timeoutMs: number;
  readonly log: Logger;
  /** May run more than once for an incident, and a new run may overlap an old one. */
  readonly investigate: (incident: Incident, context: JobContext) => Promise<void>;
  readonly onResolved: (incidentId: string, context: JobContext) => Promise<void>;
  /** Called once before an investigation becomes a dead letter: the place to say that there will be no report. */
  readonly onPoison: (givenUp: GivenUp) => Promise<void>;
}

export interface InvestigationWorker {
  /** True once the worker takes jobs. */
  isRunning(): boolean;
  /** Takes no more jobs, waits for the running ones, hands back what is not done in time. Always settles, within `graceMs`. */
  close(graceMs: number): Promise<void>;
}

type IncidentJob = Job<IncidentJobData, void, IncidentJobName>;
type IncidentWorker = Worker<IncidentJobData, void, IncidentJobName>;

/** Starts taking jobs. Rejects with `EvictionPolicyError` on a Redis that may evict; starts without Redis and waits for it. */
export async function startInvestigationWorker(deps: InvestigationWorkerDeps): Promise<InvestigationWorker> {
  const { log, prefix } = deps;
  const redis = openWorkerRedis(deps.redis, log);
  const jobs = new RunningJobs();
  let worker: IncidentWorker | undefined;
  let sweep: { stop(): void } | undefined;
  let closing = false;

  const begin = async () => {
    await requireNoEviction(redis, log);
    if (closing) return;
    sweep = startOutboxSweep(createOutbox(redis, prefix), createIncidentQueue(redis, prefix, log), log);
    worker = createWorker(redis, jobs, deps);
  };
  const close = async (graceMs: number) => {
    closing = true;
    sweep?.stop();
    if (worker) await closeWorker(worker, jobs, redis, graceMs);
    else redis.disconnect();
  };

  const begun = begin();
  const refused = await firstOf(begun, BOOT_WAIT_MS);
  if (refused) {
    await close(0);
    throw refused;
  }
  begun.catch((error: Error) => {
    if (error instanceof EvictionPolicyError) log.fatal(error.message);
  });
  return { isRunning: () => !closing && (worker?.isRunning() ?? false), close };
}

function createWorker(redis: Redis, jobs: RunningJobs, deps: InvestigationWorkerDeps): IncidentWorker {
  const incidents = createIncidentStore(redis, deps.prefix);
  const worker: IncidentWorker = new Worker(
    INCIDENT_QUEUE,
    (job, token) => runJob(job, token ?? '', deps, jobs, incidents),
    {
      connection: redis,
      prefix: deps.prefix,
      concurrency: deps.concurrency,
      lockDuration: LOCK_MS,
      stalledInterval: STALLED_CHECK_MS,
      maxStalledCount: NO_STALLED_LIMIT,
    },
  );
  worker.on('error', (error) => deps.log.debug({ err: error.message, queue: INCIDENT_QUEUE }, 'worker error'));
  worker.on('stalled', (jobId) => deps.log.warn({ jobId }, 'its worker is gone; the job starts again'));
  worker.on('lockRenewalFailed', (jobIds) => {
    deps.log.error({ jobIds }, 'another worker took these jobs over; stopping them here');
    for (const jobId of jobIds) jobs.stop(jobId, 'lock-lost');
  });
  return worker;
}

/** The refusal, when it comes within the time. Undefined when all is well or not known yet. */
async function firstOf(begun: Promise<void>, waitMs: number): Promise<EvictionPolicyError | undefined> {
  let timer: NodeJS.Timeout | undefined;
  const waited = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, waitMs);
  });
  try {
    await Promise.race([begun, waited]);
    return undefined;
  } catch (error) {
    return error instanceof EvictionPolicyError ? error : undefined;
  } finally {
    clearTimeout(timer);
  }
}

async function runJob(
  job: IncidentJob,
  token: string,
  deps: InvestigationWorkerDeps,
  running: RunningJobs,
  incidents: IncidentStore,
): Promise<void> {
  const jobId = job.id ?? job.name;
  const { incidentId, handBacks = 0 } = job.data;
  const log = deps.log.child({ jobId, incidentId });
  if (job.attemptsStarted - handBacks > MAX_STARTS) {
    const error = new UnrecoverableError(`given up after ${MAX_STARTS} starts that did not finish`);
    await giveUp(deps, job, { incidentId, jobId, reason: 'poison', error }, log);
    throw error;
  }
  try {
    await running.run(jobId, deps.timeoutMs, async (signal) => {
      const context: JobContext = { jobId, attempt: job.attemptsStarted, signal };
      if (job.name === 'resolved') return deps.onResolved(incidentId, context);
      const incident = await incidents.getIncident(incidentId);
      if (!incident) return log.error('the incident is not known any more; nothing to investigate');
      return deps.investigate(incident, context);
    });
  } catch (error) {
    if (error instanceof JobStopped && error.reason === 'shutdown') {
      await job.updateData({ incidentId, handBacks: handBacks + 1 });
      await job.moveToWait(token);
      log.info('handed back to the queue');
      throw new WaitingError();
    }
    log.error({ err: error, attempt: job.attemptsMade + 1 }, 'the job failed');
    const isLast = job.attemptsMade + 1 >= (job.opts.attempts ?? 1) || error instanceof UnrecoverableError;
    const isOurs = !(error instanceof JobStopped && error.reason === 'lock-lost');
    if (isLast && isOurs) await giveUp(deps, job, { incidentId, jobId, reason: 'failed', error }, log);
    throw error;
  }
}

/** A resolved message that cannot be sent is only logged: its incident may well be investigated, and gets that report. */
async function giveUp(deps: InvestigationWorkerDeps, job: IncidentJob, givenUp: GivenUp, log: Logger): Promise<void> {
  log.error({ reason: givenUp.reason }, 'given up; the job is kept as a dead letter');
  if (job.name === 'resolved') return;
  try {
    await deps.onPoison(givenUp);
  } catch (error) {
    log.error({ err: error }, 'could not tell that the job was given up');
  }
}
