import { expect, test } from '@jest/globals';
import { keepRunning } from '../../../src/platform/keep-running.ts';
import type { TetheredChild } from '../../../src/platform/tethered-child.ts';

/** A child that ends when told to. */
function fakeChild() {
  let end: (code: number) => void = () => undefined;
  const ended = new Promise<number>((resolve) => {
    end = resolve;
  });
  const child: TetheredChild = {
    ended,
    exitCode: () => undefined,
    output: () => 'last words',
    stop: async () => end(0),
  };
  return { child, end };
}

test('a child that keeps ending is started five times and then given up, with its last words', async () => {
  const log: string[] = [];
  let starts = 0;
  const first = fakeChild();
  first.end(1);
  const kept = keepRunning({
    first: first.child,
    start: async () => {
      starts += 1;
      const next = fakeChild();
      next.end(1);
      return next.child;
    },
    name: 'redis',
    log: (line) => log.push(line),
  });
  while (!log.some((line) => line.includes('stays down'))) await new Promise((resolve) => setTimeout(resolve, 20));
  expect(starts).toBe(5);
  expect(log.at(-1)).toContain('last words');
  await kept.stop(0);
});

test('a child that is stopped is not started again', async () => {
  let starts = 0;
  const first = fakeChild();
  const start = async () => {
    starts += 1;
    return fakeChild().child;
  };
  await keepRunning({ first: first.child, start, name: 'redis', log: () => undefined }).stop(0);
  expect(starts).toBe(0);
});
