import type { Redis } from 'ioredis';
import { serviceOf } from '../../domain/labels.ts';
import {
  DECISIONS,
  type Admission,
  type AdmissionStore,
  type Admitted,
  type AlertClaim,
  type Decision,
  type JobKind,
  type PendingJob,
} from '../../intake/admission.ts';
import { severityRank } from '../../intake/alert-name.ts';
import { alertKey, MAX_KEPT_ALERTS } from '../../intake/trim.ts';
import { ACKNOWLEDGE_SCRIPT } from './acknowledge-script.ts';
import { ADMISSION_SCRIPT } from './admission-script.ts';
import { createGroupCommit } from './group-commit.ts';
import { deliveryKey, INCIDENT_TTL_SECONDS, outboxKey } from '../keys.ts';

/** How long after an incident was opened further alerts of its group still join it. */
export const JOIN_WINDOW_MS = 3_600_000;

export interface Outbox {
  /** Work admitted at least `minAgeMs` ago and not known to be queued, oldest first. */
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

type Arguments = readonly (string | number)[];
type Command = (outbox: string, args: Arguments) => Promise<readonly string[]>;

/** Admission in Redis. The caller owns and closes the connection. */
export function createAdmissionStore(redis: Redis, prefix: string, flapping = FLAPPING): AdmissionStore {
  redis.defineCommand('rootnoteAdmit', { numberOfKeys: 1, lua: ADMISSION_SCRIPT });
  redis.defineCommand('rootnoteAcknowledge', { numberOfKeys: 1, lua: ACKNOWLEDGE_SCRIPT });
  const commands = redis as unknown as { rootnoteAdmit: Command; rootnoteAcknowledge: Command };
  const outbox = createOutbox(redis, prefix);
  const place = [prefix, INCIDENT_TTL_SECONDS];
  const rules = [...place, JOIN_WINDOW_MS, MAX_KEPT_ALERTS, flapping.times, flapping.windowMs, flapping.quietMs];
  const admitTogether = createGroupCommit(
    (admissions: readonly Arguments[]) => commands.rootnoteAdmit(outboxKey(prefix), [...rules, ...admissions.flat()]),
    (args) => args.length,
  );
  return {
    admit: async ({ header, truncatedAlerts, claims, deliveryId }: Admission) => {
      const delivery = deliveryId === undefined ? '' : deliveryKey(prefix, header.source, deliveryId);
      const args = [JSON.stringify(header), truncatedAlerts, delivery, factsOf(claims), claims.length];
      for (const claim of claims) addClaim(args, claim);
      return readReply(await admitTogether(args));
    },
    acknowledge: async ({ source, fingerprint, by, atMs }) => {
      const key = alertKey(source, fingerprint);
      const [incidentId, ...members] = await commands.rootnoteAcknowledge(outboxKey(prefix), [
        ...place,
        key,
        by ?? '',
        atMs,
      ]);
      return incidentId === undefined ? undefined : { incidentId, pending: members.map(readMember) };
    },
    settle: (jobs) => outbox.settle(jobs),
  };
}

function addClaim(
  args: (string | number)[],
  { key, status, startsAtMs, startsAtReceipt, alertJson }: AlertClaim,
): void {
  const sign = status === 'firing' ? 'F' : 'R';
  args.push(key, startsAtReceipt ? sign.toLowerCase() : sign, startsAtMs, alertJson ?? '');
}

/** What decides whether a group has grown materially: of the alerts that are kept, which come first. */
function factsOf(claims: readonly AlertClaim[]): string {
  let facts = '';
  for (const { alert } of claims) {
    if (!alert) break;
    facts += `${severityRank(alert)}\t${(serviceOf(alert.labels) ?? '').replace(/\s/g, ' ')}\n`;
  }
  return facts;
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
      await redis.zrem(outboxKey(prefix), ...jobs.map(writeMember));
    },
  };
}

function readReply(reply: string): Admitted {
  const [decision, incidentId, ...members] = reply.split('\n');
  if (decision === 'failed') throw new Error(incidentId);
  if (!isDecision(decision)) throw new Error('the admission script answered with an unknown decision');
  return { decision, incidentId: incidentId || undefined, pending: members.map(readMember) };
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
function writeMember({ kind, incidentId, round, priority }: PendingJob): string {
  return [kind, incidentId, ...(priority === undefined ? [] : [round ?? '-', priority])].join(' ');
}
