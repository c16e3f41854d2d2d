import { copyFile, cp, mkdir, mkdtemp, readFile, rm, symlink, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { ProviderError } from '../../../src/domain/provider.ts';
import { createRecordingProvider, readRecordedIncident } from '../../../src/providers/recording/index.ts';

const FIXTURES = 'test/fixtures/recordings';
const ALERT_MS = Date.parse('2026-01-01T10:00:00Z');
const whole = { fromMs: 0, toMs: Number.MAX_SAFE_INTEGER };
const signal = () => new AbortController().signal;

let parent: string;
let dir: string;

/** A copy of the fixture that a test may damage. */
beforeEach(async () => {
  parent = await mkdtemp(join(tmpdir(), 'rn-recording-'));
  await cp(FIXTURES, parent, { recursive: true });
  dir = join(parent, 'payments-pool');
});
afterEach(() => rm(parent, { recursive: true, force: true }));

const write = (name: string, content: string | Buffer) => writeFile(join(dir, name), content);
const gather = async () => createRecordingProvider(dir).gather(await readRecordedIncident(dir), whole, signal());
const gapsOf = async () => (await gather()).gaps.map((gap) => gap.message);

test('a list of objects in one line is read up to the limit, and the cut is said', async () => {
  const pod = JSON.stringify({ metadata: { name: 'cart-1' } });
  await write('objects.jsonl', `{"kind":"PodList","items":[${`${pod},`.repeat(150_000)}${pod}]}\n`);
  const telemetry = await gather();
  expect(telemetry.objects).toHaveLength(50_000);
  expect(telemetry.gaps.map((gap) => gap.message)).toEqual([
    'objects.jsonl: read 50000 objects, left out the rest of a list.',
  ]);
});

test('an investigation that gives up does not take the recording from another that waits for it', async () => {
  const incident = await readRecordedIncident(dir);
  const provider = createRecordingProvider(dir);
  const giveUp = new AbortController();
  const first = provider.gather(incident, whole, giveUp.signal);
  const second = provider.gather(incident, whole, signal());
  giveUp.abort();
  await expect(first).rejects.toThrow('reading the recording was cancelled');
  expect((await second).series.length).toBeGreaterThan(0);
});

describe('a whole recording', () => {
  test('gives the incident as the webhook would have', async () => {
    expect(await readRecordedIncident(dir)).toMatchObject({
      id: expect.stringMatching(/^[a-z][a-zA-Z0-9_-]{3,127}$/),
      source: 'recording',
      service: 'checkout',
      severity: 'critical',
      title: 'CheckoutSlow',
      startsAtMs: ALERT_MS,
      annotations: { summary: 'checkout answers slowly (p95 above 500 ms)' },
    });
  });

  test('gives every file as telemetry, without a gap', async () => {
    const telemetry = await gather();
    expect(telemetry.gaps).toEqual([]);
    expect(telemetry.series).toHaveLength(16);
    expect(telemetry.series[0]).toMatchObject({ service: 'cart', metric: 'cpu_usage_ratio' });
    expect(telemetry.series[0]?.timesMs[0]).toBe(ALERT_MS - 1_200_000);
    expect(telemetry.logs[0]).toMatchObject({ service: expect.any(String), level: 'INFO' });
    expect(telemetry.spans[4]).toMatchObject({ service: 'postgres', operation: 'INSERT charges (amount, "state")' });
    expect(telemetry.events[2]).toMatchObject({
      reason: 'Unhealthy',
      objectKind: 'Pod',
      timeMs: ALERT_MS - 60_000,
      count: 1,
    });
    expect(telemetry.objects.map((object) => object['kind'])).toEqual(['Deployment', 'Pod']);
    expect(telemetry.changes[0]).toMatchObject({ service: 'payments', kind: 'deploy', timeMs: ALERT_MS - 420_000 });
    expect(telemetry.topology.edges).toHaveLength(4);
    expect(telemetry.reference.logs.length).toBeGreaterThan(50);
    expect(telemetry.reference.spans).toHaveLength(50);
    expect(telemetry.samplingMs).toBe(30_000);
  });

  test('as of a moment after the alert, holds nothing later, and says so', async () => {
    const provider = createRecordingProvider(dir, { untilAfterAlertMs: 60_000 });
    const { series, logs, gaps } = await provider.gather(await readRecordedIncident(dir), whole, signal());
    const latest = Math.max(...series.map(({ timesMs }) => timesMs.at(-1) ?? 0), ...logs.map(({ timeMs }) => timeMs));
    expect(latest).toBeLessThanOrEqual(ALERT_MS + 60_000);
    expect(gaps.map(({ message }) => message)).toEqual([expect.stringContaining('read as of 60 s after the alert')]);
    const { items } = await provider.queryMetrics!({ ...whole, query: '*' }, signal());
    expect(items[0]?.timesMs.at(-1)).toBeLessThanOrEqual(ALERT_MS + 60_000);
  });

  test('of more lines and spans than wanted keeps an even part with all errors, and says so', async () => {
    const caps = { logLines: 100, spans: 40 };
    const provider = createRecordingProvider(dir, { caps });
    const { logs, spans, gaps } = await provider.gather(await readRecordedIncident(dir), whole, signal());
    const all = await gather();
    const errors = (list: typeof logs) => list.filter(({ level }) => level === 'ERROR').length;
    expect(logs.length).toBeLessThanOrEqual(100);
    expect(errors(logs)).toBe(errors(all.logs));
    expect(spans.length).toBeGreaterThan(0);
    expect(spans.length).toBeLessThanOrEqual(40);
    expect(gaps.map(({ message }) => message)).toEqual([
      expect.stringMatching(
        /^logs\.jsonl: kept \d+ of \d+ lines, evenly spread: (\d+) of \1 that tell of errors, .*; raise MAX_LOG_LINES\.$/,
      ),
      expect.stringMatching(/^traces\.csv: kept \d+ of \d+ spans, evenly spread; raise MAX_SPANS\.$/),
      expect.stringMatching(/^baseline_ref: traces\.csv: kept /),
    ]);
  });

  test('counts the characters of its own files, decompressed, without the reference', async () => {
    const before = (await gather()).rawCharacters;
    const names = [
      'alert.json',
      'case.json',
      'metrics.csv',
      'logs.jsonl',
      'traces.csv',
      'events.jsonl',
      'objects.jsonl',
    ];
    const texts = await Promise.all(
      [...names, 'changes.jsonl', 'topology.json'].map((name) => readFile(join(dir, name), 'utf8')),
    );
    expect(before).toBe(texts.join('').length);
    await write('metrics.csv.gz', gzipSync(await readFile(join(dir, 'metrics.csv'))));
    await rm(join(dir, 'metrics.csv'));
    expect((await gather()).rawCharacters).toBe(before);
  });

  test('is the same every time it is read', async () => {
    expect(await gather()).toEqual(await gather());
  });
});

describe('a damaged recording is read as far as it goes, with a gap for each problem', () => {
  test('a folder that does not exist is a ProviderError that names it', async () => {
    await expect(readRecordedIncident(join(parent, 'nowhere'))).rejects.toThrow(ProviderError);
    await expect(createRecordingProvider(join(parent, 'nowhere')).check(signal())).resolves.toMatchObject({
      status: 'fail',
    });
  });

  test('an empty folder gives an incident and says that nothing is known', async () => {
    await rm(dir, { recursive: true });
    await mkdir(dir);
    expect(await gapsOf()).toEqual([
      expect.stringMatching(/alert\.json is missing: the moment of the alert is taken from the age of the folder/),
      expect.stringMatching(/holds no metrics, logs, traces, events, objects, changes, topology/),
    ]);
    expect(await createRecordingProvider(dir).check(signal())).toMatchObject({ status: 'warn' });
  });

  test.each([
    ['truncated JSON', '{"version": "4", "alerts": [{'],
    ['no alerts', '{"version": "4", "alerts": []}'],
    ['another shape', '[1, 2]'],
    ['an unusable time', '{"alerts": [{"labels": {}, "startsAt": "yesterday"}]}'],
  ])('alert.json with %s: the trigger comes from case.json', async (_, body) => {
    await write('alert.json', body);
    expect((await readRecordedIncident(dir)).startsAtMs).toBe(ALERT_MS);
    expect(await gapsOf()).toContainEqual(expect.stringContaining('the moment of the alert is taken from case.json'));
  });

  test('without alert.json and case.json the trigger is the end of the metrics', async () => {
    await Promise.all([rm(join(dir, 'alert.json')), rm(join(dir, 'case.json'))]);
    expect((await readRecordedIncident(dir)).startsAtMs).toBe(ALERT_MS + 120_000);
    const telemetry = await gather();
    expect(telemetry.samplingMs).toBe(30_000);
    expect(telemetry.gaps.map((gap) => gap.message)).toContainEqual(expect.stringContaining('the end of the metrics'));
  });

  test('with nothing but logs the trigger is their end, whatever one broken clock says', async () => {
    for (const name of ['alert.json', 'case.json', 'metrics.csv', 'traces.csv', 'events.jsonl'])
      await rm(join(dir, name));
    const broken = JSON.stringify({ time: '2042-01-01T00:00:00Z', service: 'a', message: 'm' });
    await write('logs.jsonl', `${await readFile(join(dir, 'logs.jsonl'), 'utf8')}${broken}\n`);
    const { startsAtMs } = await readRecordedIncident(dir);
    expect(Math.abs(startsAtMs - ALERT_MS)).toBeLessThan(120_000);
    expect((await gather()).logs.filter((log) => Number.isNaN(log.timeMs))).toHaveLength(1);
  });

  test('a truncated gz file gives the lines before the cut', async () => {
    const lines = Array.from({ length: 20_000 }, (_, i) =>
      JSON.stringify({ time: ALERT_MS / 1000, service: `s${i}`, message: `${i * 7919}` }),
    );
    await rm(join(dir, 'logs.jsonl'));
    await write('logs.jsonl.gz', gzipSync(lines.join('\n')));
    await truncate(join(dir, 'logs.jsonl.gz'), 60_000);
    const { logs, gaps } = await gather();
    expect(logs.length).toBeGreaterThan(1000);
    expect(logs.length).toBeLessThan(20_000);
    expect(gaps.map((gap) => gap.message)).toContainEqual(
      expect.stringMatching(/^logs\.jsonl\.gz: damaged after \d+ characters/),
    );
  });

  test('a short truncated gz file keeps what it holds, too', async () => {
    const rows = Array.from({ length: 300 }, (_, i) => `${ALERT_MS / 1000 + i},a,m,${Math.sin(i)}`);
    await rm(join(dir, 'metrics.csv'));
    const packed = gzipSync(['time,service,metric,value', ...rows].join('\n'));
    await write('metrics.csv.gz', packed.subarray(0, packed.length - 500));
    expect((await gather()).series[0]?.values.length).toBeGreaterThan(50);
  });

  test('a gz name on plain text and plain name on gz are read all the same', async () => {
    const text = await readFile(join(dir, 'metrics.csv'));
    await write('metrics.csv', gzipSync(text));
    expect((await gather()).series).toHaveLength(16);
    await rm(join(dir, 'metrics.csv'));
    await write('metrics.csv.gz', text);
    expect((await gather()).series).toHaveLength(16);
  });

  test('bad lines are counted and left out', async () => {
    await write(
      'logs.jsonl',
      '{"time": 1767261600, "service": "a", "message": "good"}\nnot json\n{"time": 1\n[]\n5\n\n{"level": "INFO"}\n',
    );
    const { logs, gaps } = await gather();
    expect(logs.map((log) => log.message)).toEqual(['good']);
    expect(gaps.map((gap) => gap.message)).toContainEqual(
      expect.stringMatching(/^logs\.jsonl: 4 of 5 lines could not be used/),
    );
  });

  test('values that are no finite number and rows without a time are dropped and counted', async () => {
    await write(
      'metrics.csv',
      'time,service,metric,value\n1,a,m,NaN\n2,a,m,+Inf\n3,a,m,text\n4,a,m,\nx,a,m,1\n5,,m,1\n6,a,m,2.5\n7,a\n',
    );
    const { series, gaps } = await gather();
    expect(series.map(({ timesMs, values }) => [[...timesMs], [...values]])).toEqual([[[6000], [2.5]]]);
    expect(gaps.map((gap) => gap.message)).toEqual([
      expect.stringMatching(/4 of 8 rows could not be used/),
      expect.stringMatching(/3 values were not finite/),
    ]);
  });

  test('unsorted samples are sorted', async () => {
    await write('metrics.csv', 'time,service,metric,value\n30,a,m,3\n10,a,m,1\n20,a,m,2\n');
    expect([...((await gather()).series[0]?.values ?? [])]).toEqual([1, 2, 3]);
  });

  test('other column orders and quoted fields are understood', async () => {
    await write(
      'metrics.csv',
      'metric,value,time,service\r\n"a ""quoted"", one",1,1767261600,"two\nlines"\r\nplain,2,1767261600000,b\r\n',
    );
    const { series, gaps } = await gather();
    expect(gaps).toEqual([]);
    expect(series.map(({ service, metric, timesMs }) => [service, metric, timesMs[0]])).toEqual([
      ['b', 'plain', ALERT_MS],
      ['two\nlines', 'a "quoted", one', ALERT_MS],
    ]);
  });

  test('a quote that is never closed is taken as text and costs no other line', async () => {
    await write('metrics.csv', 'time,service,metric,value\n1,"a,m,1\n2,b,m,1\n3,b,m,2\n');
    expect((await gather()).series.map(({ service, values }) => [service, values.length])).toEqual([
      ['"a', 1],
      ['b', 2],
    ]);
  });

  test('a file without the expected columns says which it lacks', async () => {
    await write('metrics.csv', 'when,service,value\n1,a,2\n');
    expect(await gapsOf()).toContainEqual(expect.stringContaining('metrics.csv: the first line lacks time, metric'));
  });

  test('log times of any unit are read; those that are missing or years off are unknown', async () => {
    const times = [
      ALERT_MS / 1000,
      ALERT_MS,
      ALERT_MS * 1000,
      '2026-01-01T10:00:00Z',
      '2026-01-01 10:00:00',
      null,
      12,
      'x',
      4e9,
    ];
    await write('logs.jsonl', times.map((time) => JSON.stringify({ time, service: 'a', message: 'm' })).join('\n'));
    const { logs, gaps } = await gather();
    expect(logs.map((log) => log.timeMs)).toEqual([...Array(5).fill(ALERT_MS), ...Array(4).fill(Number.NaN)]);
    expect(gaps.map((gap) => gap.message)).toContainEqual(
      expect.stringMatching(/^logs\.jsonl: 4 of 9 lines carry no usable time/),
    );
  });

  test('directories in place of files, and broken topology, case and pods files are gaps', async () => {
    await rm(join(dir, 'traces.csv'));
    await mkdir(join(dir, 'traces.csv'));
    await write('topology.json', '{"services": [1, "a", null], "edges": [{"from": "a"}, ["a", "b"], 3]}');
    await write('case.json', '{{{');
    await write('pods.json', '"text"');
    const gaps = await gapsOf();
    for (const file of ['traces.csv', 'topology.json', 'case.json', 'pods.json']) {
      expect(gaps).toContainEqual(expect.stringContaining(file));
    }
    expect((await gather()).topology).toEqual({ services: ['a'], edges: [{ from: 'a', to: 'b' }] });
  });
});

describe('a recording of a stranger reads nothing but itself', () => {
  test.each(['../..', '/etc', '../../../../etc', '.'])('baseline_ref %s is not followed', async (reference) => {
    await write('case.json', JSON.stringify({ baseline_ref: reference }));
    const { reference: read, gaps } = await gather();
    expect(read.logs).toEqual([]);
    expect(gaps.map((gap) => gap.message)).toContainEqual(expect.stringContaining('baseline_ref'));
  });

  test('baseline_ref through a link that leads out is not followed', async () => {
    const outside = await mkdtemp(join(tmpdir(), 'rn-outside-'));
    try {
      await copyFile(join(dir, 'logs.jsonl'), join(outside, 'logs.jsonl'));
      await symlink(outside, join(parent, 'link'));
      await write('case.json', '{"baseline_ref": "link"}');
      const { reference, gaps } = await gather();
      expect(reference.logs).toEqual([]);
      expect(gaps.map((gap) => gap.message)).toContainEqual(expect.stringContaining('leads out'));
    } finally {
      await rm(outside, { recursive: true });
    }
  });

  test('a file that is a link leading out is not read', async () => {
    await rm(join(dir, 'logs.jsonl'));
    await symlink(join(process.cwd(), FIXTURES, 'payments-pool/logs.jsonl'), join(dir, 'logs.jsonl'));
    const { logs, gaps } = await gather();
    expect(logs).toEqual([]);
    expect(gaps.map((gap) => gap.message)).toContainEqual(
      expect.stringMatching(/^logs\.jsonl: .*leads out of the recording/),
    );
  });
});

describe('queries', () => {
  const window = { fromMs: ALERT_MS - 60_000, toMs: ALERT_MS };
  const ask = async (query: string) => createRecordingProvider(dir).queryMetrics?.({ ...window, query }, signal());

  test('by service, by service and metric, and with wildcards, in any case, cut to the window', async () => {
    const names = async (query: string) => (await ask(query))?.items.map((one) => `${one.service}/${one.metric}`);
    expect(await names('payments')).toHaveLength(4);
    expect(await names('Payments/Connection*')).toEqual(['payments/connection_pool_used_ratio']);
    expect(await names('*/cpu*')).toHaveLength(5);
    const [series] = (await ask('cart/cpu_usage_ratio'))?.items ?? [];
    expect([...(series?.timesMs ?? [])]).toEqual([ALERT_MS - 60_000, ALERT_MS - 30_000, ALERT_MS]);
  });

  test('a query that finds nothing names the services there are', async () => {
    expect((await ask('nothing'))?.note).toMatch(/no series matches "nothing".*Services: cart, checkout/);
  });

  test('a pattern of many stars is no trouble', async () => {
    expect((await ask(`${'*a'.repeat(200)}!`))?.items).toEqual([]);
  });

  test('log lines by text, service and time, the last ones first to be kept', async () => {
    const provider = createRecordingProvider(dir);
    const found = await provider.queryLogs?.({ ...window, contains: 'CONNECTION FROM the pool', limit: 2 }, signal());
    expect(found?.items).toHaveLength(2);
    expect(found?.items.every((log) => log.service === 'payments')).toBe(true);
    expect(found?.note).toMatch(
      /of \d+ matching lines: the last \d of \d+ that tell of errors, the last \d of \d+ others/,
    );
  });
});
