import { DelayedError, WaitingError, Worker, type Job } from 'bullmq';
import type { Redis } from 'ioredis';
import type { ContentName, Destination } from '../../domain/delivery.ts';
import type { TraceSpan } from '../../domain/tracing.ts';
import type { Logger } from '../../platform/logger.ts';
import { redactError } from '../../policy/redact-error.ts';
import { closeWorker } from '../close-worker.ts';
import { lockTimes } from '../lock-times.ts';
import { JobStopped, RunningJobs } from '../running-jobs.ts';
import { deliverNext, type Attempt, type DeliverNextDeps, type RetryPolicy, type Step } from './deliver-next.ts';
import type { DeliveryKey } from './keys.ts';
import { queueOf, type DeliveryJobData, type Outlet } from './outlet.ts';
import type { WatchedWorker } from '../progress-watch.ts';

/** Crashes are counted in the chain (deliver-next.ts), so BullMQ must not drop the job on its own. */
const NO_STALLED_LIMIT = 1000;
/** Longer than any request a destination makes, all its replies included. */
const ATTEMPT_TIMEOUT_MS = 90_000;
const SWEEP_EVERY_MS = 60_000;

export interface DeliveryOutcome {
  readonly destination: string;
  readonly content: ContentName;
  readonly outcome: 'delivered' | 'retry' | 'gave-up';
  readonly attempts: number;
  /** Of this attempt. */
  readonly durationMs: number;
}

export interface LaneDeps {
  readonly redis: Redis;
  readonly prefix: string;
  readonly destination: Destination;
  readonly outlet: Outlet;
  readonly concurrency: number;
  readonly retry: RetryPolicy;
  readonly lockMs: number;
  readonly log: Logger;
  readonly load: DeliverNextDeps['load'];
  /** The choke point of redaction: reasons and errors are kept in Redis. */
  readonly redact: (text: string) => string;
  readonly onOutcome: (outcome: DeliveryOutcome) => void;
  /** Tells the other destinations. Repeating it changes nothing. */
  readonly onGaveUp: (key: DeliveryKey, reason: string) => Promise<void>;
  /** Tells the other destinations where they heard before that it was not told here. */
  readonly onDelivered: (key: DeliveryKey) => Promise<void>;
  /** Another worker took over jobs that this one was still at. */
  readonly onLockLost: (queue: string, jobs: number) => void;
  readonly pause: (step: Step, key: DeliveryKey) => Promise<void>;
  readonly trace: TraceSpan;
}

type DeliveryJob = Job<DeliveryJobData, void, ContentName>;

/**
 * The worker of one destination. Each has its own, so that a slow or dead one holds up no other. A job stands for its whole chain: it tells whatever is next
 * until nothing is left, so that what waits for another is told right after it.
 */
export class Lane implements WatchedWorker {
  readonly queue: string;
  readonly #deps: LaneDeps;
  readonly #jobs = new RunningJobs();
  readonly #log: Logger;
  readonly #worker: Worker<DeliveryJobData, void, ContentName>;
  readonly #sweeper: NodeJS.Timeout;

  constructor(deps: LaneDeps) {
    this.#deps = deps;
    this.#log = deps.log.child({ destination: deps.destination.name });
    this.queue = queueOf(deps.destination.name);
    this.#worker = this.#startWorker();
    void this.#sweep();
    this.#sweeper = setInterval(() => void this.#sweep(), SWEEP_EVERY_MS);
  }

  hasFreePlace(): boolean {
    return this.#jobs.running < this.#deps.concurrency;
  }

  started(): number {
    return this.#jobs.started;
  }

  /** Always settles, within `graceMs`. */
  async close(graceMs: number): Promise<void> {
    clearInterval(this.#sweeper);
    await closeWorker(this.#worker, this.#jobs, this.#deps.redis, graceMs);
  }

  #startWorker(): Worker<DeliveryJobData, void, ContentName> {
    const { redis, prefix, concurrency, lockMs } = this.#deps;
    const worker = new Worker<DeliveryJobData, void, ContentName>(
      this.queue,
      (job, token) => this.#run(job, token ?? ''),
      { connection: redis, prefix, concurrency, ...lockTimes(lockMs), maxStalledCount: NO_STALLED_LIMIT },
    );
    worker.on('error', (error) => this.#log.debug({ err: error.message }, 'worker error'));
    worker.on('stalled', (jobId) => this.#log.warn({ jobId }, 'its worker is gone; the delivery starts again'));
    worker.on('failed', (job, error) =>
      this.#log.error({ incidentId: job?.data.subjectId, jobId: job?.id, err: error }, 'a delivery job failed'),
    );
    worker.on('lockRenewalFailed', (jobIds) => {
      this.#log.error({ jobIds }, 'another worker took these deliveries over; stopping them here');
      this.#deps.onLockLost(this.queue, jobIds.length);
      for (const jobId of jobIds) this.#jobs.stop(jobId, 'lock-lost');
    });
    return worker;
  }

  async #run(job: DeliveryJob, token: string): Promise<void> {
    let waitMs: number | undefined;
    try {
      while (waitMs === undefined) {
        waitMs = await this.#jobs.run(job.id ?? job.name, ATTEMPT_TIMEOUT_MS, (signal) => this.#step(job, signal));
      }
    } catch (error) {
      if (!(error instanceof JobStopped) || error.reason !== 'shutdown') throw redactError(error, this.#deps.redact);
      await job.moveToWait(token);
      throw new WaitingError();
    }
    if (waitMs === 0) return;
    // Back to the queue without counting as a failure.
    await job.moveToDelayed(Date.now() + Math.ceil(waitMs), token);
    throw new DelayedError();
  }

  /** One attempt. Returns how long to wait before the next: undefined not at all, 0 when nothing is left. */
  async #step(job: DeliveryJob, signal: AbortSignal): Promise<number | undefined> {
    const { subjectId, traceparent } = job.data;
    const chain = { subjectId, destination: this.#deps.destination.name };
    const origin = traceparent === undefined ? undefined : ({ traceparent, as: 'link' } as const);
    const beganMs = Date.now();
    const deps = {
      ...this.#deps,
      chains: this.#deps.outlet.chains,
      turns: this.#deps.outlet.turns,
      random: Math.random,
      onGivingUp: (key: DeliveryKey, reason: string) => this.#tellOthers(key, this.#deps.onGaveUp(key, reason)),
    };
    const next = await deliverNext(deps, chain, origin, signal);
    if (next.kind === 'idle') return 0;
    if (next.kind === 'wait') return Math.max(1, next.forMs);
    this.#tell(next.attempt, job, Date.now() - beganMs);
    if (next.attempt.kind === 'delivered') {
      const key = { ...chain, content: next.attempt.content };
      await this.#tellOthers(key, this.#deps.onDelivered(key));
    }
    return next.attempt.kind === 'later' ? Math.max(1, next.attempt.afterMs) : undefined;
  }

  #tell(attempt: Attempt, job: DeliveryJob, durationMs: number): void {
    const { attempts, kind, reason, content, afterMs } = attempt;
    const about = { incidentId: job.data.subjectId, jobId: job.id, content, attempts, reason };
    const destination = this.#deps.destination.name;
    if (kind === 'passed-over') return;
    if (kind === 'unconfirmed')
      return this.#log.warn(about, 'another worker took the delivery over; it looks for the post');
    if (kind === 'delivered') this.#log.info(about, 'delivered');
    else if (kind === 'later') this.#log.warn({ ...about, afterMs }, 'not delivered yet; trying again');
    else this.#log.error(about, 'NOT DELIVERED: given up, nobody was told at this destination');
    const outcome = kind === 'later' ? 'retry' : kind;
    this.#deps.onOutcome({ destination, content, outcome, attempts, durationMs });
  }

  async #tellOthers(key: DeliveryKey, telling: Promise<void>): Promise<void> {
    try {
      await telling;
    } catch (error) {
      const err = redactError(error, this.#deps.redact);
      const about = { incidentId: key.subjectId, content: key.content };
      this.#log.warn({ ...about, err }, 'the other destinations could not be told what became of this');
    }
  }

  async #sweep(): Promise<void> {
    try {
      const deliveries = await this.#deps.outlet.sweep();
      if (deliveries > 0) this.#log.warn({ deliveries }, 'scheduled what had been waiting without a job');
    } catch (error) {
      this.#log.debug(
        { err: error instanceof Error ? error.message : String(error) },
        'the backlog could not be swept',
      );
    }
  }
}
