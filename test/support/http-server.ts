import type { Redis } from 'ioredis';
import { createIncidentReader } from '../../src/app/incident-reader.ts';
import { createAuthorize, type Credentials } from '../../src/platform/credentials.ts';
import { startHttpServer, type HttpServer } from '../../src/http/server.ts';
import type { HttpDeps } from '../../src/http/app.ts';
import { createIntake } from '../../src/intake/intake.ts';
import { NOTHING_REDACTED } from '../../src/intake/trim.ts';
import { silentLogger } from '../../src/platform/logger.ts';
import { createMetrics } from '../../src/platform/metrics.ts';
import { openReceiverRedis, openWorkerRedis, type RedisTarget } from '../../src/platform/redis.ts';
import { createInbox } from '../../src/sessions/admission/inbox.ts';
import { createSources } from '../../src/sources/index.ts';
import { createReportStore } from '../../src/sessions/report-store.ts';
import { createAdmitting, type Admitting } from './admitting-intake.ts';

export const NO_CREDENTIALS: Credentials = { bearerTokens: [], basicAuth: undefined };

export function testMetrics() {
  return createMetrics({
    version: '0.0.0',
    sources: ['alertmanager'],
    destinations: ['file'],
    models: ['test-model'],
    modelErrors: [],
    tools: ['query_metrics'],
    terminationReasons: ['done'],
    budgets: [],
    redactions: ['token'],
    repairs: ['mended'],
    evidenceKinds: ['logs'],
    mcp: { servers: [], reasons: [] },
  });
}

export interface Receiver extends HttpServer {
  readonly url: string;
  readonly redis: Redis;
  /** What a worker would do with what came in. */
  readonly admitting: Admitting;
  stop(): Promise<void>;
}

/** The receiver as the app wires it, on a free loopback port. */
export async function startReceiver(
  target: RedisTarget,
  prefix: string,
  overrides: Partial<HttpDeps> = {},
  credentials = NO_CREDENTIALS,
): Promise<Receiver> {
  const log = silentLogger();
  const redis = openReceiverRedis(target, log);
  const workerRedis = openWorkerRedis(target, log);
  const server = await startHttpServer({
    host: '127.0.0.1',
    port: 0,
    receives: true,
    intake: createIntake(createInbox(redis, prefix), NOTHING_REDACTED),
    sources: createSources({
      ALERTMANAGER_BEARER_TOKENS: credentials.bearerTokens,
      ALERTMANAGER_BASIC_AUTH: credentials.basicAuth,
    }),
    authorize: createAuthorize(credentials),
    bodyLimitBytes: 10_485_760,
    metrics: testMetrics(),
    log,
    readiness: [{ name: 'redis', check: async () => void (await redis.ping()) }],
    reports: createReportStore(redis, prefix),
    incidents: createIncidentReader(redis, prefix),
    refreshMetrics: () => Promise.resolve(),
    ...overrides,
  });
  const admitting = createAdmitting(workerRedis, prefix);
  return {
    ...server,
    url: `http://127.0.0.1:${server.port}`,
    redis,
    admitting,
    stop: async () => {
      await server.close();
      await admitting.queued();
      redis.disconnect();
      workerRedis.disconnect();
    },
  };
}
