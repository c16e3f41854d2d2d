import { fork, type ChildProcess } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { extname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { alertKey } from '../src/intake/trim.ts';
import { startEmbeddedRedis } from '../src/platform/embedded-redis.ts';
import { silentLogger } from '../src/platform/logger.ts';
import { RedisUnavailable } from '../src/platform/redis-program.ts';
import { openWorkerRedis, type RedisTarget } from '../src/platform/redis.ts';
import { readInbox } from '../src/sessions/admission/inbox.ts';
import { outboxKey } from '../src/sessions/keys.ts';
import { parseNotification } from '../src/sources/alertmanager/parse-notification.ts';
import type { ServerKind, ServerUsage } from './intake-server.ts';
import { inventGroups, inventStorm, STORM_GROUPS } from './invented-webhooks.ts';
import { endWithUsage, readOptions } from './options.ts';
import { percentile, WebhookSender, type Sent } from './webhook-load.ts';

/**
 * `npm run bench:intake [-- --json] [-- --rounds N] [-- --redis URL]`: our receiver against the one that is written first (express,
 * zod, whole body into the queue) and against bare node:http, interleaved in one run: absolute figures of a shared machine mean
 * nothing, ratios and CPU time do. No receiver has a worker behind it then: what came in waits, in the inbox or in the queue. `admission` is what it costs a
 * worker to decide what ours took in, and Redis, for each receiver. Then three storms of 10,000 alerts in 10 s each, and a flood of single alerts, with a
 * worker that decides. All as receiver, worker, Redis and sender on one machine.
 */
const USAGE = 'npm run bench:intake -- [--json] [--rounds N] [--redis URL]';
const PROCESSES_EACH = 3;
const WARM_UP_REQUESTS = 10_000;
/** Before each measurement: a process that rested meanwhile takes as many to be as fast as it was. */
const SETTLING_REQUESTS = 3000;
const REQUESTS_A_ROUND = 3000;
const LANES = 16;
const STORM_PER_SECOND = 35;
const STORMS = 3;
const FLOOD_PER_SECOND = 1000;
const FLOOD_SECONDS = 4;
const MEGABYTE = 1_048_576;
const KINDS = ['bare', 'naive', 'ours'] as const;

const values = readOptions(USAGE, {
  json: { type: 'boolean', default: false },
  rounds: { type: 'string', default: '9' },
  redis: { type: 'string' },
});
const rounds = Number(values.rounds);
if (!Number.isInteger(rounds) || rounds < 1)
  endWithUsage(`--rounds must be a whole number above 0, not "${values.rounds}"`, USAGE);
if (values.redis !== undefined && !/^rediss?:\/\//.test(values.redis))
  endWithUsage('--redis must be a URL that starts with redis:// or rediss://', USAGE);
const prefix = `bench-${process.pid}`;

const redisServer = await openRedis().catch((error: unknown) => {
  if (!(error instanceof RedisUnavailable)) throw error;
  process.stderr.write(`skipped: ${error.message}\n`);
  process.exit(1);
});
const { target } = redisServer;
const redis = openWorkerRedis(target, silentLogger());
try {
  const result = { bench: 'intake', rounds, ...(await compare()), storm: await storms(), flood: await flood() };
  process.stdout.write(values.json ? `${JSON.stringify(result)}\n` : `${JSON.stringify(result, null, 2)}\n`);
} finally {
  await forget();
  redis.disconnect();
  await redisServer.stop();
}

interface Cost {
  readonly perSecond: number;
  /** Of the receiver, and of Redis, a request. */
  readonly cpuMicroseconds: number;
  readonly redisMicroseconds: number;
}

type Kind = (typeof KINDS)[number];
type Row = Readonly<Record<Kind, Cost>>;
type Fleet = Readonly<Record<Kind, BenchServer>>;

/**
 * Medians of the rounds' ratios, and the lowest and highest throughput. Rounds take turns with several processes of each kind: what the compiler and the collector
 * of one have settled on stays with it, and makes up to a third of its time.
 */
async function compare() {
  const fleets: Fleet[] = [];
  const seen: Row[] = [];
  for (let round = 1; round <= rounds; round++) {
    const fleet = (fleets[(round - 1) % PROCESSES_EACH] ??= await startFleet(`warm-up-${round}`));
    const row = await measureEach(fleet, String(round), REQUESTS_A_ROUND);
    seen.push(row);
    const cpu = KINDS.map(
      (kind) => `${kind} ${Math.round(row[kind].cpuMicroseconds)} + ${Math.round(row[kind].redisMicroseconds)}`,
    );
    progress(`round ${round} of ${rounds}: CPU µs a request, receiver + Redis: ${cpu.join(', ')}`);
  }
  for (const server of fleets.flatMap((fleet) => Object.values(fleet))) server.stop();
  const median = (of: (row: Row) => number) => round3(percentile(seen.map(of), 0.5));
  const throughputs = seen.map(({ ours, naive }) => ours.perSecond / naive.perSecond);
  const admission = await measureAdmission();
  return {
    cpuRatioNaive: median(({ ours, naive }) => ours.cpuMicroseconds / naive.cpuMicroseconds),
    throughputRatioNaive: round3(percentile(throughputs, 0.5)),
    throughputRatioNaiveRange: [Math.min(...throughputs), Math.max(...throughputs)].map(round3),
    throughputRatioBare: median(({ ours, bare }) => ours.perSecond / bare.perSecond),
    redisCpuRatioNaive: median(({ ours, naive }) => ours.redisMicroseconds / naive.redisMicroseconds),
    admission: {
      ...admission,
      cpuRatioNaive: round3(admission.cpuMicroseconds / median(({ naive }) => naive.cpuMicroseconds)),
    },
    waitingJobBytes: await bytesOfWaitingJob(),
  };
}

/** One receiver of each kind, warm: until the compiler has settled a request costs several times as much, and not the same for each. */
async function startFleet(salt: string): Promise<Fleet> {
  progress('further receivers, and their warm-up');
  const fleet = { bare: await startServer('bare'), naive: await startServer('naive'), ours: await startServer('ours') };
  // Of the same form as what is measured, or it settles on something else.
  await measureEach(fleet, salt, WARM_UP_REQUESTS);
  return fleet;
}

/** All of a fleet, one after the other. */
async function measureEach(fleet: Fleet, salt: string, requests: number): Promise<Row> {
  const row = {} as Record<Kind, Cost>;
  for (const kind of KINDS) {
    await fleet[kind].sender.saturate(inventGroups(SETTLING_REQUESTS, 3, `settling-${salt}-${kind}`), LANES);
    row[kind] = await measure(fleet[kind], `${salt}-${kind}`, requests);
  }
  return row;
}

/** Decides all that waits in the inbox. */
async function measureAdmission() {
  const waiting = (await readInbox(redis, prefix)).waiting;
  progress(`admission of ${waiting}`);
  const worker = await startServer('admission');
  const before = await redisMicroseconds();
  const began = performance.now();
  await allAdmitted();
  const seconds = (performance.now() - began) / 1000;
  const { cpuMicroseconds } = await worker.usage();
  const redisUsed = (await redisMicroseconds()) - before;
  worker.stop();
  return {
    arrivals: waiting,
    perSecond: Math.round(waiting / seconds),
    cpuMicroseconds: round3(cpuMicroseconds / waiting),
    redisMicroseconds: round3(redisUsed / waiting),
  };
}

/** Resolves when everything that came in is decided and in the queue. */
async function allAdmitted(): Promise<void> {
  while ((await readInbox(redis, prefix)).waiting > 0 || (await redis.zcard(outboxKey(prefix))) > 0) await sleep(20);
}

async function redisMicroseconds(): Promise<number> {
  const info = await redis.info('cpu');
  const seconds = ['used_cpu_sys', 'used_cpu_user'].map((name) =>
    Number(new RegExp(`${name}:([\\d.]+)`).exec(info)?.[1]),
  );
  return seconds.reduce((sum, one) => sum + one, 0) * 1e6;
}

async function measure(server: BenchServer, salt: string, requests: number): Promise<Cost> {
  const bodies = inventGroups(requests, 3, salt);
  const [before, redisBefore] = [await server.usage(), await redisMicroseconds()];
  const perSecond = await server.sender.saturate(bodies, LANES);
  const [after, redisAfter] = [await server.usage(), await redisMicroseconds()];
  return {
    perSecond,
    cpuMicroseconds: (after.cpuMicroseconds - before.cpuMicroseconds) / bodies.length,
    redisMicroseconds: (redisAfter - redisBefore) / bodies.length,
  };
}

interface Storm {
  readonly alerts: number;
  readonly webhooks: number;
  readonly acked: number;
  readonly incidents: number;
  readonly p99Ms: number;
  readonly rssMb: number;
}

/** Three storms on one receiver; of each figure the worst one. `acked` counts alerts, as `alerts` does. */
async function storms() {
  await forget();
  const server = await startServer('ours');
  const worker = await startServer('admission');
  await server.sender.saturate(inventGroups(2000, 3, 'warm-up'), 4);
  const before = (await server.usage()).rssBytes / MEGABYTE;
  const seen: Storm[] = [];
  for (let number = 1; number <= STORMS; number++) seen.push(await storm(server, String(number)));
  server.stop();
  worker.stop();
  const rssMb = seen.map((one) => one.rssMb);
  const worst = (of: (one: Storm) => number) => seen.map(of).toSorted((a, b) => b - a);
  return {
    alerts: seen[0]?.alerts ?? 0,
    webhooks: seen[0]?.webhooks ?? 0,
    acked: worst((one) => one.acked).at(-1) ?? 0,
    incidents:
      worst((one) => Math.abs(one.incidents - STORM_GROUPS))[0] === 0 ? STORM_GROUPS : worst((one) => one.incidents)[0],
    groups: STORM_GROUPS,
    p99Ms: worst((one) => one.p99Ms)[0],
    rssGrowthMb: round3((rssMb.at(-1) ?? 0) - before),
    rssMb: [before, ...rssMb].map(round3),
  };
}

/** Groups that grow while they are sent again and again: as many incidents as groups, or something is wrong. */
async function storm(server: BenchServer, salt: string): Promise<Storm> {
  progress(`storm ${salt} of ${STORMS}`);
  await allAdmitted();
  await forget();
  const { bodies, alerts } = inventStorm(salt);
  const answers = await server.sender.paced(bodies, STORM_PER_SECOND);
  const { rssBytes } = await server.usage();
  await allAdmitted();
  return {
    alerts,
    webhooks: bodies.length,
    acked: accepted(answers).length * (alerts / bodies.length),
    incidents: (await waitingIncidents()).size,
    p99Ms: p99(answers),
    rssMb: rssBytes / MEGABYTE,
  };
}

/** Single alerts, each an incident of its own. `lost` compares what was acknowledged with what is stored. */
async function flood() {
  progress('flood');
  await forget();
  const server = await startServer('ours');
  const worker = await startServer('admission');
  await server.sender.saturate(inventGroups(50, 1, 'warm-up'), 4);
  await allAdmitted();
  await forget();
  const bodies = inventGroups(FLOOD_PER_SECOND * FLOOD_SECONDS, 1, 'flood');
  const sent = await server.sender.paced(bodies, FLOOD_PER_SECOND);
  await allAdmitted();
  server.stop();
  worker.stop();
  const stored = await waitingIncidents();
  const acked = bodies.filter((_body, number) => sent[number]?.status === 202);
  const lost = acked.filter((body) => !stored.has(incidentOf(body)));
  return {
    perSecond: FLOOD_PER_SECOND,
    sent: bodies.length,
    acked: acked.length,
    lost: lost.length,
    p99Ms: p99(sent),
  };
}

/** As the admission script names it: after the alert that opens it. */
function incidentOf(body: string): string {
  const alert = parseNotification(JSON.parse(body)).alerts[0];
  if (!alert) throw new Error('a body without an alert');
  const opener = `${alertKey('alertmanager', alert.fingerprint)} ${alert.startsAtMs}`;
  return `inc_${createHash('sha1').update(opener).digest('hex').slice(0, 24)}`;
}

function p99(answers: readonly Sent[]): number {
  return round3(
    percentile(
      answers.map((answer) => answer.ms),
      0.99,
    ),
  );
}

function accepted(answers: readonly Sent[]): readonly Sent[] {
  return answers.filter((answer) => answer.status === 202);
}

interface BenchServer {
  readonly sender: WebhookSender;
  usage(): Promise<ServerUsage>;
  stop(): void;
}

async function startServer(kind: ServerKind): Promise<BenchServer> {
  const file = fileURLToPath(new URL(`./intake-server${extname(import.meta.url)}`, import.meta.url));
  const child: ChildProcess = fork(file, [kind, JSON.stringify(target), prefix]);
  const died = once(child, 'exit').then(() => Promise.reject(new Error(`the ${kind} receiver ended at once`)));
  const [{ port }] = (await Promise.race([once(child, 'message'), died])) as [{ port: number }];
  died.catch(() => undefined);
  const sender = new WebhookSender(port);
  return {
    sender,
    usage: async () => {
      child.send('usage');
      const [usage] = (await once(child, 'message')) as [ServerUsage];
      return usage;
    },
    stop: () => {
      sender.close();
      child.disconnect();
    },
  };
}

/** Ids of the incidents that wait for an investigation, in the order of their severity or of their coming. */
async function waitingIncidents(): Promise<ReadonlySet<string>> {
  return new Set((await waitingJobs()).map((id) => id.replace(/^investigate_/, '')));
}

async function waitingJobs(): Promise<readonly string[]> {
  const inOrder = await redis.lrange(`${prefix}:incidents:wait`, 0, '-1');
  const bySeverity = await redis.zrange(`${prefix}:incidents:prioritized`, '0', '-1');
  return [...inOrder, ...bySeverity].filter((id) => id.startsWith('investigate_'));
}

/** Redis memory of one waiting job of ours with its place in the queue, without the incident it names. */
async function bytesOfWaitingJob(): Promise<number> {
  const ids = await waitingJobs();
  const sizes = await Promise.all(ids.slice(0, 20).map((id) => redis.memory('USAGE', `${prefix}:incidents:${id}`)));
  const places = await Promise.all(
    ['wait', 'prioritized'].map((list) => redis.memory('USAGE', `${prefix}:incidents:${list}`, 'SAMPLES', 0)),
  );
  const placeBytes = places.reduce((sum: number, bytes) => sum + (bytes ?? 0), 0) / Math.max(1, ids.length);
  return Math.ceil(percentile(sizes.map(Number), 0.5) + placeBytes);
}

async function forget(): Promise<void> {
  let cursor = '0';
  do {
    const [next, keys] = await redis.scan(cursor, 'MATCH', `${prefix}:*`, 'COUNT', 5000);
    if (keys.length > 0) await redis.unlink(...keys);
    cursor = next;
  } while (cursor !== '0');
}

async function openRedis(): Promise<{ readonly target: RedisTarget; stop(): Promise<void> }> {
  if (values.redis) return { target: { url: values.redis }, stop: () => Promise.resolve() };
  const folder = await mkdtemp(join(tmpdir(), 'rn-bench-'));
  const server = await startEmbeddedRedis({ stateDir: folder, cacheDir: '.rootnote/cache', log: progress });
  return {
    target: server.target,
    stop: async () => {
      await server.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

function progress(line: string): void {
  process.stderr.write(`${line}\n`);
}

function round3(value: number): number {
  return Math.round(value * 1000) / 1000;
}
