import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { createJaegerProvider } from '../../../src/providers/jaeger/index.ts';
import type { KubernetesApi } from '../../../src/providers/kubernetes/api.ts';
import { checkKubernetes } from '../../../src/providers/kubernetes/check.ts';
import { createTempoProvider } from '../../../src/providers/tempo/index.ts';
import { incidentOf } from '../../support/incidents.ts';
import { kubernetesProvider } from '../../support/kubernetes/provider.ts';

/** What stands between Rootnote and a server, or in its place: answers that are well-formed and not what was asked for. */
let server: Server;
let url: string;
let asked: string[] = [];
let answer: (path: string, response: ServerResponse) => void = () => undefined;

beforeAll(async () => {
  server = createServer((request, response) => {
    asked.push(request.url ?? '');
    answer(request.url ?? '', response);
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
beforeEach(() => {
  asked = [];
});
afterAll(async () => {
  await new Promise((resolve) => {
    server.close(resolve);
    server.closeAllConnections();
  });
});

const say = (value: unknown) => (_: string, response: ServerResponse) => void response.end(JSON.stringify(value));
const LIMITS = { timeoutMs: 10_000, maxResponseBytes: 1_000_000 };
const never = new AbortController().signal;
const startsAtMs = Date.parse('2026-01-01T10:00:00Z');
const incident = incidentOf({ alertname: 'Down', namespace: 'shop', service: 'cart' }, { startsAtMs });
const window = { fromMs: startsAtMs - 3_600_000, toMs: startsAtMs };

describe('Kubernetes', () => {
  const provider = () => kubernetesProvider({ url });
  const claims = () => provider().queryObjects?.({ kind: 'PersistentVolumeClaim', limit: 10 }, never);

  test.each([{}, [], { message: 'forbidden by the gateway' }, { items: 'none' }])(
    '%j is no list: nobody knows that there is nothing',
    async (body) => {
      answer = say(body);
      await expect(claims()).rejects.toThrow('This is not a Kubernetes API');
      const { gaps } = await provider().gather(incident, window, never);
      expect(gaps.map(({ message }) => message).join()).toContain('This is not a Kubernetes API');
    },
  );

  test('a list of nothing is an answer, as older servers write it, too', async () => {
    for (const items of [[], null]) {
      answer = say({ kind: 'PersistentVolumeClaimList', items });
      expect((await claims())?.items).toEqual([]);
    }
  });

  test('a list whose pages lead to themselves is left, and told', async () => {
    answer = say({
      kind: 'List',
      metadata: { continue: 'again' },
      items: [{ metadata: { name: 'a', namespace: 'b' } }],
    });
    const found = await claims();
    expect(asked).toHaveLength(2);
    expect(found).toMatchObject({ items: [{}], note: expect.stringContaining('does not end') as unknown });
  });

  test('a kind that the server does not have is no answer that there is none', async () => {
    answer = (path, response) => {
      response.statusCode = 404;
      say({ kind: 'Status', code: 404, message: `no ${path}` })(path, response);
    };
    await expect(claims()).rejects.toThrow('does not serve persistentvolumeclaims in all namespaces (HTTP 404)');
  });

  test('a server that has no version is no Kubernetes', async () => {
    answer = (_, response) => {
      response.statusCode = 404;
      response.end('404 page not found');
    };
    await expect(provider().gather(incident, window, never)).rejects.toThrow('This is not a Kubernetes API (HTTP 404');
    expect(await provider().check(never)).toMatchObject({
      status: 'fail',
      remedy: expect.stringContaining('kubeconfig') as unknown,
    });
  });

  test('who is not known hears that once, the same for each kind, and nothing of time', async () => {
    answer = (_, response) => {
      response.statusCode = 401;
      response.end('{"kind":"Status","code":401}');
    };
    const reasonFor = (kind: string) =>
      Promise.resolve(provider().queryObjects?.({ kind, limit: 10 }, never)).catch((error: Error) => error.message);
    const reason = await reasonFor('Node');
    expect(reason).toMatch(/does not know who asks \(HTTP 401\)/);
    expect(reason).not.toMatch(/Asked|not read to the end|TIMEOUT/);
    expect(await reasonFor('PersistentVolumeClaim')).toBe(reason);
  });

  test.each([
    ['http://api.example.net', 'token', /plain http/],
    ['http://127.0.0.1:8001', 'token', /^$/],
    ['http://[::1]:8001', 'token', /^$/],
    ['http://api.example.net', 'none', /^$/],
    ['https://api.example.net', 'token', /^$/],
  ] as const)('credentials over plain http leave no machine unsaid: %s with %s', async (address, kind, words) => {
    const credential = kind === 'token' ? { kind, token: 't' } : { kind };
    const allowed = { status: { allowed: true } };
    const api: KubernetesApi = {
      access: { server: address, tls: {}, credential, how: 'nobody' },
      ask: () => Promise.resolve(JSON.stringify(allowed)),
      read: () => Promise.resolve({ value: { gitVersion: 'v1.34.0' }, characters: 0 }),
      readList: () => Promise.resolve({ value: { items: [] }, characters: 0 }),
    };
    const { details = [] } = await checkKubernetes(api, [], never);
    expect(details.filter((detail) => detail.includes('credentials')).join()).toMatch(words);
  });

  test.each(['..', '.', 'shop/../../secrets', 'shop?limit=1'])(
    '%j is no namespace, and nobody is asked',
    async (namespace) => {
      const query = { kind: 'Pod', namespace, limit: 10 };
      await expect(provider().queryObjects?.(query, never)).rejects.toThrow('is no name of a namespace');
      expect(asked).toEqual([]);
    },
  );
});

describe('Tempo', () => {
  const gather = () => createTempoProvider({ url, maxTraces: 10, ...LIMITS }).gather(incident, window, never);
  const found = (traceID: string, count: number) => (path: string, response: ServerResponse) => {
    if (path.includes('/values')) return say({ tagValues: [{ type: 'string', value: 'cart' }] })(path, response);
    if (path.startsWith('/api/search?'))
      return say({ traces: Array.from({ length: count }, () => ({ traceID })) })(path, response);
    response.statusCode = 404;
    return void response.end('not found');
  };

  test('what is no trace id goes into no path', async () => {
    answer = found('../../../status/config?x=', 1);
    await gather();
    expect(asked.filter((path) => path.includes('config'))).toEqual([]);
  });

  test('no more traces are read than were asked for, and that they are gone is told', async () => {
    answer = found('0af7651916cd43dd8448eb211c80319c', 500);
    const { gaps } = await gather();
    const searches = asked.filter((path) => path.startsWith('/api/search?')).length;
    const reads = asked.filter((path) => path.includes('0af7651916cd43dd8448eb211c80319c')).length;
    expect(reads).toBeLessThanOrEqual(2 * searches);
    expect(gaps.map(({ message }) => message).join()).toContain('were not there any more');
  });
});

test('Jaeger: traces of another time are no evidence, and that they came is told', async () => {
  const traceAt = (traceID: string, ms: number) => ({
    spans: [{ traceID, spanID: '1', operationName: 'GET /', startTime: ms * 1000, duration: 5, processID: 'p' }],
    processes: { p: { serviceName: 'cart' } },
  });
  answer = (path, response) => {
    if (path === '/api/services') return say({ data: ['cart'] })(path, response);
    if (path.startsWith('/api/dependencies')) return say({ data: [] })(path, response);
    const times = [startsAtMs - 60_000, startsAtMs + 86_400_000, startsAtMs - 30 * 86_400_000];
    return say({ data: times.map((ms, i) => traceAt(`a${i}`, ms)) })(path, response);
  };
  const provider = createJaegerProvider({ url, maxTraces: 50, ...LIMITS });
  const { spans, gaps } = await provider.gather(incident, window, never);
  expect(spans.map(({ timeUs }) => timeUs / 1000)).toEqual([startsAtMs - 60_000]);
  expect(gaps.map(({ message }) => message)).toContain('2 traces of another time than was asked for were left out.');
});
