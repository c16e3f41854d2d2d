import { parentPort, workerData } from 'node:worker_threads';
import { TemplateMiner } from '../src/funnel/logs/template-miner.ts';

/** Mines the lines it was started with, once, and tells the CPU milliseconds: what a process pays that has just begun. */
const before = process.cpuUsage();
const miner = new TemplateMiner();
for (const line of workerData as readonly string[]) miner.add(line);
miner.finish();
const { user, system } = process.cpuUsage(before);
parentPort?.postMessage((user + system) / 1000);
