import { parentPort, workerData } from 'node:worker_threads';
import type { Incident } from '../domain/incident.ts';
import type { Telemetry } from '../domain/telemetry.ts';
import { distil, type DistilOptions } from '../funnel/distil.ts';

/** Entry of the funnel's thread: one brief, then it ends. */
const job = workerData as { incident: Incident; telemetry: Telemetry; options: DistilOptions };
parentPort?.postMessage(distil(job.incident, job.telemetry, job.options));
