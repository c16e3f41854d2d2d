import type { Redis } from 'ioredis';
import {
  DECISIONS,
  type AdmissionStore,
  type Decided,
  type Decision,
  type JobKind,
  type PendingJob,
  type Undecided,
} from '../../intake/admission.ts';
import { MAX_KEPT_ALERTS } from '../../intake/trim.ts';
import { readClockMs } from '../../platform/redis-nodes.ts';
import { asideKey, INCIDENT_TTL_SECONDS, inboxKey, outboxKey } from '../keys.ts';
import { ADMISSION_SCRIPT, RETRY_ASIDE } from './admission-script.ts';
import { oldestArrivalMs } from './inbox.ts';

/** How long after an incident was opened further alerts of its group still join it. */
export const JOIN_WINDOW_MS = 3_600_000;
/** Arrivals a call: Redis does nothing else meanwhile. */
const MOST_AT_ONCE = 32;

export interface Outbox {
  /** Work admitted at least `minAgeMs` ago and not known to be queued, oldest first. None that is due after what waits longest to be decided: that may call it off. */
  overdue(minAgeMs: number, limit: number): Promise<readonly PendingJob[]>;
  settle(jobs: readonly PendingJob[]): Promise<void>;
}

/** When an alert that fires again and again is taken for one that flaps. */
export interface FlappingRules {
  /** So many occurrences of it … */
  readonly times: number;
  /** … that began within this time. */
  readonly windowMs: number;
  /** Its incident is resolved when it has not fired for so long. */
  readonly quietMs: number;
}

export const FLAPPING: FlappingRules = { times: 3, windowMs: 3_600_000, quietMs: 600_000 };

interface Commands {
  rootnoteAdmit(...keysAndArguments: readonly (string | number)[]): Promise<readonly string[]>;
  rootnoteRetryAside(aside: string, inbox: string): Promise<number>;
}

/** Admission in Redis. The caller owns and closes the connection. */
export function createAdmissionStore(redis: Redis, prefix: string, flapping = FLAPPING): AdmissionStore {
  redis.defineCommand('rootnoteAdmit', { numberOfKeys: 3, lua: ADMISSION_SCRIPT });
  redis.defineCommand('rootnoteRetryAside', { numberOfKeys: 2, lua: RETRY_ASIDE });
  const commands = redis as unknown as Commands;
  const keys = [outboxKey(prefix), inboxKey(prefix), asideKey(prefix)];
  const { times, windowMs, quietMs } = flapping;
  const rules = [prefix, INCIDENT_TTL_SECONDS, JOIN_WINDOW_MS, MAX_KEPT_ALERTS, times, windowMs, quietMs, MOST_AT_ONCE];
  const outbox = createOutbox(redis, prefix);
  return {
    admitNext: async () => (await commands.rootnoteAdmit(...keys, ...rules)).map(readReply),
    retryAside: () => commands.rootnoteRetryAside(asideKey(prefix), inboxKey(prefix)),
    settle: (jobs) => outbox.settle(jobs),
  };
}

export function createOutbox(redis: Redis, prefix: string): Outbox {
  return {
    overdue: async (minAgeMs, limit) => {
      const oldestMs = await oldestArrivalMs(redis, prefix);
      const latest = Math.min(oldestMs ?? Infinity, (await readClockMs(redis, outboxKey(prefix))) - minAgeMs);
      return (await redis.zrangebyscore(outboxKey(prefix), '-inf', latest, 'LIMIT', 0, limit)).map(readMember);
    },
    settle: async (jobs) => {
      if (jobs.length === 0) return;
      await redis.zrem(outboxKey(prefix), ...jobs.map(writeMember));
    },
  };
}

function readReply(reply: string): Decided | Undecided {
  const [arrivalId = '', source = '', trace, alerts, firing, decision, concerned = '', ...members] = reply.split('\n');
  if (decision === 'undecided') return { arrivalId, source, reason: concerned };
  if (!isDecision(decision)) throw new Error('the admission script answered with an unknown decision');
  const pending = members.map(readMember);
  return {
    arrivalId,
    source,
    alerts: Number(alerts),
    firing: Number(firing),
    decision,
    incidentId: concerned || undefined,
    pending: trace ? pending.map((job) => ({ ...job, traceparent: trace })) : pending,
  };
}

function isDecision(text: string | undefined): text is Decision {
  return (DECISIONS as readonly (string | undefined)[]).includes(text);
}

function readMember(member: string): PendingJob {
  const [kind, incidentId = '', round = '-', priority] = member.split(' ');
  return {
    kind: kind as JobKind,
    incidentId,
    ...(round === '-' ? {} : { round: Number(round) }),
    ...(priority === undefined ? {} : { priority: Number(priority) }),
  };
}

/** As scripts write it (incident-lua.ts). */
export function writeMember({ kind, incidentId, round, priority }: PendingJob): string {
  return [kind, incidentId, ...(priority === undefined ? [] : [round ?? '-', priority])].join(' ');
}
