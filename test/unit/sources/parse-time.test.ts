import { expect, test } from '@jest/globals';
import * as fc from 'fast-check';
import { parseTime } from '../../../src/sources/parse-time.ts';

const AT = Date.UTC(2026, 10, 3, 7, 21, 45, 120);

test.each([
  ['2026-11-03T07:21:45.120Z', AT],
  ['2026-11-03T07:21:45.120999999Z', AT],
  ['2026-11-03T12:51:45.120+05:30', AT],
  ['2026-11-03T07:21:45.120+0000', AT],
  ['2026-11-03T02:21:45.120-0500', AT],
  ['2026-11-03T07:21:45.120', AT],
  ['2026-11-03 07:21:45.120', AT],
  [' 2026-11-03T07:21:45.120Z ', AT],
  [AT, AT],
  [AT / 1000, AT],
  [String(AT), AT],
  ['1793690505.120', AT],
  [AT * 1000, AT],
  [`${AT}000000`, AT],
  ['0001-01-01T00:00:00Z', undefined],
  ['1999-12-31T23:59:59Z', undefined],
  ['2100-01-01T00:00:00Z', undefined],
  ['2026-13-03T07:21:45Z', undefined],
  ['yesterday', undefined],
  ['', undefined],
  [0, undefined],
  [-1, undefined],
  [NaN, undefined],
  [Infinity, undefined],
  [null, undefined],
  [{}, undefined],
])('%j is %j', (value, expected) => {
  expect(parseTime(value)).toBe(expected);
});

test('every time of our age is read back from seconds, milliseconds and RFC 3339', () => {
  fc.assert(
    fc.property(fc.integer({ min: Date.UTC(2001, 0), max: Date.UTC(2099, 0) }), (timeMs) => {
      expect(parseTime(timeMs)).toBe(timeMs);
      expect(parseTime(new Date(timeMs).toISOString())).toBe(timeMs);
      expect(parseTime(Math.floor(timeMs / 1000))).toBe(Math.floor(timeMs / 1000) * 1000);
    }),
  );
});
