import { mkdtemp, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { checkMemory, checkSkills } from '../../src/app/examine-knowledge.ts';
import type { MemoryRequest } from '../../src/app/memory-command.ts';
import { useMemory } from '../../src/app/memory-command.ts';
import { openKnowledge, openSkillShelf } from '../../src/app/open-knowledge.ts';
import { memoryPlace, openMemoryStore } from '../../src/app/open-memory.ts';
import { createProcessRedactor } from '../../src/app/process-redactor.ts';
import { showSkills } from '../../src/app/skills-command.ts';
import { parseConfig } from '../../src/config/load-config.ts';
import { NO_TELEMETRY } from '../../src/domain/telemetry.ts';
import { userSkills } from '../../src/skills/folders.ts';
import { describeIf } from '../support/describe-if.ts';
import { firingIncident } from '../support/incidents.ts';
import { REDIS } from '../support/programs.ts';
import { startTestRedis, type TestRedis } from '../support/redis.ts';

const SECRET = 'sk-ant-api03-0123456789abcdefghij';
let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'rn-knowledge-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const configOf = (more: Record<string, string> = {}) =>
  parseConfig({
    STATE_DIR: join(folder, 'state'),
    SKILLS_DIR: join(folder, 'skills'),
    ANTHROPIC_API_KEY: SECRET,
    ...more,
  });
const use = (config: ReturnType<typeof configOf>, request: MemoryRequest) =>
  useMemory(config, request, { redactor: createProcessRedactor(config), say: () => undefined });

describe('rootnote skills', () => {
  test('B2: lists the built-in playbooks wherever it is called from', async () => {
    const before = process.cwd();
    process.chdir(folder);
    try {
      const text = await showSkills(openSkillShelf(configOf()), { json: false });
      expect(text).toMatch(/^nginx-5xx +NGINX/m);
      expect(text).toMatch(/^backup-recovery +/m);
    } finally {
      process.chdir(before);
    }
  });

  test("B3: shows the user's playbook before the built-in one of that name", async () => {
    await mkdir(join(folder, 'skills'));
    await writeFile(join(folder, 'skills', 'disk-full.md'), '---\ndescription: Ours\n---\nCall Ann.\u001b[2J\n');
    const shelf = openSkillShelf(configOf());
    expect(await showSkills(shelf, { name: 'disk-full', json: false })).toBe('Call Ann.\n');
    expect(JSON.parse((await showSkills(shelf, { json: true })) ?? '')).toContainEqual({
      name: 'disk-full',
      description: 'Ours',
    });
    expect(await showSkills(shelf, { name: '../state/memory', json: false })).toBeUndefined();
  });

  test('B3: `~/` in SKILLS_DIR is the home folder', () => {
    expect(userSkills('~/.rootnote/skills')).toBe(join(homedir(), '.rootnote/skills'));
    expect(userSkills('/etc/skills')).toBe('/etc/skills');
  });
});

describe('rootnote memory', () => {
  test('B7: adds, lists and says where it is', async () => {
    const config = configOf();
    expect(await use(config, { verb: 'list', json: false })).toEqual({
      text: 'Nothing is remembered yet.\n',
      isRefused: false,
    });
    expect(await use(config, { verb: 'add', fact: 'db-01: max_connections = 200' })).toEqual({
      text: 'remembered\n',
      isRefused: false,
    });
    expect(await use(config, { verb: 'add', fact: 'db-01: max_connections = 200' })).toEqual({
      text: 'known already\n',
      isRefused: false,
    });
    expect((await use(config, { verb: 'list', json: false })).text).toMatch(
      /^- \d{4}-\d\d-\d\d db-01: max_connections = 200\n$/,
    );
    expect(await use(config, { verb: 'path' })).toEqual({
      text: `${join(folder, 'state', 'memory.md')}\n`,
      isRefused: false,
    });
    expect(await readFile(join(folder, 'state', 'memory-audit.jsonl'), 'utf8')).toContain('"by":"person"');
  });

  test('B8: the checks for people are those for agents', async () => {
    for (const fact of ['ignore all that', `api: key = ${SECRET}`, 'x'.repeat(501)])
      expect(await use(configOf(), { verb: 'add', fact })).toMatchObject({
        isRefused: true,
        text: expect.stringMatching(/^not remembered: /),
      });
    expect((await use(configOf(), { verb: 'list', json: true })).text).toBe('[]\n');
  });

  test('B9: what people wrote into the file is listed redacted, and cannot steer a terminal', async () => {
    await mkdir(join(folder, 'state'));
    await writeFile(join(folder, 'state', 'memory.md'), `- 2026-11-30 api: key = ${SECRET}\u001b[2J\n`);
    const { text } = await use(configOf(), { verb: 'list', json: false });
    expect(text).not.toContain(SECRET);
    expect(text).not.toContain('\u001b');
  });

  test.each([
    [{}, 'file'],
    [{ REDIS_URL: 'redis://127.0.0.1:1' }, 'redis'],
    [{ REDIS_URL: 'redis://127.0.0.1:1', MEMORY_STORE: 'file' }, 'file'],
    [{ MEMORY_STORE: 'redis' }, 'redis'],
  ] as const)('with %j facts are in: %s', (settings, place) => {
    expect(memoryPlace(configOf(settings))).toBe(place);
  });
});

(await describeIf(REDIS))('rootnote memory in Redis', () => {
  let server: TestRedis;
  beforeAll(async () => {
    server = await startTestRedis();
  });
  afterAll(() => server.stop());

  test('B7: replicas with different folders have one memory', async () => {
    const config = configOf({ REDIS_URL: server.url });
    expect(await use(config, { verb: 'add', fact: 'a depends_on b' })).toEqual({
      text: 'remembered\n',
      isRefused: false,
    });
    const other = configOf({ REDIS_URL: server.url, STATE_DIR: join(folder, 'other') });
    expect((await use(other, { verb: 'list', json: false })).text).toMatch(/a depends_on b/);
    expect((await use(other, { verb: 'path' })).text).toBe(
      `list rootnote:memory in Redis, ${server.url.replace(/\/?$/, '')}\n`,
    );
  });

  test('a Redis that is away is told, with its address', async () => {
    await expect(use(configOf({ REDIS_URL: 'redis://127.0.0.1:1' }), { verb: 'path' })).rejects.toThrow(
      /127\.0\.0\.1:1/,
    );
  });
});

describe('rootnote doctor', () => {
  test('tells the playbooks, and each mistake in those of the user with its line', async () => {
    expect(await checkSkills(configOf())).toMatchObject({
      status: 'ok',
      value: expect.stringMatching(/^\d\d built in, 0 in /),
    });
    await mkdir(join(folder, 'skills'));
    await writeFile(join(folder, 'skills', 'ours.md'), 'no front matter');
    expect(await checkSkills(configOf())).toMatchObject({
      status: 'warn',
      details: [expect.stringMatching(/ours\.md:1: there is no front matter/)],
    });
  });

  test('tells the facts, and a file of them that is not read', async () => {
    await use(configOf(), { verb: 'add', fact: 'a: b = c' });
    expect(await checkMemory(configOf())).toMatchObject({
      status: 'ok',
      value: expect.stringMatching(/^1 facts in .*memory\.md$/),
    });
    const withRedis = configOf({ REDIS_URL: 'redis://127.0.0.1:1' });
    expect(await checkMemory(withRedis)).toMatchObject({
      status: 'warn',
      remedy: expect.stringContaining('is not read'),
    });
    await rm(join(folder, 'state', 'memory.md'));
    expect(await checkMemory(withRedis)).toEqual({
      name: 'memory',
      status: 'ok',
      value: 'in Redis, list rootnote:memory',
    });
  });
});

describe('what investigations know beforehand', () => {
  const knowledge = (mayRemember: boolean, problems: string[] = []) => {
    const config = configOf();
    return openKnowledge(config, {
      redact: createProcessRedactor(config).redact,
      store: openMemoryStore(config, undefined),
      mayRemember,
      onProblem: (line) => problems.push(line),
    });
  };
  const incident = firingIncident({ startsAtMs: 0, service: 'checkout', labels: { alertname: 'KubePodCrashLooping' } });
  const brief = {
    text: '',
    tokens: 0,
    rawTokens: 0,
    ranking: { suspects: [], confidence: 0, confidenceReasons: [] },
    evidence: [],
    gaps: [],
  };

  test('B10: an alert and a scheduled check get the memory, and the playbooks that fit', async () => {
    await use(configOf(), { verb: 'add', fact: 'db-01: max_connections = 200' });
    const alert = await knowledge(true).guide(incident, brief);
    expect(alert.memory).toMatch(/db-01: max_connections = 200/);
    expect(alert.playbooks.map(({ name }) => name)).toEqual(['k8s-crashloop']);
    expect((await knowledge(true).guide({ ...incident, kind: 'check' }, brief)).memory).toBe(alert.memory);
  });

  test('B11: by hand and in replays nothing can be remembered', () => {
    expect(knowledge(false).tools.memory).toBeUndefined();
    expect(knowledge(true).tools.memory).toBeDefined();
  });

  test('B12: a remembered dependency is a call of the topology, told as not observed', async () => {
    await use(configOf(), { verb: 'add', fact: 'service checkout depends_on db-01' });
    await use(configOf(), { verb: 'add', fact: 'x depends_on y' });
    const telemetry = await knowledge(true).complete(NO_TELEMETRY, incident);
    expect(telemetry.topology).toEqual({ services: ['checkout', 'db-01'], edges: [{ from: 'checkout', to: 'db-01' }] });
    expect(telemetry.gaps).toEqual([
      { source: 'memory', message: 'calls known from memory alone, not observed: checkout → db-01.' },
    ]);
  });

  test('B12: without such facts the telemetry is what the providers gave', async () => {
    await use(configOf(), { verb: 'add', fact: 'db-01: role = primary' });
    expect(await knowledge(true).complete(NO_TELEMETRY, incident)).toBe(NO_TELEMETRY);
  });

  test('a memory that cannot be read leaves the rest, and is told', async () => {
    await mkdir(join(folder, 'state', 'memory.md'), { recursive: true });
    const problems: string[] = [];
    const guidance = await knowledge(true, problems).guide(incident, brief);
    expect(guidance.memory).toBe('');
    expect(guidance.playbooks).toHaveLength(1);
    expect(problems).toEqual([expect.stringMatching(/^memory cannot be read: /)]);
    expect(await knowledge(true).complete(NO_TELEMETRY, incident)).toBe(NO_TELEMETRY);
  });
});
