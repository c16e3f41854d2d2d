import { setTimeout as sleep } from 'node:timers/promises';
import { DelayedError, UnrecoverableError, WaitingError, Worker, type Job } from 'bullmq';
import type { Redis } from 'ioredis';
import type { Logger } from '../platform/logger.ts';
import { openWorkerRedis, type RedisTarget } from '../platform/redis.ts';
import { redactError } from '../policy/redact-error.ts';
import { closeWorker } from './close-worker.ts';
import { EvictionPolicyError, requireNoEviction } from './eviction-policy.ts';
import { DEFAULT_LOCK_MS, lockTimes } from './lock-times.ts';
import { JobStopped, RunningJobs } from './running-jobs.ts';
import type { WatchedWorker } from './progress-watch.ts';

/** BullMQ's own limit would drop the job without a word; `maxStarts` is the rule instead. */
const NO_STALLED_LIMIT = 1000;
/** How long a start waits for Redis before it goes on without: the worker begins when Redis appears. */
const BOOT_WAIT_MS = 3000;
const JUDGE_AGAIN_MS = 500;

/** Ids only, and how many starts do not speak against the job. */
export interface JobData {
  /** Of a sub-agent's job: the id of the work that waits for it. */
  readonly incidentId: string;
  /** How often a stopping worker gave the job back. */
  readonly handBacks?: number;
  /** How many starts got further than the one before. */
  readonly progressed?: number;
}

export interface JobContext {
  readonly jobId: string;
  /** 1 for the first start. */
  readonly attempt: number;
  /** From when it was added until this start, by the clocks of both machines. */
  readonly waitedMs: number;
  /** Aborts at the deadline, at shutdown and when another worker has taken the job over. */
  readonly signal: AbortSignal;
  /**
   * To be called when something was done that no later start has to do again: such a start does not count towards poison, however it ends. A job
   * that kills its worker does so at the same place again, and gets no further. Never rejects.
   */
  readonly progress: () => Promise<void>;
}

/** `poison`: its workers died. `failed`: every attempt threw. */
export type GiveUpReason = 'poison' | 'failed';

export interface WorkerDeps {
  readonly redis: RedisTarget;
  readonly prefix: string;
  readonly concurrency: number;
  /** Deadline of one job. */
  readonly timeoutMs: number;
  /** A worker that is silent for so long is taken for dead. Default 15 s. */
  readonly lockMs?: number;
  /** The choke point of redaction: BullMQ keeps the message and the stack of what a job throws. */
  readonly redact: (text: string) => string;
  readonly log: Logger;
  /** For metrics: another worker took over jobs that this one was still at. */
  readonly onLockLost?: (queue: string, jobs: number) => void;
}

export interface AnyJob<Data extends JobData, Name extends string> {
  readonly name: Name;
  readonly data: Data;
}

export interface LostJob {
  readonly jobId: string;
  readonly reason: GiveUpReason;
  /** Redacted. */
  readonly error: Error;
}

/** Thrown by a run whose time has not come: the job waits, also over restarts, and starts again. It counts for no failure. */
export class NotYet extends Error {
  override readonly name = 'NotYet';
  readonly afterMs: number;
  /** `why`: a clause for the log. */
  constructor(why: string, afterMs: number) {
    super(why);
    this.afterMs = afterMs;
  }
}

/** What a worker does with the jobs of its queue. */
export interface JobRunner<Data extends JobData, Name extends string> {
  /** May run more than once for a job, and a new run may overlap an old one. */
  run(job: AnyJob<Data, Name>, context: JobContext): Promise<void>;
  /** Called once before a job becomes a dead letter. */
  onGivenUp(job: AnyJob<Data, Name>, lost: LostJob): Promise<void>;
  /** Called when the worker closes. */
  stop?(): void;
}

export interface JobWorkerDeps<Data extends JobData, Name extends string> extends WorkerDeps {
  readonly queue: string;
  /** A job that was started so often without finishing or getting any further kills its worker. */
  readonly maxStarts: number;
  /** Called once Redis is known to be a safe place; the connection is the worker's own. */
  readonly open: (redis: Redis) => JobRunner<Data, Name>;
}

export interface JobWorker extends WatchedWorker {
  /** True once the worker takes jobs. */
  isRunning(): boolean;
  /** Takes no more jobs, waits for the running ones, hands back what is not done in time. Always settles, within `graceMs`. */
  close(graceMs: number): Promise<void>;
}

/** Starts taking jobs. Rejects with `EvictionPolicyError` on a Redis that may evict; starts without Redis and waits for it. */
export async function startJobWorker<Data extends JobData, Name extends string>(
  deps: JobWorkerDeps<Data, Name>,
): Promise<JobWorker> {
  const { log } = deps;
  const redis = openWorkerRedis(deps.redis, log);
  const jobs = new RunningJobs();
  let worker: Worker<Data, void, Name> | undefined;
  let runner: JobRunner<Data, Name> | undefined;
  let closing = false;

  const begin = async () => {
    await untilJudged(
      () => requireNoEviction(redis, deps.redis, log),
      () => closing,
    );
    if (closing) return;
    runner = deps.open(redis);
    worker = createWorker(redis, jobs, runner, deps);
  };
  const close = async (graceMs: number) => {
    closing = true;
    runner?.stop?.();
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
  return {
    queue: deps.queue,
    isRunning: () => !closing && (worker?.isRunning() ?? false),
    hasFreePlace: () => !closing && jobs.running < deps.concurrency,
    started: () => jobs.started,
    close,
  };
}

function createWorker<Data extends JobData, Name extends string>(
  redis: Redis,
  jobs: RunningJobs,
  runner: JobRunner<Data, Name>,
  deps: JobWorkerDeps<Data, Name>,
): Worker<Data, void, Name> {
  const { queue, log, lockMs = DEFAULT_LOCK_MS } = deps;
  const worker = new Worker<Data, void, Name>(
    queue,
    (job, token) => runJob(job, token ?? '', { ...deps, jobs, runner }),
    {
      connection: redis,
      prefix: deps.prefix,
      concurrency: deps.concurrency,
      ...lockTimes(lockMs),
      maxStalledCount: NO_STALLED_LIMIT,
    },
  );
  worker.on('error', (error) => log.debug({ err: error.message, queue }, 'worker error'));
  worker.on('stalled', (jobId) => log.warn({ jobId, queue }, 'its worker is gone; the job starts again'));
  worker.on('lockRenewalFailed', (jobIds) => {
    log.error({ jobIds, queue }, 'another worker took these jobs over; stopping them here');
    deps.onLockLost?.(queue, jobIds.length);
    for (const jobId of jobIds) jobs.stop(jobId, 'lock-lost');
  });
  return worker;
}

/** Of a cluster one node may be away while others answer. Rejects with what is refused, and when it is over. */
async function untilJudged(judge: () => Promise<void>, isOver: () => boolean): Promise<void> {
  for (;;) {
    try {
      return await judge();
    } catch (error) {
      if (error instanceof EvictionPolicyError || isOver()) throw error;
      await sleep(JUDGE_AGAIN_MS, undefined, { ref: false });
    }
  }
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

interface Place<Data extends JobData, Name extends string> {
  readonly jobs: RunningJobs;
  readonly runner: JobRunner<Data, Name>;
  readonly timeoutMs: number;
  readonly maxStarts: number;
  readonly redact: (text: string) => string;
  readonly log: Logger;
}

async function runJob<Data extends JobData, Name extends string>(
  job: Job<Data, void, Name>,
  token: string,
  place: Place<Data, Name>,
): Promise<void> {
  const jobId = job.id ?? job.name;
  const { incidentId, handBacks = 0, progressed = 0 } = job.data;
  const log = place.log.child({ jobId, incidentId });
  const giveUp = (reason: GiveUpReason, error: Error) => tellGivenUp(place.runner, job, { jobId, reason, error }, log);
  if (job.attemptsStarted - handBacks - progressed > place.maxStarts) {
    const error = new UnrecoverableError(`given up after ${place.maxStarts} starts that did not finish`);
    await giveUp('poison', error);
    throw error;
  }
  const noteProgress = () => job.updateData({ ...job.data, progressed: progressed + 1 });
  const waitedMs = Math.max(0, (job.processedOn ?? job.timestamp) - job.timestamp);
  const context = { jobId, attempt: job.attemptsStarted, waitedMs, progress: once(noteProgress) };
  try {
    await place.jobs.run(jobId, place.timeoutMs, (signal) => place.runner.run(job, { ...context, signal }));
  } catch (error) {
    if (error instanceof JobStopped && error.reason === 'shutdown') {
      await job.updateData({ ...job.data, handBacks: handBacks + 1 });
      await job.moveToWait(token);
      log.info('handed back to the queue');
      throw new WaitingError();
    }
    if (error instanceof NotYet) {
      await job.updateData({ ...job.data, handBacks: handBacks + 1 });
      await job.moveToDelayed(Date.now() + Math.ceil(error.afterMs), token);
      log.info({ afterMs: error.afterMs, reason: error.message }, 'waits for its time');
      throw new DelayedError();
    }
    log.error({ err: error, attempt: job.attemptsMade + 1 }, 'the job failed');
    const isLast = job.attemptsMade + 1 >= (job.opts.attempts ?? 1) || error instanceof UnrecoverableError;
    const isOurs = !(error instanceof JobStopped && error.reason === 'lock-lost');
    const told = redactError(error, place.redact);
    if (isLast && isOurs) await giveUp('failed', told);
    throw told;
  }
}

/** The first call counts; it may fail, as when Redis is away. */
function once(note: () => Promise<void>): () => Promise<void> {
  let noted: Promise<void> | undefined;
  return () => (noted ??= note().catch(() => undefined));
}

async function tellGivenUp<Data extends JobData, Name extends string>(
  runner: JobRunner<Data, Name>,
  job: Job<Data, void, Name>,
  lost: LostJob,
  log: Logger,
): Promise<void> {
  log.error({ reason: lost.reason }, 'given up; the job is kept as a dead letter');
  try {
    await runner.onGivenUp(job, lost);
  } catch (error) {
    log.error({ err: error }, 'could not tell that the job was given up');
  }
}
