import { Worker } from 'node:worker_threads';
import type { Brief } from '../domain/brief.ts';
import type { Incident } from '../domain/incident.ts';
import type { Telemetry } from '../domain/telemetry.ts';
import type { DistilOptions } from '../funnel/distil.ts';

/**
 * The funnel in a thread of its own: seconds of CPU work on a large incident would otherwise stop webhooks from being answered and BullMQ locks
 * from being renewed. Rejects with what the funnel threw, and with the signal's reason when it aborts; the thread is then ended, so that
 * work nobody waits for takes no processor from the rest.
 */
export async function distilInThread(
  incident: Incident,
  telemetry: Telemetry,
  { tokenBudget, eventWindowMs }: DistilOptions,
  signal: AbortSignal,
): Promise<Brief> {
  signal.throwIfAborted();
  const worker = new Worker(new URL('./distil-thread.js', import.meta.url), {
    workerData: { incident, telemetry, options: { tokenBudget, eventWindowMs } },
  });
  const stop = () => void worker.terminate();
  signal.addEventListener('abort', stop);
  try {
    return await new Promise<Brief>((resolve, reject) => {
      worker.once('message', (brief: Brief) => resolve(brief));
      worker.once('error', reject);
      worker.once('exit', (code) => {
        const reason: unknown = signal.reason;
        reject(signal.aborted ? reason : new Error(`the funnel's thread ended with code ${code} and no brief`));
      });
    });
  } finally {
    signal.removeEventListener('abort', stop);
  }
}
