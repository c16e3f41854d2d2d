import { existsSync } from 'node:fs';
import { cp, mkdir, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { afterEach, describe, expect, test } from '@jest/globals';
import { Report } from '../../src/domain/report.ts';
import { groupText, numberedAlert } from '../support/alertmanager-bodies.ts';
import { eventually } from '../support/eventually.ts';
import { freePort } from '../support/free-port.ts';
import { startPrometheusImitation } from '../support/prometheus-api.ts';
import { runRootnote, startRootnoteCommand, stopRootnotes, temporaryFolder } from '../support/rootnote-process.ts';

const inCheckout = (path: string) => fileURLToPath(new URL(`../../${path}`, import.meta.url));
const POOL = inCheckout('test/fixtures/recordings/payments-pool');
const DEMO = inCheckout('demo/recording');
/** Neither Redis nor anything else can be found. */
const NO_PROGRAMS = { PATH: '/nonexistent' };
const STACK = /^\s+at .*:\d+:\d+/m;

afterEach(stopRootnotes);

describe('rootnote investigate --json', () => {
  test.each([
    ['the fixture', POOL],
    ['the demo', DEMO],
  ])(
    'C8 C11 D7: the recording of %s gives one report on stdout, with no Redis and no key, that names the truth',
    async (_name, dir) => {
      const { code, stdout, stderr } = await runRootnote(
        ['investigate', '--recording', dir, '--offline', '--json'],
        NO_PROGRAMS,
      );
      expect(code).toBe(0);
      const report = Report.parse(JSON.parse(stdout));
      expect(report).toMatchObject({ mode: 'analyst', status: 'determined', root_cause_service: 'payments' });
      expect(report.root_cause_type).toBe('connection_exhaustion');
      expect(report.usage.brief_tokens).toBeLessThanOrEqual(5820);
      expect(report.usage.raw_tokens).toBeGreaterThan(report.usage.brief_tokens);
      expect(report.action_plan.length).toBeGreaterThan(0);
      expect(stderr).toContain('distil');
    },
  );

  test('D7: an alert with a dead provider gives a report that states the gap', async () => {
    const file = await fileWith(groupText({ alerts: [numberedAlert(1)] }));
    const { code, stdout, stderr } = await runRootnote(['investigate', file, '--json'], {
      ...NO_PROGRAMS,
      PROMETHEUS_URL: `http://127.0.0.1:${await freePort()}`,
    });
    expect(code).toBe(1);
    expect(stderr).toContain('no telemetry could be read');
    const report = Report.parse(JSON.parse(stdout));
    expect(report).toMatchObject({ status: 'inconclusive', confidence: 0, root_cause_service: null });
    expect(report.gaps.join('\n')).toMatch(/prometheus: .*cannot be reached.*PROMETHEUS_URL/);
  });

  test.each<[string, Readonly<Record<string, string | Buffer>>, RegExp, code?: number]>([
    [
      'corrupt gzip files',
      { 'metrics.csv.gz': Buffer.from('no gzip'), 'logs.jsonl.gz': gzipSync('x\n').subarray(0, 12) },
      /metrics\.csv\.gz/,
    ],
    ['a metrics file that is no CSV of its kind', { 'metrics.csv': '<html>\n"never closed,1,2\n' }, /metrics\.csv/],
    ['lines that are no JSON', { 'logs.jsonl': '{"time":\nnot json\n[1]\n', 'events.jsonl': 'null\n' }, /logs\.jsonl/],
    ['an alert that is cut off', { 'alert.json': '{"version":"4","alerts":[{' }, /alert\.json/],
    [
      'no alert, but logs',
      { 'logs.jsonl': '{"time":1764410000,"service":"a","level":"ERROR","message":"boom"}\n' },
      /alert\.json is missing/,
      0,
    ],
    ['binary noise in every file', noise(), /metrics\.csv/],
  ])('a recording that holds %s gives a report with the gap stated', async (_name, files, gap, exitCode = 1) => {
    const dir = await folderWith(files);
    const { code, stdout, stderr } = await runRootnote(['investigate', '--recording', dir, '--json'], NO_PROGRAMS);
    expect(code).toBe(exitCode);
    const report = Report.parse(JSON.parse(stdout));
    expect(report.gaps.join('\n')).toMatch(gap);
    expect(report.confidence).toBeLessThan(0.5);
    expect(stderr).not.toMatch(STACK);
  });

  test('a reader who leaves early causes no error', async () => {
    const command = await startRootnoteCommand(
      ['investigate', '--recording', POOL, '--offline', '--json'],
      NO_PROGRAMS,
    );
    command.child.process.stdout?.destroy();
    const { code, stderr } = await command.finished;
    expect(stderr).not.toMatch(/EPIPE/);
    expect(code).toBe(0);
  });

  test('a damaged file among good ones costs only what it held', async () => {
    const dir = await folderWith({});
    await cp(POOL, dir, { recursive: true });
    await writeFile(join(dir, 'logs.jsonl'), 'not json\n');
    const { code, stdout } = await runRootnote(['investigate', '--recording', dir, '--offline', '--json'], NO_PROGRAMS);
    expect(code).toBe(0);
    const report = Report.parse(JSON.parse(stdout));
    expect(report.root_cause_service).toBe('payments');
    expect(report.gaps.join('\n')).toContain('logs.jsonl');
  });
});

describe('rootnote investigate with input that cannot be used', () => {
  test.each<[string, string | undefined, RegExp]>([
    ['a file that is not there', undefined, /alert\.json is not there/],
    ['a truncated alert', '{"version":"4","alerts":[{"sta', /alert\.json is not the body of an Alertmanager webhook/],
    ['another kind of JSON', '{"version":"4"}', /alert\.json is not the body of an Alertmanager webhook: .*alerts/],
    ['no alerts', '{"version":"4","alerts":[]}', /alert\.json holds no alerts/],
  ])('%s: one line says what is wrong, exit code 2', async (_name, text, message) => {
    const file = await fileWith(text);
    const { code, stdout, stderr } = await runRootnote(['investigate', file, '--json'], NO_PROGRAMS);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toMatch(message);
    expect(stderr.trim().split('\n')).toHaveLength(1);
  });

  test('a folder that is not there: one line, exit code 2', async () => {
    const { code, stdout, stderr } = await runRootnote(
      ['investigate', '--recording', '/nonexistent/case', '--json'],
      NO_PROGRAMS,
    );
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toContain('/nonexistent/case cannot be read as a recording');
    expect(stderr).not.toMatch(STACK);
  });

  test('a folder that holds no file of a recording: one line, exit code 2', async () => {
    const dir = await folderWith({ 'README.md': 'not a recording' });
    const { code, stdout, stderr } = await runRootnote(['investigate', '--recording', dir], NO_PROGRAMS);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toMatch(/^rootnote: .* is no recording: it holds no alert\.json.*\n$/);
  });

  test('a wrong option: one line that says where help is, exit code 2', async () => {
    const { code, stdout, stderr } = await runRootnote(['investigate', '--ofline', 'a.json'], NO_PROGRAMS);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toBe("rootnote: Unknown option '--ofline'; did you mean --offline?; see rootnote --help\n");
  });

  test('a signal during the investigation ends it without a stack trace and without half a report', async () => {
    const prometheus = await startPrometheusImitation(() => 'hang');
    try {
      const file = await fileWith(groupText({ alerts: [numberedAlert(1)] }));
      const command = await startRootnoteCommand(['investigate', file, '--json'], {
        ...NO_PROGRAMS,
        PROMETHEUS_URL: prometheus.url,
      });
      await eventually('the provider is asked', () => prometheus.asked.length);
      command.child.process.kill('SIGTERM');
      const { code, stdout, stderr } = await command.finished;
      expect({ code, stdout }).toEqual({ code: 143, stdout: '' });
      expect(stderr).toContain('stopped by SIGTERM');
      expect(stderr).not.toMatch(STACK);
    } finally {
      await prometheus.stop();
    }
  });
});

describe('a role that must not start', () => {
  let taken: Server | undefined;
  afterEach(() => {
    taken?.close();
    taken = undefined;
  });

  test('a port that is in use, an address for everybody, a wrong setting: one message, exit code 2, nothing left running', async () => {
    taken = createServer();
    await new Promise<void>((resolve) => taken?.listen(0, '127.0.0.1', resolve));
    const port = String((taken.address() as AddressInfo).port);
    const cases: readonly [Readonly<Record<string, string>>, RegExp][] = [
      [{ PORT: port }, new RegExp(`127\\.0\\.0\\.1:${port} is already in use; set PORT`)],
      [{ HOST: '0.0.0.0' }, /HOST=0\.0\.0\.0 is reachable from other machines/],
      [
        { STATE_DIR: join(POOL, 'alert.json') },
        /alert\.json\/redis cannot be made or written \(ENOTDIR\); set STATE_DIR/,
      ],
      [{ WORKER_CONCURRENCY: 'many' }, /WORKER_CONCURRENCY:/],
      [
        { QUERIES_FILE: '/nonexistent.yaml', PROMETHEUS_URL: 'http://127.0.0.1:9' },
        /QUERIES_FILE: \/nonexistent\.yaml is not there/,
      ],
    ];
    const folder = await temporaryFolder();
    for (const [env, message] of cases) {
      const { code, stdout, stderr } = await runRootnote(['all'], { LOG_LEVEL: 'error', PORT: '0', ...env }, folder);
      expect({ code, stdout, stderr }).toEqual({ code: 2, stdout: '', stderr: expect.stringMatching(message) });
      expect(stderr).not.toMatch(STACK);
    }
    expect(existsSync(join(folder, 'redis', 'redis.sock'))).toBe(false);
  });

  test('a port that is in use is the only thing said about it', async () => {
    taken = createServer();
    await new Promise<void>((resolve) => taken?.listen(0, '127.0.0.1', resolve));
    const port = String((taken.address() as AddressInfo).port);
    const { code, stderr } = await runRootnote(['all'], { PORT: port });
    expect(code).toBe(2);
    expect(stderr.trim().split('\n')).toEqual([expect.stringContaining('is already in use')]);
  });

  test('reports and sessions with a Redis that is away: one line with its address and without its password', async () => {
    const port = await freePort();
    for (const what of ['reports', 'sessions']) {
      const { code, stdout, stderr } = await runRootnote([what, 'list'], {
        REDIS_URL: `redis://:s3cret-of-redis@127.0.0.1:${port}`,
      });
      expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
      expect(stderr).toMatch(new RegExp(`Redis at redis://127\\.0\\.0\\.1:${port} does not answer: .*ECONNREFUSED`));
      expect(stderr).not.toMatch(/s3cret-of-redis/);
      expect(stderr).not.toMatch(STACK);
    }
  });
});

/** A recording with these files. */
async function folderWith(files: Readonly<Record<string, string | Buffer>>): Promise<string> {
  const dir = join(await temporaryFolder(), 'case');
  await mkdir(dir);
  for (const [name, content] of Object.entries(files)) await writeFile(join(dir, name), content);
  return dir;
}

/** Path of an alert.json with this text, or of none. */
async function fileWith(text: string | undefined): Promise<string> {
  const file = join(await temporaryFolder(), 'alert.json');
  if (text !== undefined) await writeFile(file, text);
  return file;
}

function noise(): Readonly<Record<string, Buffer>> {
  const bytes = Buffer.from(Array.from({ length: 5000 }, (_, index) => (index * 7919) % 256));
  const names = [
    'alert.json',
    'case.json',
    'metrics.csv',
    'logs.jsonl',
    'traces.csv',
    'trace_stats.csv',
    'events.jsonl',
  ];
  return Object.fromEntries(
    [...names, 'pods.json', 'objects.jsonl', 'changes.jsonl', 'topology.json'].map((name) => [name, bytes]),
  );
}
