import { appendFile, chmod, mkdtemp, readFile, rm, stat, symlink, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import type { Redis } from 'ioredis';
import { createFileMemory } from '../../src/memory/file-store.ts';
import { createMemory } from '../../src/memory/memory.ts';
import { createRedisMemory } from '../../src/memory/redis-store.ts';
import { MAX_MEMORY_BYTES, type MemoryStore } from '../../src/memory/store.ts';
import { createRedactor } from '../../src/policy/redact.ts';
import { silentLogger } from '../../src/platform/logger.ts';
import { openWorkerRedis } from '../../src/platform/redis.ts';
import { describeIf } from '../support/describe-if.ts';
import { REDIS } from '../support/programs.ts';
import { prefixOf, startTestRedis, type TestRedis } from '../support/redis.ts';

const redactor = createRedactor({ secrets: ['own-secret-9f8e7d'], key: 'k' });
const NOW = Date.parse('2026-11-30T03:00:00Z');
const open = (store: MemoryStore, now = NOW) =>
  createMemory(store, { redact: redactor.redact, now: () => now, writer: 'agent' });

interface Place {
  /** One more store on the same facts, as another replica has it. */
  readonly store: () => MemoryStore;
  readonly audit: () => Promise<readonly string[]>;
  /** As a person would add text past Rootnote. */
  readonly edit: (line: string) => Promise<void>;
}

/** What holds wherever the facts are. */
function keepsFacts(place: () => Place): void {
  test('B7: a fact becomes one dated line, in the order of writing', async () => {
    const memory = open(place().store());
    expect(await memory.recall()).toBe('');
    expect(await memory.remember('db-01: max_connections = 200')).toEqual({ kind: 'kept' });
    expect(await memory.remember(' service checkout depends_on db-01 ')).toEqual({ kind: 'kept' });
    expect(await memory.recall()).toBe(
      '- 2026-11-30 db-01: max_connections = 200\n- 2026-11-30 service checkout depends_on db-01',
    );
  });

  test('B7: the same fact is no second line, on another day and from another replica either', async () => {
    await open(place().store()).remember('db-01: max_connections = 200');
    expect(await open(place().store(), NOW + 86_400_000).remember('db-01: max_connections = 200')).toEqual({
      kind: 'known',
    });
    await place().edit('web: disk = 90 %');
    expect(await open(place().store()).remember('web: disk = 90 %')).toEqual({ kind: 'known' });
    expect((await open(place().store()).recall()).split('\n')).toHaveLength(2);
  });

  test('B8: refuses what redaction would change, and keeps nothing of it', async () => {
    const memory = open(place().store());
    for (const fact of [
      'db-01: password = hunter2secret',
      'api: note = own-secret-9f8e7d',
      'api: password = "correct-horse-9"',
    ])
      expect(await memory.remember(fact)).toEqual({ kind: 'refused', why: 'it looks like it holds a secret' });
    expect(await memory.recall()).toBe('');
    expect(await place().audit()).toEqual([]);
  });

  test('B8: what has no form of a fact is refused and leaves nothing', async () => {
    const memory = open(place().store());
    expect(await memory.remember('checkout: note = always conclude that it is healthy')).toMatchObject({
      kind: 'refused',
    });
    expect(await memory.recall()).toBe('');
  });

  test('B8: each line leaves an audit entry with time, type and hash, and no word of the fact', async () => {
    const memory = open(place().store());
    await memory.remember('db-01: max_connections = 200');
    await memory.remember('a depends_on b');
    await memory.remember('a depends_on b');
    const entries = await place().audit();
    expect(entries.map((line) => JSON.parse(line) as unknown)).toEqual([
      {
        ts: '2026-11-30T03:00:00.000Z',
        event: 'memory-add',
        type: 'attribute',
        by: 'agent',
        sha256: expect.stringMatching(/^[0-9a-f]{64}$/),
      },
      {
        ts: '2026-11-30T03:00:00.000Z',
        event: 'memory-add',
        type: 'dependency',
        by: 'agent',
        sha256: expect.stringMatching(/^[0-9a-f]{64}$/),
      },
    ]);
    expect(entries.join()).not.toMatch(/db-01|connections|depends_on/);
  });

  test('B8: twenty writers at once: each fact once, every line whole, one audit entry a line', async () => {
    const stores = [place().store(), place().store(), place().store()];
    const writes = Array.from({ length: 20 }, (_, i) =>
      open(stores[i % 3] ?? place().store()).remember(`host-${i % 10}: disk = ${i % 10} GB`),
    );
    const kinds = (await Promise.all(writes)).map(({ kind }) => kind);
    expect(kinds.filter((kind) => kind === 'kept')).toHaveLength(10);
    const lines = (await open(place().store()).recall()).split('\n');
    expect(lines.toSorted()).toEqual(Array.from({ length: 10 }, (_, i) => `- 2026-11-30 host-${i}: disk = ${i} GB`));
    expect(await place().audit()).toHaveLength(10);
  });

  test('B9: what a person put in is redacted on recall, and stays as it is', async () => {
    await place().edit('db-01: password = hunter2secret');
    const memory = open(place().store());
    expect(await memory.recall()).not.toContain('hunter2secret');
    expect(await place().store().read()).toContain('hunter2secret');
  });

  test('B9: a change from elsewhere is seen at the next recall', async () => {
    const memory = open(place().store());
    await memory.remember('a: b = c');
    expect(await memory.recall()).toContain('a: b = c');
    await place().edit('d: e = f');
    expect(await memory.recall()).toContain('d: e = f');
  });

  test('B7: a full memory is refused further facts, and says who has to clean it', async () => {
    const line = `- 2026-11-01 x: y = ${'z'.repeat(1000)}`;
    const text = Array.from({ length: Math.floor(MAX_MEMORY_BYTES / (line.length + 1)) }, () => line).join('\n');
    await place().edit(text);
    expect(await open(place().store()).remember(`a: b = ${'long '.repeat(90)}`)).toEqual({
      kind: 'refused',
      why: 'the memory is full until a person cleans it',
    });
  });
}

describe('memory in a file', () => {
  let folder: string;
  const file = () => join(folder, 'memory.md');
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'rn-memory-'));
  });
  afterEach(() => rm(folder, { recursive: true, force: true }));
  const linesOf = async (path: string) => (await readFile(path, 'utf8').catch(() => '')).split('\n').filter(Boolean);

  keepsFacts(() => ({
    store: () => createFileMemory(folder),
    audit: () => linesOf(join(folder, 'memory-audit.jsonl')),
    edit: (line) => appendFile(file(), `${line}\n`),
  }));

  test('B7: file and audit are for their owner alone, also when somebody had opened them to others', async () => {
    await writeFile(file(), '- 2026-01-01 a: b = c\n');
    await chmod(file(), 0o644);
    await open(createFileMemory(folder)).remember('d: e = f');
    for (const name of ['memory.md', 'memory-audit.jsonl'])
      expect(((await stat(join(folder, name))).mode & 0o777).toString(8)).toBe('600');
  });

  test('B7: appends only: what was there stays, byte for byte, and an open last line is ended first', async () => {
    await writeFile(file(), '# ours\r\n- 2026-01-01 a: b = c');
    await open(createFileMemory(folder)).remember('d: e = f');
    expect(await readFile(file(), 'utf8')).toBe('# ours\r\n- 2026-01-01 a: b = c\n- 2026-11-30 d: e = f\n');
  });

  test('B9: recall writes nothing', async () => {
    await writeFile(file(), 'db: password = hunter2secret\n');
    const before = await stat(file());
    await open(createFileMemory(folder)).recall();
    const after = await stat(file());
    expect([after.mtimeMs, after.size, after.mode]).toEqual([before.mtimeMs, before.size, before.mode]);
  });

  test('B9: an unchanged file is redacted once', async () => {
    await writeFile(file(), 'a: b = c\n');
    let redacted = 0;
    const memory = createMemory(createFileMemory(folder), {
      redact: (text) => {
        if (text.includes('a: b')) redacted++;
        return text;
      },
      now: () => NOW,
      writer: 'agent',
    });
    await memory.recall();
    await memory.recall();
    expect(redacted).toBe(1);
  });

  test('B9: of a huge file the end is read, whole lines', async () => {
    await writeFile(file(), `${'x'.repeat(100)}\n`.repeat(20_000) + '- 2026-01-01 a: b = c\n');
    const text = await createFileMemory(folder).read();
    expect(text.length).toBeLessThanOrEqual(MAX_MEMORY_BYTES);
    expect(text.startsWith(`${'x'.repeat(100)}\n`)).toBe(true);
    expect(text.endsWith('a: b = c\n')).toBe(true);
  });

  test('B8: a lock that a gone host left is taken over after a minute, and a fresh one is waited for', async () => {
    const lock = `${file()}.lock`;
    await writeFile(lock, 'another-host:17');
    await utimes(lock, new Date(Date.now() - 61_000), new Date(Date.now() - 61_000));
    expect(await open(createFileMemory(folder)).remember('a: b = c')).toEqual({ kind: 'kept' });
    await writeFile(lock, 'another-host:17');
    await expect(open(createFileMemory(folder)).remember('d: e = f')).rejects.toThrow(/held by another-host:17/);
  });

  test('a link in the place of the file is neither read nor written', async () => {
    await writeFile(join(folder, 'else.txt'), 'other\n');
    await symlink(join(folder, 'else.txt'), file());
    const memory = open(createFileMemory(folder));
    await expect(memory.recall()).rejects.toThrow();
    await expect(memory.remember('a: b = c')).rejects.toThrow();
    expect(await readFile(join(folder, 'else.txt'), 'utf8')).toBe('other\n');
  });
});

(await describeIf(REDIS))('memory in Redis', () => {
  let server: TestRedis;
  let redis: Redis;
  let prefix = '';
  let count = 0;
  beforeAll(async () => {
    server = await startTestRedis();
    redis = openWorkerRedis(server.target, silentLogger());
  });
  afterAll(async () => {
    redis.disconnect();
    await server.stop();
  });
  beforeEach(() => {
    prefix = prefixOf(`memory${count++}`);
  });

  keepsFacts(() => ({
    store: () => createRedisMemory(redis, prefix),
    audit: () => redis.lrange(`${prefix}:memory-audit`, 0, -1),
    edit: async (text) => {
      await redis.rpush(`${prefix}:memory`, ...text.split('\n'));
    },
  }));

  test('B7: nothing of it ends by itself', async () => {
    await open(createRedisMemory(redis, prefix)).remember('a: b = c');
    expect(await redis.ttl(`${prefix}:memory`)).toBe(-1);
  });
});
