import type { Redis } from 'ioredis';
import { lineOf, MAX_MEMORY_BYTES, type Appended, type MemoryStore } from './store.ts';

/**
 * KEYS[1] facts, KEYS[2] audit. ARGV: line, fact, audit JSON, most bytes. One step for all replicas, so that the same fact is not kept twice.
 * A line is compared without `- 2026-11-30 `, its first 13 bytes.
 */
const REMEMBER = `
local bytes = #ARGV[1] + 1
for _, line in ipairs(redis.call('LRANGE', KEYS[1], 0, -1)) do
  if line == ARGV[2] or string.sub(line, 14) == ARGV[2] then return 'known' end
  bytes = bytes + #line + 1
end
if bytes > tonumber(ARGV[4]) then return 'full' end
redis.call('RPUSH', KEYS[2], ARGV[3])
redis.call('RPUSH', KEYS[1], ARGV[1])
return 'kept'
`;

type RememberCommand = (...args: (string | number)[]) => Promise<Appended>;

/** Facts in the list `<prefix>:memory`, their audit in `<prefix>:memory-audit`. No time to live. The caller owns and closes the connection. */
export function createRedisMemory(redis: Redis, prefix: string): MemoryStore {
  redis.defineCommand('rootnoteRemember', { numberOfKeys: 2, lua: REMEMBER });
  const remember = (redis as unknown as { rootnoteRemember: RememberCommand }).rootnoteRemember.bind(redis);
  const [facts, audit] = [`${prefix}:memory`, `${prefix}:memory-audit`];
  return {
    place: `list ${facts} in Redis`,
    read: async () => (await redis.lrange(facts, 0, -1)).map((line) => `${line}\n`).join(''),
    append: (fact, date, entry) =>
      remember(facts, audit, lineOf(fact, date), fact, JSON.stringify(entry), MAX_MEMORY_BYTES),
  };
}
