import { Queue } from 'bullmq';
import express from 'express';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createIncidentReader } from '../src/app/incident-reader.ts';
import { createAuthorize } from '../src/platform/credentials.ts';
import { startHttpServer } from '../src/http/server.ts';
import { startAdmitting } from '../src/intake/admit-arrivals.ts';
import { createIntake } from '../src/intake/intake.ts';
import { rememberClean } from '../src/intake/remember-clean.ts';
import { createRedactor } from '../src/policy/redact.ts';
import { silentLogger } from '../src/platform/logger.ts';
import { createMetrics } from '../src/platform/metrics.ts';
import { openReceiverRedis, openWorkerRedis, type RedisTarget } from '../src/platform/redis.ts';
import { keepObjectsYoung } from '../src/platform/young-objects.ts';
import { createIncidentQueue } from '../src/queue/incident-queue.ts';
import { createAdmissionStore } from '../src/sessions/admission/admission-store.ts';
import { createInbox, waitForBell } from '../src/sessions/admission/inbox.ts';
import { createReportStore } from '../src/sessions/report-store.ts';
import { createSources } from '../src/sources/index.ts';
import { Payload } from '../src/sources/alertmanager/payload.ts';

export type ServerKind = 'ours' | 'naive' | 'bare' | 'admission';

export interface ServerUsage {
  readonly cpuMicroseconds: number;
  readonly rssBytes: number;
}

/** As long as ours: a connection that closes between two rounds would be one more for the next. */
const KEEP_ALIVE_MS = 65_000;

/** One receiver, or the worker's part that decides what came in, in a process of its own, so that its CPU time is its own. Arguments: kind, JSON of the Redis target, key prefix. */
const [kind = '', target = '', prefix = ''] = process.argv.slice(2);
const redisTarget = JSON.parse(target) as RedisTarget;
const log = silentLogger();

function tellUsage(): void {
  const { user, system } = process.cpuUsage();
  process.send?.({ cpuMicroseconds: user + system, rssBytes: process.memoryUsage.rss() } satisfies ServerUsage);
}

process.on('message', tellUsage);
process.on('disconnect', () => process.exit(0));
process.send?.({ port: await start(kind as ServerKind) });

function start(server: ServerKind): Promise<number> {
  if (server === 'ours') return startOurs();
  if (server === 'admission') return startAdmission();
  return listen(server === 'naive' ? createNaive() : createBare());
}

/** What the receiver is in production, without credentials. */
async function startOurs(): Promise<number> {
  keepObjectsYoung();
  const redis = openReceiverRedis(redisTarget, log);
  if (redis.status !== 'ready') await once(redis, 'ready');
  const intake = createIntake(
    createInbox(redis, prefix),
    rememberClean(createRedactor({ secrets: [randomUUID(), randomUUID()], key: 'bench' })),
  );
  const { port } = await startHttpServer({
    host: '127.0.0.1',
    port: 0,
    receives: true,
    intake,
    sources: createSources({}),
    authorize: createAuthorize({ bearerTokens: [], basicAuth: undefined }),
    bodyLimitBytes: 10_485_760,
    metrics: createMetrics({
      version: 'bench',
      sources: ['alertmanager'],
      destinations: [],
      models: [],
      modelErrors: [],
      tools: [],
      terminationReasons: [],
      budgets: [],
      redactions: [],
      repairs: [],
      evidenceKinds: [],
      mcp: { servers: [], reasons: [] },
    }),
    log,
    readiness: [],
    reports: createReportStore(redis, prefix),
    incidents: createIncidentReader(redis, prefix),
    refreshMetrics: () => Promise.resolve(),
  });
  return port;
}

/** What decides in production, without its metrics. It listens to nobody: port 0. */
function startAdmission(): Promise<number> {
  const redis = openWorkerRedis(redisTarget, log);
  const bell = openWorkerRedis(redisTarget, log);
  startAdmitting({
    store: createAdmissionStore(redis, prefix),
    queue: createIncidentQueue(redis, prefix, log),
    waitForArrival: () => waitForBell(bell, prefix, 1),
    onDecided: () => undefined,
    onRetry: () => undefined,
    onFailure: (error) => {
      throw error;
    },
  });
  return Promise.resolve(0);
}

/** What one writes first: express, its JSON reader, zod, the whole body as job data. */
function createNaive(): Server {
  const queue = new Queue('naive', { connection: openWorkerRedis(redisTarget, log), prefix });
  const app = express();
  app.use(express.json({ limit: '10mb' }));
  app.post('/webhooks/alertmanager', async (request, response) => {
    const job = await queue.add('alert', Payload.parse(request.body));
    response.status(202).json({ id: job.id });
  });
  return createServer(app);
}

/** The floor: reads the body and answers. */
function createBare(): Server {
  return createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const answer = JSON.stringify({ size: Buffer.concat(chunks).length });
      response.writeHead(202, { 'content-type': 'application/json', 'content-length': answer.length }).end(answer);
    });
  });
}

function listen(server: Server): Promise<number> {
  server.keepAliveTimeout = KEEP_ALIVE_MS;
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, '127.0.0.1', () => resolve((server.address() as AddressInfo).port));
  });
}
