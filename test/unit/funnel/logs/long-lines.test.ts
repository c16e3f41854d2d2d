import { expect, test } from '@jest/globals';
import { messageStart } from '../../../../src/funnel/logs/line-header.ts';
import { LineReader } from '../../../../src/funnel/logs/line-skeleton.ts';

const SMALL = 4000;

/** CPU time, best of three: a shared machine must not fail the test, a quadratic pattern must. */
function cpuMs(work: () => unknown): number {
  const runs = [0, 1, 2].map(() => {
    const before = process.cpuUsage();
    work();
    const { user, system } = process.cpuUsage(before);
    return (user + system) / 1000;
  });
  return Math.min(...runs);
}

// Whoever can make a service log a line can make it this long.
test.each([
  '1',
  '1.',
  'a',
  'a.',
  '[',
  '[1',
  '[1 ',
  ' ',
  ': ',
  '-',
  '- ',
  '|',
  'a|',
  'INFO ',
  '"',
  '<',
  '{"a":',
  'a-1/',
  '(',
  '{',
  '=',
  'k=v ',
  'k="',
  "'",
  '\\',
  '{"a":{"b":"',
  '"GET /a ',
  '[1, ',
  'a.b(0x',
])('time grows with the length of a line, not with its square: %j without end', (unit) => {
  const of = (length: number) => `2026-11-20T10:00:00Z ${unit.repeat(Math.ceil(length / unit.length))}`;
  const reader = new LineReader();
  const read = (line: string) => () => {
    messageStart(line, line.length);
    reader.read(line);
  };
  const [small, large] = [of(SMALL), of(8 * SMALL)];
  cpuMs(read(small));
  // A quadratic pattern takes 64 times as long. The slack covers the clock's grain and the garbage collector.
  expect(cpuMs(read(large))).toBeLessThan(24 * cpuMs(read(small)) + 10);
});
