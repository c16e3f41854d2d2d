import type { Redis } from 'ioredis';

/** Ids hold nothing else; anything else would be a pattern to Redis. */
const ID = /^[\w.-]{1,200}$/;

/** Members of a list that begin like this, at most so many, in no order; only the one that is this, when there is one. */
export async function idsLike(redis: Redis, listKey: string, start: string, limit: number): Promise<readonly string[]> {
  if (!ID.test(start)) return [];
  if ((await redis.zscore(listKey, start)) !== null) return [start];
  const found = new Set<string>();
  let cursor = '0';
  do {
    const [next, entries] = await redis.zscan(listKey, cursor, 'MATCH', `${start}*`, 'COUNT', 1000);
    // An id and its time, in turns.
    for (let at = 0; at < entries.length; at += 2) found.add(entries[at] ?? '');
    cursor = next;
  } while (cursor !== '0' && found.size < limit);
  return [...found].slice(0, limit);
}
