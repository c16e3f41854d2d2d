import type { Redis } from 'ioredis';
import { serviceOf } from '../../domain/labels.ts';
import type { Admission, AlertClaim, Arrival, Inbox } from '../../intake/admission.ts';
import { severityRank } from '../../intake/alert-name.ts';
import { rejectAfter } from '../../intake/deadline.ts';
import { alertKey } from '../../intake/trim.ts';
import { readClockMs } from '../../platform/redis-nodes.ts';
import { createScript } from '../../platform/redis-script.ts';
import { asideKey, bellKey, deliveryKey, inboxKey } from '../keys.ts';
import { createGroupCommit } from './group-commit.ts';

/**
 * KEYS: inbox, bell. ARGV: for each arrival the number of its fields and values, then these. Returns the ids. The bell wakes one worker; as long as it has not
 * been heard it is not rung again.
 */
const APPEND_EACH = `
local ids, at = {}, 1
while at <= #ARGV do
  local last = at + tonumber(ARGV[at])
  ids[#ids + 1] = redis.call('XADD', KEYS[1], '*', unpack(ARGV, at + 1, last))
  at = last + 1
end
if redis.call('LLEN', KEYS[2]) == 0 then redis.call('RPUSH', KEYS[2], '') end
return ids
`;

type Fields = readonly (string | number)[];

/** Ends a part. No part holds one: JSON writes it in another way, and names are freed of it. */
const END = '\x1e';
/** What ends a line, a part of one, or a part of the text. */
const NO_NAME = new RegExp(`[\\s${END}]`, 'g');

/**
 * The inbox in Redis: one stream, an entry an arrival. Fields of a notification: `source`, `trace` (traceparent, where there is one) and `notification`, one text, since
 * every further value costs the receiver and Redis. Its parts: header (JSON), alerts that were cut off, key of the delivery or '', facts, claims, then an alert
 * (JSON) for each of the first claims. A claim is a line: key, status, start in ms. Its status is `F`iring or `R`esolved, in small letters when the start is only the
 * time of receipt. Facts are lines for the alerts: rank of the severity, tab, service. Fields of an acknowledgement: `source`, `acknowledges` (key of the
 * alert), `by`, `at` (ms). The caller owns and closes the connection.
 */
export function createInbox(redis: Redis, prefix: string): Inbox {
  const append = createScript(redis, APPEND_EACH, 2);
  const keys = [inboxKey(prefix), bellKey(prefix)];
  const appendTogether = createGroupCommit(
    async (arrivals: readonly Fields[]) => {
      const ids = await append([...keys, ...arrivals.flatMap((fields) => [fields.length, ...fields])]);
      return ids as readonly string[];
    },
    (fields) => fields.reduce<number>((sum, field) => sum + String(field).length, 0),
  );
  return {
    append: (arrival) => appendTogether(writeFields(arrival, prefix)),
  };
}

function writeFields(arrival: Arrival, prefix: string): Fields {
  if (arrival.kind === 'notification') return notificationFields(arrival.admission, arrival.traceparent, prefix);
  const { source, fingerprint, by, atMs } = arrival.acknowledgement;
  return ['source', source, 'acknowledges', alertKey(source, fingerprint), 'by', by ?? '', 'at', atMs];
}

function notificationFields(admission: Admission, traceparent: string | undefined, prefix: string): Fields {
  const { header, headerJson, truncatedAlerts, claims, deliveryId } = admission;
  const delivery = deliveryId === undefined ? '' : deliveryKey(prefix, header.source, deliveryId);
  const parts = [headerJson, truncatedAlerts, delivery, factsOf(claims), linesOf(claims)];
  for (const { alertJson } of claims) {
    if (alertJson === undefined) break;
    parts.push(alertJson);
  }
  const fields = ['source', header.source, 'notification', parts.join(END) + END];
  return traceparent === undefined ? fields : [...fields, 'trace', traceparent];
}

function linesOf(claims: readonly AlertClaim[]): string {
  let lines = '';
  for (const { key, status, startsAtMs, startsAtReceipt } of claims) {
    const sign = status === 'firing' ? 'F' : 'R';
    lines += `${key} ${startsAtReceipt ? sign.toLowerCase() : sign} ${startsAtMs}\n`;
  }
  return lines;
}

/** What decides whether a group has grown materially: of the alerts that are kept, which come first. */
function factsOf(claims: readonly AlertClaim[]): string {
  let facts = '';
  for (const { alert } of claims) {
    if (!alert) break;
    facts += `${severityRank(alert)}\t${(serviceOf(alert.labels) ?? '').replace(NO_NAME, ' ')}\n`;
  }
  return facts;
}

export interface InboxStatus {
  /** Arrivals that nobody has decided yet. */
  readonly waiting: number;
  /** Age of the one that came first, by Redis' clock; 0 when none waits. */
  readonly oldestAgeMs: number;
  /** Arrivals that could not be decided and are kept aside. */
  readonly aside: number;
}

export async function readInbox(redis: Redis, prefix: string): Promise<InboxStatus> {
  const [waiting, sinceMs, aside, nowMs] = await Promise.all([
    redis.xlen(inboxKey(prefix)),
    oldestArrivalMs(redis, prefix),
    redis.xlen(asideKey(prefix)),
    readClockMs(redis, inboxKey(prefix)),
  ]);
  return { waiting, aside, oldestAgeMs: sinceMs === undefined ? 0 : Math.max(0, nowMs - sinceMs) };
}

/** When what waits longest to be decided came in, by Redis' clock; undefined when nothing waits. */
export async function oldestArrivalMs(redis: Redis, prefix: string): Promise<number | undefined> {
  const [oldest] = await redis.xrange(inboxKey(prefix), '-', '+', 'COUNT', 1);
  return oldest && Number.parseInt(oldest[0], 10);
}

/** Beyond its own time a blocked read is late only when its connection has died without a word. */
const LATE_MS = 3000;

/**
 * Resolves when somebody has rung the bell, or after `patienceSeconds`. Blocks its connection, which therefore has to be one of its own; rejects when that is
 * closed or silent.
 */
export async function waitForBell(redis: Redis, prefix: string, patienceSeconds: number): Promise<void> {
  try {
    await rejectAfter(redis.blpop(bellKey(prefix), patienceSeconds), patienceSeconds * 1000 + LATE_MS);
  } catch (error) {
    if (redis.status === 'ready') redis.disconnect(true);
    throw error;
  }
}
