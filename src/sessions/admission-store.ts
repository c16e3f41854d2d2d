import type { Redis } from 'ioredis';
import {
  DECISIONS,
  type Admission,
  type AdmissionStore,
  type Admitted,
  type Decision,
  type JobKind,
  type PendingJob,
} from '../intake/admission.ts';
import { MAX_KEPT_ALERTS } from '../intake/trim.ts';
import { ADMISSION_SCRIPT } from './admission-script.ts';
import { INCIDENT_TTL_SECONDS, outboxKey } from './keys.ts';

/** How long after an incident was opened further alerts of its group still join it. */
export const JOIN_WINDOW_MS = 3_600_000;

export interface Outbox {
  /** Work admitted at least `minAgeMs` ago and not known to be queued, oldest first. */
  overdue(minAgeMs: number, limit: number): Promise<readonly PendingJob[]>;
  settle(jobs: readonly PendingJob[]): Promise<void>;
}

type AdmitCommand = (outbox: string, ...args: (string | number)[]) => Promise<readonly string[]>;

/** Admission in Redis. The caller owns and closes the connection. */
export function createAdmissionStore(redis: Redis, prefix: string): AdmissionStore {
  redis.defineCommand('rootnoteAdmit', { numberOfKeys: 1, lua: ADMISSION_SCRIPT });
  const admit = (redis as unknown as { rootnoteAdmit: AdmitCommand }).rootnoteAdmit.bind(redis);
  const outbox = createOutbox(redis, prefix);
  return {
    admit: async ({ header, truncatedAlerts, claims }: Admission) => {
      const flat = claims.flatMap((claim) => [
        claim.key,
        claim.status,
        claim.startsAtMs,
        claim.alert ? JSON.stringify(claim.alert) : '',
      ]);
      const settings = [prefix, INCIDENT_TTL_SECONDS, JOIN_WINDOW_MS, MAX_KEPT_ALERTS];
      const reply = await admit(outboxKey(prefix), ...settings, JSON.stringify(header), truncatedAlerts, ...flat);
      return readReply(reply);
    },
    acknowledge: () => Promise.resolve(undefined),
    settle: (jobs) => outbox.settle(jobs),
  };
}

export function createOutbox(redis: Redis, prefix: string): Outbox {
  return {
    overdue: async (minAgeMs, limit) => {
      const [seconds] = await redis.time();
      const latest = Number(seconds) * 1000 - minAgeMs;
      return (await redis.zrangebyscore(outboxKey(prefix), '-inf', latest, 'LIMIT', 0, limit)).map(readMember);
    },
    settle: async (jobs) => {
      if (jobs.length === 0) return;
      await redis.zrem(outboxKey(prefix), ...jobs.map((job) => `${job.kind} ${job.incidentId}`));
    },
  };
}

function readReply([decision, incidentId, ...members]: readonly string[]): Admitted {
  if (!isDecision(decision)) throw new Error('the admission script answered with an unknown decision');
  return { decision, incidentId: incidentId || undefined, pending: members.map(readMember) };
}

function isDecision(text: string | undefined): text is Decision {
  return (DECISIONS as readonly (string | undefined)[]).includes(text);
}

function readMember(member: string): PendingJob {
  const [kind, incidentId = ''] = member.split(' ');
  return { kind: kind as JobKind, incidentId };
}
