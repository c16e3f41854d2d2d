import { describe, expect, test } from '@jest/globals';
import { ProviderError, type TelemetryProvider } from '../../../src/domain/provider.ts';
import { NO_TELEMETRY, type Telemetry } from '../../../src/domain/telemetry.ts';
import { gatherAll } from '../../../src/providers/gather-all.ts';
import { incidentOf } from '../../support/incidents.ts';

const incident = incidentOf({ service: 'a' }, { startsAtMs: 0 });
const window = { fromMs: 0, toMs: 1 };
const never = new AbortController().signal;
const caps = { logLines: 100, spans: 100, series: 100 };

const providerOf = (name: string, gather: TelemetryProvider['gather']): TelemetryProvider => ({
  name,
  gather,
  check: () => Promise.resolve({ name, status: 'ok', value: '' }),
});
const log = (message: string) => ({ timeMs: 0, service: 'a', level: '', message });
const giving = (telemetry: Partial<Telemetry>) => () => Promise.resolve({ ...NO_TELEMETRY, ...telemetry });

describe('gathering from all providers', () => {
  test('D7: a dead provider is a gap with its reason; the others are merged in the order of the list', async () => {
    const providers = [
      providerOf(
        'first',
        giving({ logs: [log('1')], rawCharacters: 2, topology: { services: ['a'], edges: [{ from: 'a', to: 'b' }] } }),
      ),
      providerOf('dead', () => Promise.reject(new ProviderError('dead', 'dead:9090 cannot be reached'))),
      providerOf('buggy', () => Promise.reject(new TypeError('x is undefined'))),
      providerOf(
        'last',
        giving({
          logs: [log('2')],
          rawCharacters: 3,
          samplingMs: 5,
          topology: { services: ['a', 'c'], edges: [{ from: 'a', to: 'b' }] },
        }),
      ),
    ];
    expect(await gatherAll(providers, incident, window, { timeoutMs: 1000, caps, signal: never })).toEqual({
      ...NO_TELEMETRY,
      logs: [log('1'), log('2')],
      topology: { services: ['a', 'c'], edges: [{ from: 'a', to: 'b' }] },
      samplingMs: 5,
      rawCharacters: 5,
      gaps: [
        { source: 'dead', message: 'nothing could be read. dead:9090 cannot be reached' },
        { source: 'buggy', message: 'nothing could be read: it failed unexpectedly (x is undefined).' },
      ],
    });
  });

  test('what is there is told early, once, when others take long; with nothing there, nothing is told', async () => {
    let answer: (telemetry: Telemetry) => void = () => undefined;
    const slow = providerOf('slow', () => new Promise((resolve) => (answer = resolve)));
    const told: Telemetry[] = [];
    const gatherWith = (quick: Partial<Telemetry>) =>
      gatherAll([providerOf('quick', giving(quick)), slow], incident, window, {
        timeoutMs: 300,
        caps,
        signal: never,
        early: {
          afterMs: 10,
          tell: (soFar) => {
            told.push(soFar);
            answer(NO_TELEMETRY);
          },
        },
      });
    const { gaps } = await gatherWith({ logs: [log('1')], rawCharacters: 2 });
    expect(told).toMatchObject([{ logs: [log('1')], gaps: [{ source: 'slow', message: 'it has not answered yet.' }] }]);
    expect(gaps).toEqual([]);
    await gatherWith({});
    expect(told).toHaveLength(1);
  });

  test('a provider that hands over what it has at its deadline is heard', async () => {
    const partial: TelemetryProvider['gather'] = (_incident, _window, signal) =>
      new Promise((resolve) =>
        signal.addEventListener('abort', () => resolve({ ...NO_TELEMETRY, logs: [log('half')] })),
      );
    const { logs } = await gatherAll([providerOf('slow', partial)], incident, window, {
      timeoutMs: 20,
      caps,
      signal: never,
    });
    expect(logs).toEqual([log('half')]);
  });

  test('a provider that ignores its deadline does not hold up the others', async () => {
    const deaf = providerOf('deaf', () => new Promise(() => undefined));
    const { gaps, logs } = await gatherAll([deaf, providerOf('good', giving({ logs: [log('1')] }))], incident, window, {
      timeoutMs: 20,
      caps,
      signal: never,
    });
    expect(logs).toHaveLength(1);
    expect(gaps).toEqual([{ source: 'deaf', message: 'nothing could be read. It did not answer in time.' }]);
  });

  test('what is over the caps of all together is thinned, and that is a gap', async () => {
    const lines = Array.from({ length: 80 }, (_, i) => log(`line ${i}`));
    const providers = ['one', 'two'].map((name) => providerOf(name, giving({ logs: lines })));
    const { logs, gaps } = await gatherAll(providers, incident, window, { timeoutMs: 1000, caps, signal: never });
    // The first twenty of a shape are seldom said; of the others every second line.
    expect(logs).toHaveLength(90);
    expect(gaps).toEqual([{ source: 'telemetry', message: 'kept 90 of 160 log lines, evenly spread' }]);
  });

  test('no provider at all is no telemetry', async () => {
    expect(await gatherAll([], incident, window, { timeoutMs: 1000, caps, signal: never })).toEqual(NO_TELEMETRY);
  });
});
