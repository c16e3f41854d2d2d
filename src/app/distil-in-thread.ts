import { Worker } from 'node:worker_threads';
import type { Brief } from '../domain/brief.ts';
import type { Incident } from '../domain/incident.ts';
import type { Telemetry } from '../domain/telemetry.ts';
import type { DistilOptions } from '../funnel/distil.ts';

/**
 * The funnel in a thread of its own: seconds of CPU work on a large incident would otherwise stop webhooks from being answered and BullMQ locks
 * from being renewed. Rejects with what the funnel threw.
 */
export function distilInThread(incident: Incident, telemetry: Telemetry, options: DistilOptions): Promise<Brief> {
  return new Promise((resolve, reject) => {
    const { tokenBudget, eventWindowMs } = options;
    const worker = new Worker(new URL('./distil-thread.js', import.meta.url), {
      workerData: { incident, telemetry, options: { tokenBudget, eventWindowMs } },
    });
    worker.once('message', (brief: Brief) => resolve(brief));
    worker.once('error', reject);
    worker.once('exit', (code) => reject(new Error(`the funnel's thread ended with code ${code} and no brief`)));
  });
}
