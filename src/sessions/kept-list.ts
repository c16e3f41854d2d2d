import type { Redis } from 'ioredis';
import { idsLike } from './ids-like.ts';
import { REPORT_TTL_SECONDS } from './keys.ts';

/** Most records of one kind, whatever their age: retention is bound by age and by count. */
const MAX_RECORDS = 5000;

/** Between reading what stands and replacing it, another may have come first: rarely once, never so often. */
const MOST_TRIES = 5;

/** A record and its place in its list, as Redis is told of them. */
export interface KeptEntry {
  readonly recordKey: string;
  readonly listKey: string;
  readonly json: string;
  readonly atMs: number;
  readonly id: string;
}

/** Records of one kind under `<prefix>:<kind>:<id>`, with a list of their ids by time. */
export interface KeptList<T> {
  /**
   * Keeps a record, and `beside` it records of other lists, all or none. The first under an id stands: false when there is another one that can be read
   * and does not give way. The same one again is the first.
   */
  saveFirst(
    id: string,
    atMs: number,
    record: T,
    beside?: readonly KeptEntry[],
    /** True of one that only stands until another is saved. */
    givesWay?: (standing: T) => boolean,
  ): Promise<boolean>;
  /** Puts a record, and `beside` it others, in the place of `instead`; false when something else stands there by now. */
  replace(instead: T, atMs: number, id: string, record: T, beside?: readonly KeptEntry[]): Promise<boolean>;
  /** Keeps a record, whatever was there. */
  save(id: string, atMs: number, record: T): Promise<void>;
  /** For `beside`; its own list has to be trimmed afterwards. */
  entry(id: string, atMs: number, record: T): KeptEntry;
  /** Takes out the oldest above the most that are kept. */
  trim(): Promise<void>;
  get(id: string): Promise<T | undefined>;
  /** Newest first; records that are no longer readable are left out, and so is what `isListed` is false of. */
  list(limit: number, isListed?: (id: string) => boolean): Promise<readonly T[]>;
  /** Ids that begin like this, at most so many. */
  idsLike(start: string, limit: number): Promise<readonly string[]>;
}

export interface KeptListOptions {
  readonly maxRecords?: number;
  /** Keys that go when their record goes. */
  readonly companions?: (id: string) => readonly string[];
}

/**
 * KEYS: record and list, the pair that decides first. ARGV: what is there and may be replaced (''), time to live (s), then JSON, time and id a pair.
 * Returns 1 when the records are kept, also when a lost connection had them sent twice.
 */
const SAVE_FIRST = `
local there = redis.call('GET', KEYS[1]) or ''
if there == ARGV[3] then return 1 end
if there ~= ARGV[1] then return 0 end
for pair = 0, #KEYS / 2 - 1 do
  redis.call('SET', KEYS[2 * pair + 1], ARGV[3 * pair + 3], 'EX', ARGV[2])
  redis.call('ZADD', KEYS[2 * pair + 2], ARGV[3 * pair + 4], ARGV[3 * pair + 5])
end
return 1
`;

export function createKeptList<T>(
  redis: Redis,
  prefix: string,
  kind: string,
  isRecord: (value: unknown) => value is T,
  { maxRecords = MAX_RECORDS, companions = () => [] }: KeptListOptions = {},
): KeptList<T> {
  const listKey = `${prefix}:${kind}s`;
  const recordKey = (id: string) => `${prefix}:${kind}:${id}`;
  const read = (json: string | null): T | undefined => {
    if (json === null) return undefined;
    const value: unknown = JSON.parse(json);
    return isRecord(value) ? value : undefined;
  };
  const entry = (id: string, atMs: number, record: T): KeptEntry => ({
    recordKey: recordKey(id),
    listKey,
    json: JSON.stringify(record),
    atMs,
    id,
  });
  const trim = async () => {
    const tooOld = await redis.zrange(listKey, 0, String(-maxRecords - 1));
    if (tooOld.length === 0) return;
    await redis.del(...tooOld.flatMap((old) => [recordKey(old), ...companions(old)]));
    await redis.zrem(listKey, ...tooOld);
  };
  const saveInstead = async (replaced: string, entries: readonly KeptEntry[]): Promise<boolean> => {
    const keys = entries.flatMap((one) => [one.recordKey, one.listKey]);
    const values = entries.flatMap((one) => [one.json, one.atMs, one.id]);
    const kept = await redis.eval(SAVE_FIRST, keys.length, ...keys, replaced, REPORT_TTL_SECONDS, ...values);
    if (kept === 1) await trim();
    return kept === 1;
  };
  return {
    saveFirst: async (id, atMs, record, beside = [], givesWay = () => false) => {
      const entries = [entry(id, atMs, record), ...beside];
      for (let tries = 0; tries < MOST_TRIES; tries++) {
        const there = await redis.get(recordKey(id));
        const standing = read(there);
        // Left by another version of Rootnote: whoever cannot read it may replace it.
        const mayGo = standing === undefined || givesWay(standing);
        if (await saveInstead(mayGo ? (there ?? '') : '', entries)) return true;
        if (!mayGo) return false;
      }
      return false;
    },
    replace: (instead, atMs, id, record, beside = []) =>
      saveInstead(JSON.stringify(instead), [entry(id, atMs, record), ...beside]),
    save: async (id, atMs, record) => {
      const json = JSON.stringify(record);
      const answers = await redis
        .multi()
        .set(recordKey(id), json, 'EX', REPORT_TTL_SECONDS)
        .zadd(listKey, atMs, id)
        .exec();
      for (const [error] of answers ?? []) if (error) throw error;
      await trim();
    },
    entry,
    trim,
    idsLike: (start, limit) => idsLike(redis, listKey, start, limit),
    get: async (id) => read(await redis.get(recordKey(id))),
    list: async (limit, isListed) => {
      if (limit < 1) return [];
      const newest = await redis.zrevrange(listKey, 0, isListed ? -1 : limit - 1);
      const ids = newest.filter((id) => isListed?.(id) ?? true).slice(0, limit);
      if (ids.length === 0) return [];
      const records = (await redis.mget(...ids.map(recordKey))).map(read);
      return records.filter((record) => record !== undefined);
    },
  };
}
