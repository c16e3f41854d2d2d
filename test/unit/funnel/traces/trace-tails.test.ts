import { describe, expect, test } from '@jest/globals';
import type { Timing } from '../../../../src/funnel/traces/span-times.ts';
import { tailFact, tailsOf } from '../../../../src/funnel/traces/trace-tails.ts';

const timing = (seconds: number[]): Timing => ({
  caller: 'orders',
  service: 'payments',
  operation: 'charge',
  seconds,
  callsOut: false,
});
const calls = (count: number, slow: number, slowSeconds = 5) =>
  Array.from({ length: count }, (_, i) => (i < slow ? slowSeconds : 0.01 + (i % 10) / 1000));
const USUAL = calls(200, 0);
const tails = (now: number[], usual = USUAL) =>
  tailsOf('gap', new Map([['x', timing(now)]]), new Map([['x', timing(usual)]]));

describe('tailsOf', () => {
  test('a tenth of the calls that takes far longer than any usually does is told, with its size', () => {
    const [tail] = tails(calls(200, 20));
    expect(tail).toMatchObject({ slow: 20, calls: 200, slowSeconds: 5 });
    expect(tail && tailFact(tail).evidence.statement).toBe(
      'time lost between orders and payments (charge) in 20 of 200 calls: 5 s, usually at most 19 ms',
    );
  });

  test.each<[string, number[], number[]]>([
    ['a few outliers', calls(200, 4), USUAL],
    ['half of the calls, which the upper quartile shows', calls(200, 100), USUAL],
    ['slow calls that are usual', calls(200, 20), calls(200, 20)],
    ['calls slower by a trifle', calls(200, 20, 0.03), USUAL],
    ['too few calls to tell', calls(20, 5), USUAL],
    ['too few usual calls to tell', calls(200, 20), calls(20, 0)],
  ])('%s are no tail', (_name, now, usual) => expect(tails(now, usual)).toEqual([]));
});
