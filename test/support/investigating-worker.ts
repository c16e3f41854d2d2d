import type { Redis } from 'ioredis';
import type { InvestigationParts } from '../../src/investigate/run.ts';
import { createAcknowledger } from '../../src/app/work-on-acknowledgement.ts';
import { createGrowthInvestigator, createGrowthLoss } from '../../src/app/work-on-growth.ts';
import { createInvestigator, type IncidentWork } from '../../src/app/work-on-incident.ts';
import { createLooker } from '../../src/app/work-on-look.ts';
import { NO_GUIDANCE } from '../../src/agent/guidance.ts';
import type { Process } from '../../src/app/process.ts';
import { openStores, type Stores } from '../../src/app/stores.ts';
import { NO_TELEMETRY, type MetricSeries } from '../../src/domain/telemetry.ts';
import { distil } from '../../src/funnel/distil.ts';
import type { Storms } from '../../src/intake/storm.ts';
import { silentLogger } from '../../src/platform/logger.ts';
import type { RedisTarget } from '../../src/platform/redis.ts';
import { TRACING_OFF } from '../../src/platform/tracing.ts';
import type { Deliveries } from '../../src/queue/deliveries/deliveries.ts';
import { startInvestigationWorker, type GivenUp } from '../../src/queue/investigation-worker.ts';
import type { JobWorker } from '../../src/queue/job-worker.ts';
import { createLaterLooks } from '../../src/queue/later-looks.ts';
import { createQueuedSubAgents } from '../../src/queue/sub-agents.ts';
import { ANALYST_LIMITS, caseProvider } from './agent-case.ts';
import { testMetrics } from './http-server.ts';
import { noStorms } from './no-storms.ts';

const STEP_MS = 10_000;

/** What may differ from test to test; it is read whenever it is needed, so that a test may change it on the way. */
export interface Scene {
  /** The service that the samples speak against. */
  suspect: string;
  model: InvestigationParts['model'];
  lookMinutes: readonly number[];
  coolDownMs: number;
  muteOf: IncidentWork['routing']['muteOf'];
  storms: Storms;
  /** Called before telemetry is read. */
  beforeReading: () => Promise<void>;
}

export const QUIET_SCENE: Scene = {
  suspect: 'cart',
  model: { off: 'none in this test' },
  lookMinutes: [],
  coolDownMs: 0,
  muteOf: () => undefined,
  storms: noStorms(),
  beforeReading: () => Promise.resolve(),
};

export interface InvestigatingWorker {
  readonly stores: Stores;
  /** `<incident id> <content>`, in the order of being scheduled, each once. */
  readonly told: readonly string[];
  /** Times that telemetry was read. */
  readonly read: () => number;
  /** Text of /metrics. */
  metrics(): Promise<string>;
  close(): Promise<void>;
}

/** A worker as in production, but for invented telemetry, the scene's model, and deliveries that are only noted. */
export async function startInvestigatingWorker(
  target: RedisTarget,
  redis: Redis,
  prefix: string,
  scene: Scene,
): Promise<InvestigatingWorker> {
  const log = silentLogger();
  const stores = openStores(redis, prefix, log);
  const metrics = testMetrics();
  const told = new Set<string>();
  let reads = 0;
  const parts: InvestigationParts = {
    toolbox: { providers: [caseProvider()] },
    gather: async ({ startsAtMs }) => {
      reads += 1;
      await scene.beforeReading();
      return { ...NO_TELEMETRY, series: seriesAround(startsAtMs, scene.suspect), rawCharacters: 500 };
    },
    distil: (incident, telemetry, limits) => Promise.resolve(distil(incident, telemetry, limits)),
    guide: () => Promise.resolve(NO_GUIDANCE),
    get model() {
      return scene.model;
    },
    limits: { ...ANALYST_LIMITS, maxTurns: 4, maxTokens: 200_000, maxOutputTokens: 2000 },
    now: Date.now,
    redact: (text) => text,
    nonce: () => 'f00dcafe',
  };
  const deliveries = {
    schedule: ({ id }: { readonly id: string }, name: string) => Promise.resolve(void told.add(`${id} ${name}`)),
  } as unknown as Deliveries;
  const running = {
    log,
    metrics,
    redactor: { redact: (text: string) => text },
    tracing: TRACING_OFF,
    watcher: {},
  } as unknown as Process;
  const looks = createLaterLooks(redis, prefix, log);
  const subAgents = createQueuedSubAgents({ redis, prefix, store: stores.resume, log, onLost: () => undefined });
  const work: IncidentWork = {
    ...stores,
    parts,
    mcp: { open: () => Promise.resolve({ external: [], gaps: [] }) } as unknown as IncidentWork['mcp'],
    earlier: { file: () => Promise.resolve() },
    spending: { admit: (_id, model) => Promise.resolve(model), settle: () => Promise.resolve() },
    subAgents,
    deliveries,
    looks,
    gatherMs: 10,
    get lookMinutes() {
      return scene.lookMinutes;
    },
    routing: { muteOf: (incident, nowMs) => scene.muteOf(incident, nowMs), sinkOf: () => undefined },
    get storms() {
      return scene.storms;
    },
  };
  const investigate = createInvestigator(running, work);
  const giveUp = ({ incidentId }: GivenUp) => Promise.resolve(void told.add(`${incidentId} given up`));
  const growth = {
    ...work,
    // Read anew each time, as of `work`.
    get storms() {
      return scene.storms;
    },
    investigate,
    giveUp,
    coolDownMs: scene.coolDownMs,
  };
  const worker: JobWorker = await startInvestigationWorker({
    redis: target,
    prefix,
    concurrency: 4,
    timeoutMs: 30_000,
    log,
    redact: (text) => text,
    investigate,
    later: {
      look: createLooker(running, work),
      grown: createGrowthInvestigator(running, growth),
      onGrownLost: createGrowthLoss(running, growth),
      acknowledged: createAcknowledger(work),
    },
    onResolved: ({ id }) => Promise.resolve(void told.add(`${id} resolved`)),
    onPoison: giveUp,
  });
  return {
    stores,
    get told() {
      return [...told];
    },
    read: () => reads,
    metrics: async () => (await metrics.text()).body,
    close: async () => {
      await worker.close(1000);
      await Promise.all([looks.close(), subAgents.close()]);
    },
  };
}

/** Three services; from a minute before the alert on, one of them is slow and busy. */
function seriesAround(triggerMs: number, suspect: string): readonly MetricSeries[] {
  const timesMs = Float64Array.from({ length: 150 }, (_, i) => triggerMs + 120_000 - (149 - i) * STEP_MS);
  return ['cart', 'payments', 'checkout'].flatMap((service) =>
    ['latency_p95_seconds', 'cpu_usage_ratio'].map((metric) => {
      const isBad = (timeMs: number) => service === suspect && timeMs >= triggerMs - 60_000;
      const values = timesMs.map((timeMs, i) => (isBad(timeMs) ? 0.95 : 0.1) * (1 + 0.02 * Math.sin(i)));
      return { service, metric, timesMs, values };
    }),
  );
}
