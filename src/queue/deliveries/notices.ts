import type { Redis } from 'ioredis';
import type { ContentName, NoticeName } from '../../domain/delivery.ts';
import { KEEP_SECONDS, noticedKey, noticesKey, type ChainKey, type DeliveryKey } from './keys.ts';

/** However many deliveries a destination gives up: the others hear of it once in so long. */
const QUIET_SECONDS = 3600;
const LONGEST_REASON = 300;

/**
 * KEYS: texts, and who was told last of this destination. ARGV: delivery, text, quiet time (s), time to live (s). Returns the number of the text; 0 when
 * it is quiet because of another delivery.
 */
const WRITE = `
local last = redis.call('GET', KEYS[2])
local known, number = string.match(last or '', '^(.*) (%d+)$')
if last then return known == ARGV[1] and tonumber(number) or 0 end
local added = redis.call('RPUSH', KEYS[1], ARGV[2])
redis.call('EXPIRE', KEYS[1], ARGV[4])
redis.call('SET', KEYS[2], ARGV[1] .. ' ' .. added, 'EX', ARGV[3])
return added
`;

/**
 * Keeps the text that tells the other destinations of a subject that this one was not told, and returns its name; the same one when it is asked again.
 * Undefined when they have been told of another delivery to this destination within the hour: the metric and the log count the rest.
 */
export async function writeNotice(
  redis: Redis,
  prefix: string,
  { subjectId, destination, content }: DeliveryKey,
  reason: string,
): Promise<NoticeName | undefined> {
  const why = reason.length > LONGEST_REASON ? `${reason.slice(0, LONGEST_REASON)}…` : reason;
  const text =
    `The ${nameOf(content)}${failedAt(destination)}${why}. ` +
    `It is not tried again by itself: rootnote deliveries retry ${subjectId} ${destination}`;
  const keys = [noticesKey(prefix, subjectId), noticedKey(prefix, destination)];
  const delivery = `${subjectId}|${content}`;
  const number = await redis.eval(WRITE, 2, ...keys, delivery, text, QUIET_SECONDS, KEEP_SECONDS);
  return number === 0 ? undefined : `notice-${Number(number)}`;
}

/** KEYS: texts. ARGV: what a text says of this destination that was not told, that it is by now, time to live (s). Returns the number of the text, or 0. */
const MEND = `
local isLost = false
for _, text in ipairs(redis.call('LRANGE', KEYS[1], 0, -1)) do
  if text == ARGV[2] then isLost = false elseif string.find(text, ARGV[1], 1, true) then isLost = true end
end
if not isLost then return 0 end
local added = redis.call('RPUSH', KEYS[1], ARGV[2])
redis.call('EXPIRE', KEYS[1], ARGV[3])
return added
`;

/** Keeps the text that tells those who heard that a destination was not told of a subject that it is by now. Undefined when nobody heard of it. */
export async function writeMended(
  redis: Redis,
  prefix: string,
  { subjectId, destination }: ChainKey,
): Promise<NoticeName | undefined> {
  const texts = [failedAt(destination), `By now it is delivered to ${destination}, too.`];
  const number = await redis.eval(MEND, 1, noticesKey(prefix, subjectId), ...texts, KEEP_SECONDS);
  return number === 0 ? undefined : `notice-${Number(number)}`;
}

function failedAt(destination: string): string {
  return ` could not be delivered to ${destination}: `;
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
