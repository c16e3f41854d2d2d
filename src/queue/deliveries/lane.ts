import { DelayedError, Queue, WaitingError, Worker, type Job, type JobsOptions } from 'bullmq';
import type {
  ContentName,
  DeliveryContent,
  DeliveryHandle,
  DeliveryRecord,
  Destination,
} from '../../domain/delivery.ts';
import type { CurrentTraceparent, SpanFacts, TraceSpan } from '../../domain/tracing.ts';
import type { Logger } from '../../platform/logger.ts';
import { openWorkerRedis, type RedisTarget } from '../../platform/redis.ts';
import { redactError } from '../../policy/redact-error.ts';
import { closeWorker } from '../close-worker.ts';
import { lockTimes } from '../lock-times.ts';
import { JobStopped, RunningJobs } from '../running-jobs.ts';
import { deliverOnce, type Attempt, type RetryPolicy, type Step } from './deliver-once.ts';
import { deliveryId, DeliveryRecords, type DeliveryKey } from './records.ts';

const HOUR_SECONDS = 3600;
/** Crashes are counted in the record (deliver-once.ts), so BullMQ must not drop the job on its own. */
const NO_STALLED_LIMIT = 1000;
/** Longer than any request a destination makes, all its replies included. */
const ATTEMPT_TIMEOUT_MS = 90_000;
/** How long and how often `resolved` waits for the report it follows. */
const REPORT_POLL_MS = 2000;
const REPORT_WAIT_MS = HOUR_SECONDS * 1000;

/** Attempts are counted in the record; these cover failures of our own, such as a store that does not answer. */
const JOB_OPTIONS = {
  attempts: 25,
  backoff: { type: 'exponential', delay: 1000, jitter: 0.5 },
  removeOnComplete: { age: HOUR_SECONDS, count: 1000 },
  removeOnFail: { age: 7 * 24 * HOUR_SECONDS, count: 1000 },
} as const satisfies JobsOptions;

export interface DeliveryOutcome {
  readonly destination: string;
  readonly content: ContentName;
  readonly outcome: 'delivered' | 'retry' | 'gave-up';
  readonly attempts: number;
  /** Of this attempt. */
  readonly durationMs: number;
}

export interface LaneDeps {
  readonly redisTarget: RedisTarget;
  readonly prefix: string;
  readonly destination: Destination;
  readonly concurrency: number;
  readonly retry: RetryPolicy;
  readonly lockMs: number;
  readonly log: Logger;
  readonly loadContent: (incidentId: string, kind: ContentName) => Promise<DeliveryContent | undefined>;
  /** The choke point of redaction: reasons and errors are kept in Redis. */
  readonly redact: (text: string) => string;
  readonly onOutcome: (outcome: DeliveryOutcome) => void;
  readonly pause: (step: Step, key: DeliveryKey) => Promise<void>;
  readonly trace: TraceSpan;
  readonly currentTraceparent: CurrentTraceparent;
}

/** `traceparent`: of the work that scheduled it. */
interface JobData {
  readonly incidentId: string;
  readonly traceparent?: string;
}
type DeliveryJob = Job<JobData, void, ContentName>;

/** Queue, worker and records of one destination. Each has its own, so that a slow or dead one holds up no other. */
export class Lane {
  readonly #deps: LaneDeps;
  readonly #redis;
  readonly #queue: Queue<JobData, void, ContentName>;
  readonly #records: DeliveryRecords;
  readonly #jobs = new RunningJobs();
  readonly #log: Logger;
  #worker: Worker<JobData, void, ContentName> | undefined;

  get destination(): Destination {
    return this.#deps.destination;
  }

  constructor(deps: LaneDeps) {
    this.#deps = deps;
    this.#log = deps.log.child({ destination: deps.destination.name });
    this.#redis = openWorkerRedis(deps.redisTarget, this.#log);
    this.#records = new DeliveryRecords(this.#redis, deps.prefix);
    this.#queue = new Queue(this.#queueName(), { connection: this.#redis, prefix: deps.prefix });
    this.#queue.on('error', (error) => this.#log.debug({ err: error.message }, 'queue error'));
  }

  /** Adds the job unless it was added before: at most one delivery per incident and content. */
  async schedule(incidentId: string, content: ContentName): Promise<void> {
    const key = this.#key(incidentId, content);
    await this.#records.open(key);
    const traceparent = this.#deps.currentTraceparent();
    const data = { incidentId, ...(traceparent === undefined ? {} : { traceparent }) };
    await this.#queue.add(content, data, { ...JOB_OPTIONS, jobId: deliveryId(key) });
  }

  start(): void {
    if (this.#worker) return;
    const worker = new Worker<JobData, void, ContentName>(
      this.#queueName(),
      (job, token) => this.#run(job, token ?? ''),
      {
        connection: this.#redis,
        prefix: this.#deps.prefix,
        concurrency: this.#deps.concurrency,
        ...lockTimes(this.#deps.lockMs),
        maxStalledCount: NO_STALLED_LIMIT,
      },
    );
    worker.on('error', (error) => this.#log.debug({ err: error.message }, 'worker error'));
    worker.on('stalled', (jobId) => this.#log.warn({ jobId }, 'its worker is gone; the delivery starts again'));
    worker.on('failed', (job, error) =>
      this.#log.error({ incidentId: job?.data.incidentId, jobId: job?.id, err: error }, 'a delivery job failed'),
    );
    worker.on('lockRenewalFailed', (jobIds) => {
      this.#log.error({ jobIds }, 'another worker took these deliveries over; stopping them here');
      for (const jobId of jobIds) this.#jobs.stop(jobId, 'lock-lost');
    });
    this.#worker = worker;
  }

  record(incidentId: string, content: ContentName): Promise<DeliveryRecord | undefined> {
    return this.#records.get(this.#key(incidentId, content));
  }

  /** Always settles, within `graceMs`. */
  async close(graceMs: number): Promise<void> {
    if (this.#worker) await closeWorker(this.#worker, this.#jobs, this.#redis, graceMs);
    this.#redis.disconnect();
    this.#queue.close().catch(() => undefined);
  }

  async #run(job: DeliveryJob, token: string): Promise<void> {
    const { incidentId } = job.data;
    const jobId = job.id ?? job.name;
    const beganMs = Date.now();
    try {
      const attempt = await this.#jobs.run(jobId, ATTEMPT_TIMEOUT_MS, (signal) =>
        this.#attempt(this.#key(incidentId, job.name), job, signal),
      );
      this.#tell(attempt, job, Date.now() - beganMs);
      if (attempt.kind === 'later') await this.#comeBack(job, token, attempt.afterMs);
    } catch (error) {
      if (!(error instanceof JobStopped) || error.reason !== 'shutdown') throw redactError(error, this.#deps.redact);
      await job.moveToWait(token);
      throw new WaitingError();
    }
  }

  async #attempt(key: DeliveryKey, job: DeliveryJob, signal: AbortSignal): Promise<Attempt> {
    let handle: DeliveryHandle | undefined;
    if (key.content === 'resolved') {
      const report = await this.record(key.incidentId, 'report');
      const isOpen = report?.state !== 'delivered' && report?.state !== 'gave-up';
      if (isOpen && Date.now() - job.timestamp < REPORT_WAIT_MS) {
        return { kind: 'later', afterMs: REPORT_POLL_MS, attempts: 0, reason: 'its report is not out yet' };
      }
      handle = report?.handle;
    }
    const content = await this.#deps.loadContent(key.incidentId, key.content);
    const { destination, retry, pause, redact, trace } = this.#deps;
    const deps = { destination, retry, pause, redact, records: this.#records, random: Math.random };
    const facts = { destination: key.destination, content: key.content, incident: key.incidentId };
    const { traceparent } = job.data;
    const deliver = async (describe: (facts: SpanFacts) => void) => {
      const attempt = await deliverOnce(deps, key, content, handle, signal);
      describe({ outcome: attempt.kind, ...(attempt.kind === 'not-ours' ? {} : { attempts: attempt.attempts }) });
      return attempt;
    };
    return trace('delivery', facts, deliver, traceparent === undefined ? undefined : { traceparent, as: 'link' });
  }

  #tell(attempt: Attempt, job: DeliveryJob, durationMs: number): void {
    if (attempt.kind === 'not-ours' || attempt.attempts === 0) return;
    const { attempts, kind, reason } = attempt;
    const about = { incidentId: job.data.incidentId, jobId: job.id, content: job.name, attempts, reason };
    if (kind === 'delivered') this.#log.info(about, 'delivered');
    else if (kind === 'later')
      this.#log.warn({ ...about, afterMs: attempt.afterMs }, 'not delivered yet; trying again');
    else this.#log.error(about, 'NOT DELIVERED: given up, nobody was told at this destination');
    const outcome = kind === 'later' ? 'retry' : kind;
    this.#deps.onOutcome({
      destination: this.#deps.destination.name,
      content: job.name,
      outcome,
      attempts,
      durationMs,
    });
  }

  /** Back to the queue without counting as a failure. */
  async #comeBack(job: DeliveryJob, token: string, afterMs: number): Promise<never> {
    await job.moveToDelayed(Date.now() + Math.ceil(afterMs), token);
    throw new DelayedError();
  }

  #key(incidentId: string, content: ContentName): DeliveryKey {
    return { incidentId, content, destination: this.#deps.destination.name };
  }

  #queueName(): string {
    return `deliveries-${this.#deps.destination.name}`;
  }
}
