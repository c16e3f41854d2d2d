import { execFile, spawn, type ChildProcess } from 'node:child_process';
import { mkdir, mkdtemp, readdir, readFile, realpath, rename, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { isAbsolute, join } from 'node:path';
import { promisify } from 'node:util';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, jest, test } from '@jest/globals';
import { openCommands } from '../../src/commands/open-commands.ts';
import { findPrograms } from '../../src/commands/find-programs.ts';
import { createReadTextFile } from '../../src/commands/read-text-file.ts';
import { runPlan, type Spawn } from '../../src/commands/run-plan.ts';
import { openSurroundings } from '../../src/commands/surroundings.ts';
import { classifyCommand } from '../../src/policy/shell/classify.ts';
import { STARTED_PROGRAMS } from '../../src/policy/shell/programs/index.ts';
import { disguise, readCommands } from '../support/shell-commands.ts';

const never = new AbortController().signal;
let folder = '';
let files = '';

beforeAll(async () => {
  folder = await realpath(await mkdtemp(join(tmpdir(), 'rootnote-commands-')));
  files = join(folder, 'files');
  await mkdir(join(files, 'sub'), { recursive: true });
  await writeFile(join(files, 'app.log'), Array.from({ length: 1000 }, (_, i) => `line ${i + 1} of 1000\n`).join(''));
  await writeFile(join(files, 'odd name.txt'), 'it is here\n');
  await writeFile(join(files, 'old.log.gz'), gzipSync('first\nsecond error\nthird\n'));
  await writeFile(join(files, 'sub', '.env'), 'needle\n');
  await writeFile(join(files, 'sub', 'server.key'), 'needle\n');
  await writeFile(join(files, 'sub', 'plain.txt'), 'needle\n');
  await writeFile(join(folder, 'elsewhere.txt'), 'not below the root\n');
  await symlink('/etc/shadow', join(files, 'innocent.txt'));
  await symlink(join(folder, 'elsewhere.txt'), join(files, 'out.txt'));
  await symlink('/proc/self/environ', join(files, 'link.txt'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

function open(options: { readonly timeoutMs?: number; readonly maxOutputBytes?: number } = {}) {
  const { timeoutMs = 10_000, maxOutputBytes = 100_000 } = options;
  return openCommands({
    stateDir: join(folder, 'state'),
    kubeconfig: undefined,
    rules: { roots: [files], closed: [join(folder, 'state')] },
    limits: { timeoutMs, maxOutputBytes },
    atOnce: 2,
  });
}
const run = (line: string, options?: Parameters<typeof open>[0]) => open(options).run(line, never);

describe('a command line that may run', () => {
  test.each([
    ['echo one && echo two', 'one\ntwo\n'],
    ['true && false || echo three', 'three\n'],
    ['false && echo no; echo yes', 'yes\n'],
    ["printf '%s %s\\n' a 'b c'", 'a b c\n'],
    ["echo '$(id) `id` * ~ ; rm -rf /'", '$(id) `id` * ~ ; rm -rf /\n'],
    ["printf 'b\\na\\nb\\n' | sort | uniq -c | sort -rn | head -n 1 | tr -d ' '", '2b\n'],
    ['ls /nowhere-at-all 2>&1 | wc -l', '1\n'],
    ['ls /nowhere-at-all 2>/dev/null || echo none', 'none\n'],
    ['seq 1 999999 | head -n 2', '1\n2\n'],
    ['pwd | wc -l', '1\n'],
    ['ls', ''],
  ])('%s', async (line, stdout) => {
    expect(await run(line)).toMatchObject({ kind: 'ran', stdout, cut: '' });
  });

  test('reads files by name, whatever the name', async () => {
    expect(await run(`cat '${files}/odd name.txt'`)).toMatchObject({ exitCode: 0, stdout: 'it is here\n' });
    expect(await run(`zgrep -c error ${files}/old.log.gz`)).toMatchObject({ exitCode: 0, stdout: '1\n' });
  });

  test('a tree is searched without what is named like a secret', async () => {
    const found = await run(`grep -r needle ${files}`);
    expect(found).toMatchObject({ stdout: `${files}/sub/plain.txt:needle\n` });
    expect(await run(`grep -r --include='*' needle ${files}/sub`)).toEqual(found);
  });

  test('has an environment and a folder of its own', async () => {
    process.env['ROOTNOTE_TEST_TOKEN'] = 'do-not-pass-on';
    const starts: string[] = [];
    const spy: Spawn = (path, args, options) => {
      starts.push(JSON.stringify(options));
      return spawn(path, args, options);
    };
    const verdict = classifyCommand('pwd');
    if (!verdict.allowed) throw new Error(verdict.reason);
    const surroundings = await openSurroundings(join(folder, 'state'), undefined);
    const runner = {
      paths: await findPrograms(['pwd']),
      surroundings,
      limits: { timeoutMs: 5000, maxOutputBytes: 1000 },
      spawn: spy,
    };
    expect(await runPlan(verdict.plan, runner, never)).toMatchObject({ stdout: `${surroundings.folder}\n` });
    expect(starts.join()).not.toContain('do-not-pass-on');
    delete process.env['ROOTNOTE_TEST_TOKEN'];
  });

  test('stays empty: what keeps settings in its home finds none, also as root', async () => {
    await run('top -b -n 1 | head -1');
    expect(await readdir(join(folder, 'state', 'empty'))).toEqual([]);
    await expect(openSurroundings(join(folder, 'state'), undefined)).resolves.toMatchObject({
      env: { HOME: '/dev/null' },
    });
  });
});

describe('limits', () => {
  test('output is cut and says so', async () => {
    const result = await run('seq 1 100000', { maxOutputBytes: 20 });
    expect(result).toMatchObject({
      exitCode: null,
      stdout: '1\n2\n3\n4\n5\n6\n7\n8\n9\n10',
      cut: expect.stringContaining('20 bytes'),
    });
  });

  test('what does not end is killed, and what it printed is kept', async () => {
    jest.useFakeTimers({ doNotFake: ['nextTick', 'queueMicrotask', 'setImmediate'] });
    try {
      // The time is over once the second one runs: to start the first may take a loaded machine longer than any limit.
      const spy: Spawn = (path, args, options) => {
        const child = spawn(path, args, options);
        return path.endsWith('sleep') ? child.once('spawn', () => jest.advanceTimersByTime(300)) : child;
      };
      const result = await runWithSleep('echo before; seq 50', 300, never, spy);
      expect(result).toMatchObject({ exitCode: null, cut: expect.stringContaining('300 ms') });
      expect(result).toMatchObject({ stdout: expect.stringContaining('before') });
    } finally {
      jest.useRealTimers();
    }
  });

  test('an investigation that stops takes its commands along', async () => {
    const stop = new AbortController();
    const started: ChildProcess[] = [];
    const spy: Spawn = (path, args, options) => {
      const child = spawn(path, args, options);
      started.push(child.once('spawn', () => stop.abort()));
      return child;
    };
    expect(await runWithSleep('seq 50', 10_000, stop.signal, spy)).toMatchObject({ exitCode: null });
    expect(started).toMatchObject([{ signalCode: 'SIGKILL' }]);
  });

  /** `seq N` sleeps for N seconds: no command that the gate allows waits, and is on every machine. */
  async function runWithSleep(line: string, timeoutMs: number, signal: AbortSignal, starts?: Spawn) {
    const verdict = classifyCommand(line);
    if (!verdict.allowed) throw new Error(verdict.reason);
    const found = await findPrograms(['echo', 'sleep']);
    return runPlan(
      verdict.plan,
      {
        paths: new Map([...found, ['seq', found.get('sleep') ?? '']]),
        surroundings: await openSurroundings(join(folder, 'state'), undefined),
        limits: { timeoutMs, maxOutputBytes: 1000 },
        ...(starts ? { spawn: starts } : {}),
      },
      signal,
    );
  }
});

describe('what is refused when it runs', () => {
  test.each([
    ['a link to a secret', 'cat FILES/innocent.txt', /leads to another place/],
    ['a link to an environment', 'cat FILES/link.txt', /leads to another place/],
    ['a link out of the roots', 'cat FILES/out.txt', /not below a folder that may be read/],
    ['a file outside the roots', 'cat /etc/hostname', /not below a folder that may be read|is no file/],
    ['a program that is not here', 'kubectl get pods', /no cluster is configured/],
  ])('%s', async (_what, line, reason) => {
    expect(await run(line.replace('FILES', files))).toMatchObject({
      kind: 'denied',
      risk: 'R2',
      reason: expect.stringMatching(reason),
    });
  });

  test("Rootnote's own state", async () => {
    await run('true');
    expect(await run(`ls ${folder}/state`)).toMatchObject({ kind: 'denied' });
    const own = openCommands({
      stateDir: join(folder, 'state'),
      kubeconfig: undefined,
      rules: { roots: [folder], closed: [files] },
      limits: { timeoutMs: 5000, maxOutputBytes: 1000 },
      atOnce: 1,
    });
    expect(await own.run(`cat ${files}/app.log`, never)).toMatchObject({
      kind: 'denied',
      reason: expect.stringContaining('Rootnote itself'),
    });
  });

  test.each(['grep -r line FILES', 'diff FILES FILES/sub', 'cat FILES/app.log'])(
    'what is closed below a folder, or is one file: %s',
    async (line) => {
      const own = openCommands({
        stateDir: join(folder, 'state'),
        kubeconfig: undefined,
        rules: { roots: [files], closed: [join(files, 'sub', 'plain.txt'), join(files, 'app.log')] },
        limits: { timeoutMs: 5000, maxOutputBytes: 1000 },
        atOnce: 1,
      });
      expect(await own.run(line.replaceAll('FILES', files), never)).toMatchObject({
        kind: 'denied',
        reason: expect.stringContaining('Rootnote itself'),
      });
    },
  );
});

describe('nothing reaches a shell', () => {
  test('only programs of the system folders are found; scripts and what others may write are not', async () => {
    const bin = join(folder, 'bin');
    await mkdir(bin, { recursive: true });
    await writeFile(join(bin, 'ls'), '#!/bin/sh\necho script\n', { mode: 0o755 });
    await writeFile(join(bin, 'cat'), '\x7fELF', { mode: 0o644 });
    expect([...(await findPrograms(['ls', 'cat', 'nothing-of-this-name'], [bin]))]).toEqual([]);
    const found = await findPrograms(STARTED_PROGRAMS);
    expect(found.size).toBeGreaterThan(20);
    expect([...found.values()].every((path) => /^\/(usr\/|usr\/local\/)?s?bin\/[\w.+[-]+$/.test(path))).toBe(true);
  });

  test('no program of the table is a shell or an interpreter of more than its version', () => {
    expect(
      STARTED_PROGRAMS.filter((name) => /^(ba|da|z|k|a|c|tc|fi)?sh$|^(env|xargs|sudo|busybox|eval)$/.test(name)),
    ).toEqual([]);
  });

  test('the source starts processes with spawn and shell: false only', async () => {
    const names = (await readdir('src/commands')).filter((name) => name.endsWith('.ts'));
    const source = (await Promise.all(names.map((name) => readFile(join('src/commands', name), 'utf8')))).join('\n');
    expect(source.match(/child_process/g)).toHaveLength(1);
    expect(source).toMatch(/import \{ spawn, type ChildProcess, type SpawnOptions \} from 'node:child_process'/);
    expect(source).not.toMatch(/\bexec(Sync|File|FileSync)?\(|\bfork\(|shell: true|spawnSync/);
    expect(source.match(/shell: false/g)).toHaveLength(1);
  });

  test('whatever is asked for, processes are started by absolute path, word by word, without a shell', async () => {
    const surroundings = await openSurroundings(join(folder, 'state'), undefined);
    const paths = new Map(STARTED_PROGRAMS.map((name) => [name, `/usr/bin/${name}`]));
    const starts: { readonly path: string; readonly options: unknown }[] = [];
    // Records, and starts something harmless in its place.
    const record: Spawn = (path, _args, options) => {
      starts.push({ path, options });
      return spawn('/bin/true', [], { ...options, argv0: 'true' });
    };
    const runner = { paths, surroundings, limits: { timeoutMs: 5000, maxOutputBytes: 1000 }, spawn: record };
    const lines = [
      ...readCommands('harmless').slice(0, 60),
      ...readCommands('dangerous').flatMap((line, i) => disguise(line, 3, i)),
    ];
    for (const line of lines) {
      const verdict = classifyCommand(line);
      if (verdict.allowed) await runPlan(verdict.plan, runner, never);
    }
    expect(starts.length).toBeGreaterThanOrEqual(60);
    expect(starts.every(({ path }) => isAbsolute(path) && [...paths.values()].includes(path))).toBe(true);
    expect(starts.every(({ options }) => (options as { shell: unknown }).shell === false)).toBe(true);
  });
});

describe('reading files', () => {
  const read = (path: string, range: Parameters<ReturnType<typeof createReadTextFile>>[1]) =>
    createReadTextFile({ roots: [files], closed: [] })(path, range);

  test('the last lines, or lines from a place on, and says what it left out', async () => {
    expect(await read(`${files}/app.log`, { lines: 2 })).toEqual({
      text: 'line 999 of 1000\nline 1000 of 1000',
      cut: expect.stringContaining('last 2 lines'),
    });
    expect(await read(`${files}/app.log`, { fromLine: 10, lines: 1 })).toEqual({
      text: 'line 10 of 1000',
      cut: expect.stringContaining('there are more'),
    });
    expect(await read(`${files}/odd name.txt`, { fromLine: 1, lines: 5 })).toEqual({ text: 'it is here', cut: '' });
  });

  test.each([
    ['a relative path', () => 'app.log', /no absolute path/],
    ['a path that climbs', () => `${files}/../elsewhere.txt`, /climbs/],
    ['a link to a secret', () => `${files}/innocent.txt`, /leads to another place/],
    ['a link out of the roots', () => `${files}/out.txt`, /not below/],
    ['a hidden file', () => `${files}/sub/.env`, /keys or passwords|hidden/],
    ['a folder', () => files, /is no file/],
    ['a file that is not there', () => `${files}/nothing`, /ENOENT/],
    ['a compressed file', () => `${files}/old.log.gz`, /no text file/],
  ])('not %s', async (_what, path, message) => {
    await expect(read(path(), { lines: 5 })).rejects.toThrow(message);
  });

  test('a pipe nobody writes to does not keep the reader waiting', async () => {
    const pipe = join(files, 'pipe.log');
    await promisify(execFile)('mkfifo', [pipe]);
    await expect(read(pipe, { lines: 5 })).rejects.toThrow(/is no file/);
  });

  test('a folder that turns into a link between the judgement and the opening gives nothing away', async () => {
    const [shown, hidden, link] = [join(files, 'shown'), join(folder, 'hidden'), join(files, 'turning')];
    await Promise.all([mkdir(shown), mkdir(hidden)]);
    await Promise.all([writeFile(join(shown, 'a.log'), 'public'), writeFile(join(hidden, 'a.log'), 'hidden text')]);
    const texts = new Set<string>();
    for (let i = 0; i < 150; i++) {
      await rename(shown, link);
      const reading = read(join(link, 'a.log'), { lines: 5 }).then(
        ({ text }) => text,
        () => 'refused',
      );
      for (let turn = i % 7; turn > 0; turn--) await stat(files);
      await rename(link, shown);
      await symlink(hidden, link);
      texts.add(await reading);
      await rm(link);
    }
    expect([...texts].filter((text) => !/^(public|refused)$/.test(text))).toEqual([]);
    expect(texts).toContain('public');
  });
});
