import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { silentLogger } from '../../../src/platform/logger.ts';
import { openWorkerRedis } from '../../../src/platform/redis.ts';
import { createReportStore, type ReportStore } from '../../../src/sessions/report-store.ts';
import { groupText } from '../alertmanager-bodies.ts';
import { eventually } from '../eventually.ts';
import { projectRoot } from '../programs.ts';
import { startTestRedis, type TestRedis } from '../redis.ts';
import { startRootnote, stopRootnotes, type RootnoteProcess } from '../rootnote-process.ts';
import { startSlackApi, type SlackApiServer } from '../slack-api.ts';
import { createFleet, type Fleet } from './fleet.ts';
import { createRequestLedger, type RequestLedger } from './request-ledger.ts';
import { REQUESTS_AN_INVESTIGATION, TASKS, type AgentTurn } from './scripted-agents.ts';

export interface TrialOptions {
  readonly investigations: number;
  readonly kills: number;
  readonly workers: number;
  /** Investigations and sub-agents in processes of their own, so that no process has two requests on their way. */
  readonly apart?: boolean;
  /**
   * After so long a silent worker counts as dead. Default: a second. On a busy machine workers are silent for as long now and then, and then what they do is done
   * again and counts as if they had died of it.
   */
  readonly lockMs?: number;
  /** Numbers in [0, 1): where to kill and whom. */
  readonly random: () => number;
  /** SIGTERM instead of SIGKILL: processes have a second to hand back what they do. */
  readonly politely?: boolean;
  /** Takes Redis away while they work and brings it back: a third and two thirds of the way through the requests. */
  readonly interrupt?: (redis: TestRedis) => Promise<void>;
  /** A request that kills the process that makes it, every time. Default: none does. */
  readonly isDeadly?: (asked: AgentTurn) => boolean;
  readonly say: (line: string) => void;
}

export interface TrialResult {
  readonly investigations: number;
  readonly kills: number;
  /** Incidents with a report at the destination. */
  readonly reports: number;
  /** Requests at the destination beyond one an incident. */
  readonly duplicateDeliveries: number;
  /** Reports that do not hold what an undisturbed investigation holds, with the reason. */
  readonly damaged: readonly string[];
  /** Requests to the model: how many there had to be, and how many were made again. */
  readonly modelCalls: number;
  readonly repeatedModelCalls: number;
  readonly mostRepeatedAfterOneKill: number;
  readonly mostRepeatedAfterOneKillInOneInvestigation: number;
  /** Agents that did finished work again. */
  readonly wentBack: readonly string[];
  readonly refusedRequests: readonly string[];
  readonly seconds: number;
}

/** Of the requests that there will be, those between which processes are killed: neither before the first nor after the last work. */
const FIRST_SHARE = 0.02;
const LAST_SHARE = 0.85;
const LONGEST_WAIT_MS = 200;
const SLOWEST_ANSWER_MS = 150;
const OUTPUT_SHOWN = 20_000;
/** Between two kills, and for the rest of the reports an investigation: a trial that stands still for so long is broken. */
const STANDSTILL_MS = 120_000;
const DEFAULT_LOCK_MS = 1000;

/**
 * Sends alerts, and kills worker processes at random points while they investigate, each with its sub-agents, one of each at a time a process. A killed
 * process is replaced. Returns what was seen from outside: at the model, at the destination and in what is kept.
 */
export async function runTrial(options: TrialOptions): Promise<TrialResult> {
  const beganMs = Date.now();
  const [redis, slack] = await Promise.all([startTestRedis(), startSlackApi()]);
  const ledger = createRequestLedger();
  const { lockMs = DEFAULT_LOCK_MS, random, politely = false, isDeadly } = options;
  const env = environmentOf(redis, slack, lockMs);
  const fleet = createFleet({
    env,
    ledger,
    random,
    slowestAnswerMs: SLOWEST_ANSWER_MS,
    politely,
    ...(isDeadly ? { isDeadly } : {}),
  });
  try {
    const door = await startRootnote('serve', env);
    await fleet.start(options.workers, options.apart ?? false);
    for (let number = 1; number <= options.investigations; number++) await send(door, number);
    if (options.interrupt) await interruptAlong(redis, ledger, options, options.interrupt);
    const kills = await killAlong(fleet, ledger, options);
    const posted = () => [...new Set(slack.roots().filter(isReport).map(incidentOf))];
    options.say(`${kills} kills; waiting for the rest of the reports (${posted().length} so far)`);
    await eventually(
      'every incident has its report',
      () => posted().length,
      (reports) => reports >= options.investigations,
      STANDSTILL_MS + 3000 * options.investigations,
    );
    const damaged = await findDamage(redis.url, posted());
    await fleet.stop();
    return {
      investigations: options.investigations,
      kills,
      reports: posted().length,
      duplicateDeliveries: slack.roots().length - posted().length,
      damaged,
      modelCalls: ledger.distinct(),
      repeatedModelCalls: ledger.repeated(),
      mostRepeatedAfterOneKill: ledger.worstOfOneKill(),
      mostRepeatedAfterOneKillInOneInvestigation: ledger.worstOfOneKillAndInvestigation(),
      wentBack: ledger.wentBack(),
      refusedRequests: fleet.refusals(),
      seconds: Math.round((Date.now() - beganMs) / 1000),
    };
  } catch (error) {
    throw new Error(`the workers said:\n${fleet.output().slice(-OUTPUT_SHOWN)}`, { cause: error });
  } finally {
    await stopRootnotes();
    await slack.close();
    await redis.stop();
  }
}

/** One investigation and one sub-agent at a time a process, so that a dead process is missed at as few places as possible. */
function environmentOf({ url }: TestRedis, slack: SlackApiServer, lockMs: number): Readonly<Record<string, string>> {
  return {
    REDIS_URL: url,
    RECORDING_DIR: join(projectRoot(), 'test', 'fixtures', 'recordings', 'payments-pool'),
    SLACK_API_URL: slack.apiUrl,
    SLACK_BOT_TOKEN: slack.token,
    SLACK_CHANNEL: slack.channel,
    WORKER_CONCURRENCY: '1',
    SUB_AGENT_CONCURRENCY: '1',
    JOB_LOCK_MS: String(lockMs),
    SHUTDOWN_GRACE_MS: '1000',
    LOG_LEVEL: 'info',
  };
}

/** One group and label a number, so that every alert is an incident of its own; at the time of the recording. */
async function send(door: RootnoteProcess, number: number): Promise<void> {
  const name = `case-${number}`;
  const labels = { alertname: 'CheckoutSlow', service: 'checkout', severity: 'critical', case: name };
  const alert = { labels, annotations: { summary: 'checkout answers slowly' }, startsAt: '2026-01-01T10:00:00Z' };
  const { status } = await door.post(groupText({ groupKey: `{}:{case="${name}"}`, alerts: [alert] }));
  if (status !== 202) throw new Error(`alert ${number} was answered with ${status}`);
}

async function interruptAlong(
  redis: TestRedis,
  ledger: RequestLedger,
  { investigations }: TrialOptions,
  interrupt: (redis: TestRedis) => Promise<void>,
): Promise<void> {
  for (const share of [1 / 3, 2 / 3]) {
    const point = Math.floor(share * investigations * REQUESTS_AN_INVESTIGATION);
    await eventually(
      'the work gets as far as the outage',
      () => ledger.distinct(),
      (done) => done >= point,
      STANDSTILL_MS,
    );
    await interrupt(redis);
  }
}

/** Kills when the work has got so far, and a random moment later: in the middle of whatever is done then. Returns how many kills there were. */
async function killAlong(fleet: Fleet, ledger: RequestLedger, options: TrialOptions): Promise<number> {
  const { investigations, kills, random, say } = options;
  const share = () => FIRST_SHARE + random() * (LAST_SHARE - FIRST_SHARE);
  const total = investigations * REQUESTS_AN_INVESTIGATION;
  const points = Array.from({ length: kills }, () => Math.floor(share() * total)).sort((a, b) => a - b);
  for (const [i, point] of points.entries()) {
    await eventually(
      `the work gets as far as kill ${i + 1}`,
      () => ledger.distinct(),
      (done) => done >= point,
      STANDSTILL_MS,
    );
    await sleep(Math.floor(random() * LONGEST_WAIT_MS));
    await fleet.killOne();
    if ((i + 1) % 10 === 0) say(`${i + 1} kills, ${ledger.distinct()} of ${total} requests`);
  }
  return points.length;
}

/** The post of a first look becomes one when the report edits it. */
function isReport(message: unknown): boolean {
  return !/first look/i.test(JSON.stringify(message));
}

/** The incident that a post is about, from the marker that it carries. */
function incidentOf(message: unknown): string {
  return /inc_[0-9a-f]+/.exec(JSON.stringify(message))?.[0] ?? 'a post without a marker';
}

/** What is wrong with reports, sessions and what is left to resume, one line each. */
async function findDamage(redisUrl: string, incidentIds: readonly string[]): Promise<readonly string[]> {
  const redis = openWorkerRedis({ url: redisUrl }, silentLogger());
  try {
    const store = createReportStore(redis, 'rootnote');
    const damage = await Promise.all(incidentIds.map((id) => damageOf(store, id)));
    const left = await eventually(
      'nothing is left to resume',
      () => redis.keys('rootnote:resume:*'),
      (keys) => keys.length === 0,
      60_000,
    );
    return [...damage.flat(), ...left];
  } finally {
    redis.disconnect();
  }
}

async function damageOf(store: ReportStore, incidentId: string): Promise<readonly string[]> {
  const report = await store.getReport(`rep_${incidentId}`);
  if (!report) return [`${incidentId}: no report is kept`];
  const { usage } = report;
  const ends = (await store.getSubSessions(report.session)).map(({ terminationReason }) => terminationReason);
  const holds: Readonly<Record<string, boolean>> = {
    [`mode ${report.mode}: ${report.gaps.join('; ')}`]: report.mode === 'agent',
    [`ended by ${usage.termination_reason}`]: usage.termination_reason === 'done',
    [`${usage.turns} turns`]: usage.turns === 4,
    [`${usage.sub_agents} sub-agents`]: usage.sub_agents === TASKS,
    [`sessions of sub-agents: ${ends.join()}`]: ends.length === TASKS && ends.every((end) => end === 'done'),
    'cites nothing that a sub-agent found': report.evidence.some(({ id }) => Number(id.slice(1)) > 1000),
  };
  return Object.entries(holds).flatMap(([what, isTrue]) => (isTrue ? [] : [`${incidentId}: ${what}`]));
}
