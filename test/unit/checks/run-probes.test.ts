import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { createServer, type Server } from 'node:tls';
import { createServer as createPlainServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { runProbes } from '../../../src/checks/run-probes.ts';
import type { Probe } from '../../../src/domain/probe.ts';
import type { TelemetryProvider } from '../../../src/domain/provider.ts';
import { concludeClear } from '../../../src/funnel/analyst/check-verdict.ts';
import { NO_TELEMETRY, type KubernetesObject } from '../../../src/domain/telemetry.ts';
import { createAuthority, whereCertificates } from '../../support/certificates.ts';
import { everyMinute, NOW_MS, pod, probe } from '../../support/probe-cases.ts';

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;
const never = new AbortController().signal;
const bare: TelemetryProvider = {
  name: 'bare',
  gather: () => Promise.resolve(NO_TELEMETRY),
  check: () => Promise.resolve({ name: 'bare', status: 'ok', value: 'there' }),
};
/** Never answers a query, and gives up when it is told to. */
const hanging: TelemetryProvider = {
  ...bare,
  queryMetrics: (_, signal) =>
    new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(new Error('cut')))),
};
const ask = (probes: readonly Probe[], providers: readonly TelemetryProvider[], timeoutMs = 5000) =>
  runProbes(probes, { providers, nowMs: NOW_MS, signal: never, timeoutMs });
const metric = (name: string) => probe('metric', { name, query: 'up', series: '*/up', below: 1 });
const pods = (name: string) => probe('objects', { name, state: 'pod-not-ready' });

describe('probes are asked', () => {
  test('without anybody who could answer each says what is missing, and is unanswered', async () => {
    const probes = [metric('a'), pods('b'), probe('events', { name: 'c', reasons: ['*'] })];
    const answers = await ask(probes, [bare]);
    expect(answers.map(({ name, status, note }) => [name, status, note])).toEqual([
      ['a', 'unanswered', 'no provider of metrics is configured: set PROMETHEUS_URL'],
      [
        'b',
        'unanswered',
        'no provider of Kubernetes objects is configured: set KUBERNETES_KUBECONFIG, or run in the cluster',
      ],
      ['c', 'unanswered', 'no provider of events is configured: set KUBERNETES_KUBECONFIG, or run in the cluster'],
    ]);
    expect(answers.filter(({ hasFailed }) => hasFailed)).toEqual([]);
  });

  test('a provider with a language gets the query, one of names the names; who holds nothing makes room for the next', async () => {
    const asked: string[] = [];
    const provider = (name: string, holds: boolean, language: object): TelemetryProvider => ({
      ...bare,
      name,
      ...language,
      queryMetrics: ({ query, limit = 0 }) => {
        asked.push(`${name}: ${query}`);
        expect(limit).toBeGreaterThan(500);
        return Promise.resolve({ items: holds ? [everyMinute([0], { service: name })] : [] });
      },
    });
    const answers = await ask(
      [metric('a')],
      [provider('one', false, {}), provider('two', true, { metricLanguage: 'names' })],
    );
    expect(asked).toEqual(['one: up', 'two: */up']);
    expect(answers).toMatchObject([{ status: 'found', findings: [{ service: 'two' }] }]);
  });

  test('one that fails or hangs is unanswered with the reason, and the others are answered', async () => {
    const provider: TelemetryProvider = {
      ...hanging,
      queryObjects: () => Promise.resolve({ items: [pod({ phase: 'Running' })] }),
      queryEvents: () => Promise.reject(new Error('403 on events')),
    };
    const events = probe('events', { name: 'c', reasons: ['*'] });
    const answers = await ask([metric('a'), pods('b'), events], [provider], 50);
    expect(answers).toMatchObject([
      { status: 'unanswered', note: 'no answer within 0.05 s', hasFailed: true },
      { status: 'clear', lookedAt: 1 },
      { status: 'unanswered', note: 'bare: 403 on events', hasFailed: true },
    ]);
  });

  test('one that hangs is cut off though garbage is collected while it does', async () => {
    const answers = ask([metric('a')], [hanging], 300);
    for (let round = 0; round < 3; round += 1) {
      // What was looked at in a turn of the event loop is kept until its end.
      await setImmediate();
      collectGarbage();
    }
    expect(await answers).toMatchObject([{ status: 'unanswered', note: 'no answer within 0.3 s' }]);
  });

  test('pods are read once for all probes about them; that there are none of what every cluster has is no answer', async () => {
    let reads = 0;
    const provider: TelemetryProvider = {
      ...bare,
      queryObjects: () => {
        reads += 1;
        return Promise.resolve({ items: [] });
      },
    };
    const schedules = probe('objects', { name: 'c', state: 'cronjob-missed' });
    const answers = await ask([pods('a'), pods('b'), schedules], [provider]);
    expect(reads).toBe(2);
    expect(answers.map(({ status }) => status)).toEqual(['unanswered', 'unanswered', 'clear']);
  });
});

test('a probe that a recording or a cluster cannot answer says what would help', async () => {
  const holding = (items: readonly KubernetesObject[]): TelemetryProvider => ({
    ...bare,
    metricLanguage: 'names',
    queryMetrics: () => Promise.resolve({ items: [] }),
    queryObjects: () => Promise.resolve({ items }),
  });
  const probes = [
    probe('metric', { name: 'a', query: 'up', below: 1 }),
    probe('freshness', { name: 'b', job: '*backup*', older: '1d' }),
  ];
  const notes = async (provider: TelemetryProvider) => (await ask(probes, [provider])).map(({ note }) => note);
  expect(await notes(holding([]))).toEqual([
    'this probe has only a query: add series to try it on a recording',
    'there are no jobs and no schedules',
  ]);
  const job = { apiVersion: 'batch/v1', kind: 'Job', metadata: { name: 'report', namespace: 'shop' } };
  expect((await notes(holding([job as unknown as KubernetesObject])))[1]).toContain('is called *backup*');
  const series = probe('metric', { name: 'c', query: undefined, series: '*/up', below: 1 });
  const [answer] = await ask([series], [{ ...bare, queryMetrics: () => Promise.resolve({ items: [] }) }]);
  expect(answer?.note).toBe('this probe has only series: add a query to ask a server of metrics');
});

test('an empty list that says why is no answer, unless everything was read', async () => {
  const holding = (isWhole: boolean): TelemetryProvider => {
    const none = { items: [], note: 'the cluster holds no objects', ...(isWhole ? { isWhole: true as const } : {}) };
    return { ...bare, queryObjects: () => Promise.resolve(none), queryEvents: () => Promise.resolve(none) };
  };
  const probes = [
    probe('objects', { name: 'a', state: 'job-failed' }),
    probe('events', { name: 'b', reasons: ['*'] }),
    pods('c'),
  ];
  const statuses = async (isWhole: boolean) => (await ask(probes, [holding(isWhole)])).map(({ status }) => status);
  expect(await statuses(true)).toEqual(['clear', 'clear', 'unanswered']);
  expect(await statuses(false)).toEqual(['unanswered', 'unanswered', 'unanswered']);
});

(await whereCertificates(describe))('certificates of hosts', () => {
  let folder = '';
  let server: Server;
  const names: string[] = [];

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'rn-certificate-'));
    // Nobody trusts it, and it ends in two days.
    const { key, cert } = await createAuthority(folder);
    server = createServer({
      key: await readFile(key),
      cert: await readFile(cert),
      SNICallback: (name, done) => {
        names.push(name);
        done(null);
      },
    });
    server.on('secureConnection', (socket) => socket.on('error', () => undefined));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  });
  afterAll(async () => {
    await new Promise((resolve) => server.close(resolve));
    await rm(folder, { recursive: true });
  });

  test('are read in a handshake, private and untrusted ones too, with the name that is asked for', async () => {
    const { port } = server.address() as AddressInfo;
    const hosts = [{ host: '127.0.0.1', port, servername: 'db.internal' }];
    const expiring = probe('certificate', { hosts, within: '30d' });
    const [answer] = await runProbes([expiring], { providers: [], nowMs: Date.now(), signal: never });
    expect(answer).toMatchObject({
      status: 'found',
      findings: [
        {
          type: 'certificate',
          object: `127.0.0.1:${port} (db.internal)`,
          value: expect.stringMatching(/^(?:47 h|2 d).* left$/),
        },
      ],
    });
    expect(names).toEqual(['db.internal']);
  });

  test('a host that is away is told beside those that answer, and makes no answer when it is the only one', async () => {
    const { port } = server.address() as AddressInfo;
    // tcpmux: nobody listens there, and no other test is given the port meanwhile.
    const away = { host: '127.0.0.1', port: 1 };
    const plain = createPlainServer((socket) => {
      socket.on('error', () => undefined).resume();
      socket.end('HTTP/1.1 400 Bad Request\r\n\r\n');
    });
    await new Promise<void>((resolve) => plain.listen(0, '127.0.0.1', resolve));
    const deaf = { host: '127.0.0.1', port: (plain.address() as AddressInfo).port };
    const fine = { host: '127.0.0.1', port };
    const both = probe('certificate', { name: 'both', hosts: [fine, away, deaf], within: '1d' });
    const alone = probe('certificate', { name: 'alone', hosts: [away], within: '1d' });
    const answers = await runProbes([both, alone], { providers: [], nowMs: Date.now(), signal: never });
    await new Promise((resolve) => plain.close(resolve));
    const refused = '127.0.0.1:1 refuses the connection';
    const reasons = `${refused}; 127.0.0.1:${deaf.port} does not speak TLS`;
    const note = `2 of 3 hosts cannot be read: ${reasons}`;
    expect(answers).toMatchObject([
      { status: 'clear', lookedAt: 1, hasFailed: true, note },
      { status: 'unanswered', hasFailed: true, note: refused },
    ]);
    expect(concludeClear(answers.slice(0, 1), []).summary).toContain(`Only in part: both (${note})`);
  });
});
