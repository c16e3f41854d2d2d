import type { Redis } from 'ioredis';
import { REPORT_TTL_SECONDS } from './keys.ts';

/** Most records of one kind, whatever their age: retention is bound by age and by count. */
const MAX_RECORDS = 5000;

/** Records of one kind under `<prefix>:<kind>:<id>`, with a list of their ids by time. */
export interface KeptList<T> {
  save(id: string, atMs: number, record: T): Promise<void>;
  get(id: string): Promise<T | undefined>;
  /** Newest first; records that are no longer readable are left out. */
  list(limit: number): Promise<readonly T[]>;
}

export interface KeptListOptions {
  readonly maxRecords?: number;
  /** Keys that go when their record goes. */
  readonly companions?: (id: string) => readonly string[];
}

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
  return {
    save: async (id, atMs, record) => {
      const transaction = redis
        .multi()
        .set(recordKey(id), JSON.stringify(record), 'EX', REPORT_TTL_SECONDS)
        .zadd(listKey, atMs, id);
      const answers = await transaction.exec();
      for (const [error] of answers ?? []) if (error) throw error;
      const tooOld = await redis.zrange(listKey, 0, String(-maxRecords - 1));
      if (tooOld.length === 0) return;
      await redis.del(...tooOld.flatMap((old) => [recordKey(old), ...companions(old)]));
      await redis.zrem(listKey, ...tooOld);
    },
    get: async (id) => read(await redis.get(recordKey(id))),
    list: async (limit) => {
      if (limit < 1) return [];
      const ids = await redis.zrevrange(listKey, 0, limit - 1);
      if (ids.length === 0) return [];
      const records = (await redis.mget(...ids.map(recordKey))).map(read);
      return records.filter((record) => record !== undefined);
    },
  };
}
