/** Why a running job was told to stop. */
export type StopReason = 'deadline' | 'shutdown' | 'lock-lost';

/** The job did not end by itself. */
export class JobStopped extends Error {
  override readonly name = 'JobStopped';
  readonly reason: StopReason;
  constructor(reason: StopReason) {
    super(`stopped: ${reason}`);
    this.reason = reason;
  }
}

/** Time for a job that was told to stop at its deadline to end by itself, with what it has. */
const DEADLINE_LEEWAY_MS = 5000;

interface RunningJob {
  readonly jobId: string;
  readonly stop: (reason: StopReason) => void;
}

/** The jobs at work in this process, so that each can be told to stop. A job whose lock was lost may come back to the same worker and run beside its old run. */
export class RunningJobs {
  readonly #running = new Set<RunningJob>();
  #refusing = false;
  #started = 0;
  #whenIdle: (() => void)[] = [];

  /**
   * Runs `work` under a deadline. Its signal aborts when it has to stop; a promise that does not settle then is left behind, since a
   * job that never ends would hold its place and its lock for ever. Rejects with `JobStopped` in that case.
   */
  async run<T>(jobId: string, timeoutMs: number, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
    // Fetched in the moment in which the worker was told to close: back to the queue at once.
    if (this.#refusing) throw new JobStopped('shutdown');
    const controller = new AbortController();
    const timers: NodeJS.Timeout[] = [];
    let giveUp: (error: JobStopped) => void = () => undefined;
    const stopped = new Promise<never>((_, reject) => {
      giveUp = reject;
    });
    const stop = (reason: StopReason) => {
      const error = new JobStopped(reason);
      controller.abort(error);
      if (reason === 'deadline') timers.push(setTimeout(() => giveUp(error), DEADLINE_LEEWAY_MS));
      else giveUp(error);
    };
    timers.push(setTimeout(() => stop('deadline'), timeoutMs));
    const running: RunningJob = { jobId, stop };
    this.#running.add(running);
    this.#started++;
    try {
      return await Promise.race([work(controller.signal), stopped]);
    } finally {
      for (const timer of timers) clearTimeout(timer);
      this.#running.delete(running);
      if (this.#running.size === 0) for (const tell of this.#whenIdle.splice(0)) tell();
    }
  }

  /** At work now. */
  get running(): number {
    return this.#running.size;
  }

  /** Ever. */
  get started(): number {
    return this.#started;
  }

  /** From now on `run` rejects with `JobStopped`. */
  refuseMore(): void {
    this.#refusing = true;
  }

  /** Settles when nothing runs. */
  idle(): Promise<void> {
    if (this.#running.size === 0) return Promise.resolve();
    return new Promise((resolve) => this.#whenIdle.push(resolve));
  }

  stop(jobId: string, reason: StopReason): void {
    for (const job of this.#running) if (job.jobId === jobId) job.stop(reason);
  }

  stopAll(reason: StopReason): void {
    for (const job of this.#running) job.stop(reason);
  }
}
