import { parentPort, workerData } from 'node:worker_threads';
import type { Incident } from '../domain/incident.ts';
import { distil, type DistilOptions } from '../funnel/distil.ts';
import { Assembly, type Parcel } from './telemetry-parcels.ts';

/** What the thread is started with, what it is sent, and what it answers: it asks for one parcel after the other, so that none pile up. */
export interface ThreadJob {
  readonly incident: Incident;
  readonly options: DistilOptions;
}
export type ToThread = Parcel | { readonly kind: 'end' };
export type FromThread =
  { readonly kind: 'next' } | { readonly kind: 'brief'; readonly brief: ReturnType<typeof distil> };

/** Entry of the funnel's thread: one brief, then it ends. */
const { incident, options } = workerData as ThreadJob;
const assembly = new Assembly();
const answer = (message: FromThread) => parentPort?.postMessage(message);

parentPort?.on('message', (message: ToThread) => {
  if (message.kind === 'end') {
    answer({ kind: 'brief', brief: distil(incident, assembly.finish(), options) });
    return parentPort?.close();
  }
  assembly.add(message);
  return answer({ kind: 'next' });
});
answer({ kind: 'next' });
