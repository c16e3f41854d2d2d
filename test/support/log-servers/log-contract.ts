import { describe, expect, test } from '@jest/globals';
import type { TelemetryProvider } from '../../../src/domain/provider.ts';
import type { LogRecord } from '../../../src/domain/telemetry.ts';
import { incidentOf } from '../incidents.ts';
import {
  EVIL_SERVICE,
  HARD_TEXTS,
  LARGE,
  LARGE_MINUTES,
  LARGE_MS,
  MANY,
  MANY_MS,
  SMALL,
  SMALL_MS,
  TIED,
  TIED_MS,
} from './fixture.ts';

/** A kind of server, loaded with `ALL_LINES`. */
export interface LogSubject {
  readonly provider: (options?: { readonly maxLines?: number }) => TelemetryProvider;
  /** False where lines have neither level nor trace. */
  readonly hasLevels: boolean;
}

const signal = () => AbortSignal.timeout(60_000);
const messages = (records: readonly LogRecord[]) => records.map(({ message }) => message);
const smallWindow = { fromMs: SMALL_MS - 60_000, toMs: SMALL_MS + 60_000 };

/** The same lines in every server, and the same answers from it. */
export function describeLogContract(subject: () => LogSubject): void {
  const query = (
    asked: { readonly service?: string; readonly contains?: string; readonly limit?: number },
    window = smallWindow,
  ) =>
    subject()
      .provider()
      .queryLogs?.({ ...window, limit: 100, ...asked }, signal()) ?? Promise.reject(new Error('no queryLogs'));

  describe('queryLogs', () => {
    test('gives the lines from the first to the last millisecond of the window, oldest first', async () => {
      const edges = { fromMs: SMALL_MS + 1000, toMs: SMALL_MS + 3000 };
      const { items, note } = await query({}, edges);
      expect(messages(items)).toEqual(HARD_TEXTS.slice(1, 4));
      expect(items.map(({ timeMs }) => timeMs)).toEqual([1, 2, 3].map((second) => SMALL_MS + second * 1000));
      expect(note).toBeUndefined();
    });

    test('a line carries its service, and its level and trace where the server has them', async () => {
      const { items } = await query({ service: 'payments', contains: 'exhausted' });
      const own = { service: 'payments', message: 'connection pool exhausted', timeMs: SMALL_MS + 20_000 };
      expect(items).toEqual([
        subject().hasLevels
          ? { ...own, level: 'error', traceId: '4bf92f3577b34da6a3ce929d0e0e4736' }
          : { ...own, level: '' },
      ]);
    });

    test('an id of a trace in the text of a line is read', async () => {
      const { items } = await query({ contains: 'nested' });
      expect(items[0]?.traceId).toBe('0af7651916cd43dd8448eb211c80319c');
    });

    test.each([
      ['"quoted words"', 1],
      [String.raw`C:\dir\file`, 2],
      ['a.*b(c)[d]{e}|f^g$h+i?', 3],
      ['über DIE brücke, 東京', 4],
      ['🔥', 4],
      [String.raw`\"json\"`, 5],
      ["`backtick` and a 'quote' and 100% of _it_ $", 6],
      ['tab\there and <B>', 7],
      ['lain text of a lin', 0],
    ])('contains %j finds exactly the line with this text, whatever the case', async (contains, place) => {
      expect(messages((await query({ contains })).items)).toEqual([HARD_TEXTS[place]]);
    });

    test.each(['a.b', 'no such text', '"} |~ ".+', '") or _msg:~("', '**', '?'.repeat(3)])(
      'contains %j is only text: it finds nothing, and says so',
      async (contains) => {
        const { items, note } = await query({ service: 'checkout', contains });
        expect(items).toEqual([]);
        expect(note).toMatch(/no line matches in this window/);
      },
    );

    test('a service whose name is written like a query is just a name', async () => {
      const { items } = await query({ service: EVIL_SERVICE });
      expect(messages(items)).toEqual(['a service with a name']);
    });

    test('a service that is not there: its neighbours are named', async () => {
      const { items, note } = await query({ service: 'paymnts' });
      expect(items).toEqual([]);
      expect(note).toMatch(/no service in this window is called paymnts; there are: checkout.*payments/);
    });

    test('a pattern asks for several services, whatever the case', async () => {
      const { items } = await query({ service: 'PAY*' });
      expect(new Set(items.map(({ service }) => service))).toEqual(new Set(['payments']));
    });

    test('a pattern for many services finds these and no other', async () => {
      const { items } = await query({ service: 's*' }, { fromMs: MANY_MS, toMs: MANY_MS + 1000 });
      expect(items.map(({ service }) => service)).toEqual(
        MANY.map(({ service }) => service).filter((name) => name !== 'xs1'),
      );
    });

    test('of too many lines those that tell of errors are kept, and the last', async () => {
      const window = { fromMs: LARGE_MS, toMs: LARGE_MS + 10 * 60_000 };
      const { items, note } = await query({ limit: 60 }, window);
      expect(items).toHaveLength(60);
      expect(items.filter(({ service }) => service === 'database').length).toBe(30);
      expect(items.at(-1)?.timeMs).toBeGreaterThan(LARGE_MS + 9 * 60_000);
      expect(note).toMatch(/more lines than 60: all 30|more lines than 60: the last 30 of more that tell of errors/);
      expect([...items].sort((a, b) => a.timeMs - b.timeMs)).toEqual(items);
    });

    test('a time without lines: nothing, with a note', async () => {
      const empty = { fromMs: SMALL_MS - 7_200_000, toMs: SMALL_MS - 3_600_000 };
      expect(await query({}, empty)).toMatchObject({ items: [], note: expect.stringMatching(/no line matches/) });
    });
  });

  describe('gathering', () => {
    test('gives all of the namespace of the alert, and the fault-free part apart', async () => {
      const startsAtMs = SMALL_MS + 20_000;
      const incident = incidentOf({ service: 'checkout', namespace: 'shop' }, { startsAtMs });
      const window = { ...smallWindow, reference: { fromMs: smallWindow.fromMs, toMs: SMALL_MS + 5000 } };
      const { logs, reference, gaps, rawCharacters } = await subject().provider().gather(incident, window, signal());
      expect(messages(reference.logs)).toEqual(HARD_TEXTS.slice(0, 5));
      expect(messages(logs)).toEqual(SMALL.slice(5).map(({ message }) => message));
      expect(gaps).toEqual([]);
      expect(rawCharacters).toBeGreaterThan(500);
    });

    test('lines beyond one page and many of one time: none is lost and none doubled', async () => {
      const incident = incidentOf({ service: 'left', namespace: 'tied' }, { startsAtMs: TIED_MS });
      const window = { fromMs: TIED_MS - 1_800_000, toMs: TIED_MS + 1_800_000 };
      const { logs, gaps } = await subject().provider().gather(incident, window, signal());
      expect(gaps).toEqual([]);
      expect(messages(logs).sort()).toEqual(TIED.map(({ message }) => message).sort());
      expect(logs.map(({ timeMs }) => timeMs)).toEqual(TIED.map(({ timeNs }) => Number(timeNs / 1_000_000n)));
    });

    test('fifty thousand lines are cut evenly over time and services, and the errors are kept', async () => {
      const incident = incidentOf({ service: 'gateway', namespace: 'large' }, { startsAtMs: LARGE_MS + 3_000_000 });
      const window = { fromMs: LARGE_MS, toMs: LARGE_MS + LARGE_MINUTES * 60_000 };
      const { logs, gaps } = await subject().provider({ maxLines: 3000 }).gather(incident, window, signal());
      expect(logs.length).toBeGreaterThan(2000);
      expect(logs.length).toBeLessThanOrEqual(3600);
      const count = (service: string) => logs.filter((log) => log.service === service).length;
      const written = (service: string) => LARGE.filter((line) => line.service === service).length;
      expect(count('database')).toBe(written('database'));
      expect(count('scheduler')).toBe(written('scheduler'));
      const perTenth = Array.from({ length: 10 }, () => 0);
      for (const { timeMs, service } of logs)
        if (service === 'gateway') perTenth[Math.floor((timeMs - LARGE_MS) / 360_000)]! += 1;
      expect(Math.min(...perTenth)).toBeGreaterThan(Math.max(...perTenth) / 4);
      expect(gaps.map(({ message }) => message)).toEqual([expect.stringMatching(/kept \d+.* raise LOGS_MAX_LINES/)]);
    });

    test('an alerting service without lines is told, with those that there are', async () => {
      const incident = incidentOf({ service: 'nowhere', namespace: 'shop' }, { startsAtMs: SMALL_MS });
      const { gaps, logs } = await subject().provider().gather(incident, smallWindow, signal());
      expect(logs).toHaveLength(SMALL.length);
      expect(gaps[0]?.message).toMatch(/no line is of the alerting service nowhere \(there are .*checkout/);
    });

    test.each([
      { exported_namespace: 'shop', namespace: 'many' },
      { exported_namespace: 'nobody', namespace: 'shop' },
    ])('%j: of the namespace that an exporter tells of; of its own where nobody writes in that', async (labels) => {
      const incident = incidentOf({ service: 'payments', ...labels }, { startsAtMs: SMALL_MS });
      const both = { fromMs: smallWindow.fromMs, toMs: MANY_MS + 60_000 };
      const { logs } = await subject().provider().gather(incident, both, signal());
      expect(messages(logs)).toEqual(SMALL.map(({ message }) => message));
    });

    test('an unknown namespace: everything is read', async () => {
      const incident = incidentOf({ service: 'payments', namespace: 'elsewhere"}' }, { startsAtMs: SMALL_MS });
      const { logs } = await subject().provider().gather(incident, smallWindow, signal());
      expect(logs).toHaveLength(SMALL.length);
    });

    test('the same question has the same answer', async () => {
      const incident = incidentOf({ service: 'payments' }, { startsAtMs: SMALL_MS });
      const ask = () => subject().provider().gather(incident, smallWindow, signal());
      expect(await ask()).toEqual(await ask());
    });
  });
}
