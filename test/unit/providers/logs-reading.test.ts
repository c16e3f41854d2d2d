import * as fc from 'fast-check';
import { describe, expect, test } from '@jest/globals';
import { BackendError } from '../../../src/providers/backend/backend-error.ts';
import { Ledger } from '../../../src/providers/backend/ledger.ts';
import { gatherLogs } from '../../../src/providers/logs/gather-logs.ts';
import type { LineFilter, LogLine, LogSource } from '../../../src/providers/logs/log-source.ts';
import { planParts } from '../../../src/providers/logs/plan-parts.ts';
import { oldestFirst, readOn, startReading } from '../../../src/providers/logs/read-backwards.ts';
import { readEvenly } from '../../../src/providers/logs/read-evenly.ts';
import { toRecord } from '../../../src/providers/logs/to-record.ts';
import { incidentOf } from '../../support/incidents.ts';

const signal = new AbortController().signal;
const line = (time: number, name: string, service = 's'): LogLine => ({
  timeNs: BigInt(time),
  key: name,
  record: { timeMs: time, service, level: '', message: name },
});

/** Lines in memory, told apart down to `tick`; of one time in any order. Only the conditions on the service count. */
function sourceOf(
  lines: readonly LogLine[],
  { pageLines = 10, tick = 1n } = {},
): LogSource & { readonly asked: LineFilter[] } {
  const asked: LineFilter[] = [];
  return {
    name: { provider: 'memory', prefix: 'MEMORY', api: '', urlHint: '', items: 'lines' },
    sizeUnit: 'lines',
    tickNs: tick,
    pageLines,
    whenEmpty: '',
    asked,
    everything: () => [[]],
    fieldsIn: () => Promise.resolve(new Set(['service'])),
    countBy: () => Promise.resolve([]),
    describe: () => Promise.resolve(undefined),
    readPage: (filter, limit) => {
      asked.push(filter);
      const isMeant = ({ timeNs, record }: LogLine) =>
        timeNs >= filter.fromNs &&
        timeNs < filter.untilNs &&
        filter.fields.every((match) => ('values' in match ? match.values.includes(record.service) : match.set));
      const found = lines.filter(isMeant).sort((a, b) => Number(b.timeNs - a.timeNs));
      const page = found.slice(0, limit);
      const oldest = page.length >= limit ? page.at(-1) : undefined;
      return Promise.resolve({ lines: page, ...(oldest ? { reachedNs: oldest.timeNs } : {}), notes: [] });
    },
  };
}
const everything: LineFilter = { fromNs: 0n, untilNs: 1000n, fields: [] };

describe('reading backwards', () => {
  test('lines of another time are left out and told, and a server that does not heed the window is not asked for ever', async () => {
    const lines = Array.from({ length: 200 }, (_, time) => line(10 * time, `${time}`));
    const heeding = sourceOf(lines);
    const heedless = {
      ...heeding,
      readPage: (_: LineFilter, limit: number) => heeding.readPage(everything, limit, signal),
    };
    const wanted = { ...everything, fromNs: 940n, untilNs: 960n };
    const late = await readOn(heedless, startReading(heedless, wanted), 1000, signal);
    expect(late.lines.map(({ key }) => key)).toEqual(['95', '94']);
    expect(late.notes).toEqual([expect.stringContaining('outside of the time asked for')]);
    const early = { ...everything, untilNs: 500n };
    const none = await readOn(heedless, startReading(heedless, early), 1000, signal);
    expect([none.lines, none.place.done, heeding.asked.length]).toEqual([[], true, 2]);
    expect(none.notes).toEqual([expect.stringContaining('others may be missing')]);
  });

  test('no line is lost or doubled, however they share their times and whatever the page', async () => {
    const times = fc.array(fc.integer({ min: 0, max: 12 }), { maxLength: 80 });
    await fc.assert(
      fc.asyncProperty(times, fc.integer({ min: 1, max: 9 }), async (all, step) => {
        // As many of one time as fit a page.
        const counts = new Map<number, number>();
        const some = all.filter((time) => counts.set(time, (counts.get(time) ?? 0) + 1).get(time)! < 20);
        const lines = some.map((time, place) => line(time, `${place % 7}`));
        const source = sourceOf(lines, { pageLines: 20 });
        const names: string[] = [];
        for (let place = startReading(source, everything); !place.done;) {
          const read = await readOn(source, place, step, signal);
          names.push(...read.lines.map(({ key, timeNs }) => `${timeNs} ${key}`));
          place = read.place;
        }
        expect(names.sort()).toEqual(lines.map(({ key, timeNs }) => `${timeNs} ${key}`).sort());
      }),
    );
  });

  test('more lines of one time than a page holds: the others are given up, noted, and what is older is read', async () => {
    const lines = [line(1, 'old'), ...Array.from({ length: 30 }, (_, place) => line(5, `same ${place}`))];
    const { lines: read, notes } = await readOn(
      sourceOf(lines),
      startReading(sourceOf(lines), everything),
      100,
      signal,
    );
    expect(read.map(({ key }) => key)).toContain('old');
    expect(read.length).toBeGreaterThanOrEqual(11);
    expect(notes).toEqual([expect.stringMatching(/more than 10 lines have one and the same time/)]);
  });

  test('an order in time, and of one origin as it was written', () => {
    const newestFirst = [line(9, 'e'), line(5, 'd', 'b'), line(5, 'c', 'b'), line(5, 'b', 'a'), line(1, 'a')];
    expect(oldestFirst(newestFirst).map(({ key }) => key)).toEqual(['a', 'b', 'c', 'd', 'e']);
  });
});

describe('reading evenly', () => {
  const services = ['loud', 'calm', 'rare'].map((value) => ({ value }));
  const scope = { place: [], serviceFields: ['service'], services };
  const window = { fromNs: 0n, untilNs: 120_000_000n };
  const parts = planParts(scope, [[]], window, 100_000_000n, 'calm', 'others');
  const at = (place: number, every: number) => Math.floor((place * every) / 1) % 120_000_000;
  const lines = [
    ...Array.from({ length: 4000 }, (_, place) => line(at(place, 30_000), `l${place}`, 'loud')),
    ...Array.from({ length: 60 }, (_, place) => line(at(place, 2_000_000), `c${place}`, 'calm')),
    line(7_000_000, 'once', 'rare'),
  ];

  test('the parts are all of the window once, those at the trigger first', () => {
    const stretches = parts.map(({ filter }) => filter);
    expect(stretches[0]?.fromNs).toBeLessThanOrEqual(100_000_000n);
    expect(stretches[0]?.untilNs).toBeGreaterThan(100_000_000n);
    const sorted = stretches.toSorted((a, b) => (a.fromNs < b.fromNs ? -1 : 1));
    expect(sorted[0]?.fromNs).toBe(window.fromNs);
    expect(sorted.at(-1)?.untilNs).toBe(window.untilNs);
    for (const [place, { untilNs }] of sorted.slice(0, -1).entries()) expect(sorted[place + 1]?.fromNs).toBe(untilNs);
  });

  test('who says little is read whole, who says much as much in every stretch', async () => {
    const { lines: read, cut } = await readEvenly(
      sourceOf(lines, { pageLines: 500 }),
      parts,
      600,
      new Ledger('x'),
      signal,
    );
    const of = (service: string) => read.filter(({ record }) => record.service === service);
    expect(of('calm')).toHaveLength(60);
    expect(of('rare')).toHaveLength(1);
    expect(cut).toBeGreaterThan(0);
    const perStretch = new Map<bigint, number>();
    for (const { timeNs } of of('loud'))
      perStretch.set(timeNs / 10_000_000n, (perStretch.get(timeNs / 10_000_000n) ?? 0) + 1);
    expect(perStretch.size).toBe(12);
    expect(Math.max(...perStretch.values())).toBeLessThanOrEqual(2 * Math.min(...perStretch.values()));
    expect(new Set(read.map(({ key }) => key)).size).toBe(read.length);
  });

  test('all of it when it fits, with a question a stretch', async () => {
    const source = sourceOf(lines, { pageLines: 5000 });
    const { lines: read, cut } = await readEvenly(source, parts, 100_000, new Ledger('x'), signal);
    expect(read).toHaveLength(lines.length);
    expect(cut).toBe(0);
    expect(source.asked).toHaveLength(12);
  });
});

describe('the fault-free time', () => {
  const startsAtMs = 3_600_000;
  const window = { fromMs: 0, toMs: 4_200_000, reference: { fromMs: 0, toMs: 3_000_000 } };
  const minutely = Array.from({ length: 70 }, (_, minute): LogLine => {
    const timeMs = minute * 60_000 + 1;
    const record = { timeMs, service: 's', level: '', message: `m ${minute}` };
    return { timeNs: BigInt(timeMs) * 1_000_000n, key: `${minute}`, record };
  });
  const isOther = ({ telling }: LineFilter) => telling === 'others';
  const gatherWhere = (fails: (filter: LineFilter) => boolean) => {
    const source = sourceOf(minutely, { pageLines: 100 });
    const readPage: LogSource['readPage'] = (filter, limit, until) => {
      if (filter.telling === 'errors') return Promise.resolve({ lines: [], notes: [] });
      const failure = { problem: 'It failed.', remedy: 'Look.', answered: true };
      return fails(filter)
        ? Promise.reject(new BackendError('memory', failure, ''))
        : source.readPage(filter, limit, until);
    };
    const names = { service: ['service'], namespace: [], level: [], trace: [] };
    const services = () => Promise.resolve([{ value: 's', size: 70 }]);
    const options = { source: { ...source, readPage, countBy: services }, names, maxLines: 1000 };
    return gatherLogs(options, incidentOf({ service: 's' }, { startsAtMs }), window, signal);
  };
  const afterMs = (ms: number) => (filter: LineFilter) => isOther(filter) && filter.fromNs >= BigInt(ms) * 1_000_000n;

  test('is all that precedes the incident by ten minutes, and no line is on both sides', async () => {
    const { logs, reference, gaps } = await gatherWhere(() => false);
    expect(gaps).toEqual([]);
    expect(reference.logs).toHaveLength(50);
    expect(logs.map(({ message }) => message)).toEqual(minutely.slice(50).map(({ record }) => record.message));
  });

  test('what of it was not read is not compared with, and that is said', async () => {
    const { logs, reference, gaps } = await gatherWhere((filter) => isOther(filter) && filter.fromNs === 0n);
    expect(logs).toHaveLength(20);
    expect(reference.logs).toHaveLength(44);
    expect(gaps.map(({ message }) => message)).toContainEqual(
      expect.stringMatching(/^1 part of the window not read to.*not compared/),
    );
  });

  test('with nothing of the incident read whole there is nothing to compare', async () => {
    const { reference } = await gatherWhere(afterMs(2_700_000));
    expect(reference.logs).toEqual([]);
  });
});

describe('a line as a record', () => {
  const names = { service: ['app', 'job'], namespace: [], level: ['level'], trace: ['trace_id'] };
  test.each([
    [
      'fields in their order',
      'x',
      { job: 'j', app: 'a', level: 'warn', trace_id: 't' },
      { service: 'a', level: 'warn', traceId: 't' },
    ],
    ['an empty field is not set', 'x', { app: '', job: 'j' }, { service: 'j', level: '' }],
    ['nothing is known', 'x', {}, { service: 'unknown', level: '' }],
    [
      'a trace in the text',
      'failed traceId=0af7651916cd43dd8448eb211c80319c after',
      { app: 'a' },
      { service: 'a', level: '', traceId: '0af7651916cd43dd8448eb211c80319c' },
    ],
  ])('%s', (_, message, fields: Readonly<Record<string, string>>, expected) => {
    expect(toRecord(1_999_999n, message, names, (field) => fields[field])).toEqual({ timeMs: 1, message, ...expected });
  });
});
