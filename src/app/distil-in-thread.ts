import { Worker } from 'node:worker_threads';
import type { Brief } from '../domain/brief.ts';
import type { Incident } from '../domain/incident.ts';
import type { Telemetry } from '../domain/telemetry.ts';
import type { DistilOptions } from '../funnel/distil.ts';
import type { FromThread, ThreadJob, ToThread } from './distil-thread.ts';
import { parcelsOf } from './telemetry-parcels.ts';

/** The telemetry did not fit into the memory that the funnel's thread may take. */
export class FunnelMemoryError extends Error {
  override readonly name = 'FunnelMemoryError';
}

/** Short-lived objects need little room; what V8 moves on at once must fit into the leeway that Node gives a thread at its limit. */
const YOUNG_MB = 8;

/**
 * The funnel in a thread of its own: seconds of CPU work on a large incident would otherwise stop webhooks from being answered and BullMQ locks
 * from being renewed. The telemetry is handed over in parcels, for copying a million lines at once takes seconds too. Rejects with
 * `FunnelMemoryError` when the thread reached `heapMb`, with what the funnel threw, and with the signal's reason when it aborts; the thread is
 * then ended, so that work nobody waits for takes no processor from the rest.
 */
export async function distilInThread(
  incident: Incident,
  telemetry: Telemetry,
  { tokenBudget, eventWindowMs }: DistilOptions,
  signal: AbortSignal,
  heapMb: number,
): Promise<Brief> {
  signal.throwIfAborted();
  const job: ThreadJob = { incident, options: { tokenBudget, eventWindowMs } };
  const worker = new Worker(new URL('./distil-thread.js', import.meta.url), {
    workerData: job,
    resourceLimits: { maxOldGenerationSizeMb: heapMb, maxYoungGenerationSizeMb: YOUNG_MB },
  });
  const stop = () => void worker.terminate();
  signal.addEventListener('abort', stop);
  try {
    return await converse(worker, telemetry, signal);
  } catch (error) {
    if (!isOutOfMemory(error)) throw error;
    throw new FunnelMemoryError(`the funnel needs more than ${heapMb} MB for what was read`, { cause: error });
  } finally {
    signal.removeEventListener('abort', stop);
    stop();
  }
}

/** Sends a parcel whenever the thread asks for one, until it has a brief. */
function converse(worker: Worker, telemetry: Telemetry, signal: AbortSignal): Promise<Brief> {
  const parcels = parcelsOf(telemetry);
  const send = (message: ToThread) => worker.postMessage(message);
  return new Promise<Brief>((resolve, reject) => {
    worker.on('message', (message: FromThread) => {
      if (message.kind === 'brief') return resolve(message.brief);
      try {
        const next = parcels.next();
        send(next.done ? { kind: 'end' } : next.value);
      } catch (error) {
        reject(error);
        void worker.terminate();
      }
    });
    worker.once('error', reject);
    worker.once('exit', (code) => {
      const reason: unknown = signal.reason;
      reject(signal.aborted ? reason : new Error(`the funnel's thread ended with code ${code} and no brief`));
    });
  });
}

function isOutOfMemory(error: unknown): boolean {
  return (error as { code?: unknown } | undefined)?.code === 'ERR_WORKER_OUT_OF_MEMORY';
}
