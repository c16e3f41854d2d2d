import type { Redis } from 'ioredis';
import type { ContentName, NoticeName } from '../../domain/delivery.ts';
import { KEEP_SECONDS, noticedKey, noticesKey, type DeliveryKey } from './keys.ts';

/** However many deliveries a destination gives up: the others hear of it once in so long. */
const QUIET_SECONDS = 3600;
const LONGEST_REASON = 300;

/**
 * Keeps the text that tells the other destinations of a subject that this one was not told, and returns its name. Undefined when they have been told of
 * this destination within the hour: the metric and the log count the rest.
 */
export async function writeNotice(
  redis: Redis,
  prefix: string,
  { subjectId, destination, content }: DeliveryKey,
  reason: string,
): Promise<NoticeName | undefined> {
  const isFirst = await redis.set(noticedKey(prefix, destination), subjectId, 'EX', QUIET_SECONDS, 'NX');
  if (isFirst !== 'OK') return undefined;
  const why = reason.length > LONGEST_REASON ? `${reason.slice(0, LONGEST_REASON)}…` : reason;
  const text =
    `The ${nameOf(content)} could not be delivered to ${destination}: ${why}. ` +
    `It is not tried again by itself: rootnote deliveries retry ${subjectId} ${destination}`;
  const key = noticesKey(prefix, subjectId);
  const replies = await redis.multi().rpush(key, text).expire(key, KEEP_SECONDS).exec();
  return `notice-${Number(replies?.[0]?.[1] ?? 1)}`;
}

/** Undefined when it is not known any more. */
export async function readNotice(
  redis: Redis,
  prefix: string,
  subjectId: string,
  name: NoticeName,
): Promise<string | undefined> {
  const index = Number(name.slice('notice-'.length)) - 1;
  return (await redis.lindex(noticesKey(prefix, subjectId), index)) ?? undefined;
}

function nameOf(content: ContentName): string {
  if (content === 'first-look') return 'first look';
  if (content === 'resolved') return 'end of the incident';
  return content.startsWith('update-') ? 'update' : 'report';
}
