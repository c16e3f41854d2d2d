import { expect, test } from '@jest/globals';
import { createBoundedDistil } from '../../../src/app/distil-bounded.ts';
import { FunnelMemoryError } from '../../../src/app/distil-in-thread.ts';
import { NO_TELEMETRY, type Telemetry } from '../../../src/domain/telemetry.ts';
import { distil } from '../../../src/funnel/distil.ts';
import { INCIDENT, logLines } from '../../support/agent-case.ts';

const OPTIONS = { tokenBudget: 2000, eventWindowMs: 300_000 };
const TELEMETRY: Telemetry = {
  ...NO_TELEMETRY,
  logs: logLines(
    'payments',
    Array.from({ length: 1600 }, (_, i) => `request ${i} served`),
  ),
};

/** A thread that has room for so many log lines, and the number of lines of every try. */
function roomFor(lines: number) {
  const tries: number[] = [];
  const bounded = createBoundedDistil(64, async (incident, telemetry, options) => {
    tries.push(telemetry.logs.length);
    if (telemetry.logs.length > lines) throw new FunnelMemoryError('too much');
    return distil(incident, telemetry, options);
  });
  return { tries, run: () => bounded(INCIDENT, TELEMETRY, OPTIONS, new AbortController().signal) };
}

test('what fits is looked at once, whole', async () => {
  const { tries, run } = roomFor(1600);
  await run();
  expect(tries).toEqual([1600]);
});

test('what does not fit by far is thinned more and more, until it does; the brief says so once', async () => {
  const { tries, run } = roomFor(100);
  const { gaps } = await run();
  expect(tries).toHaveLength(3);
  expect(tries.at(-1)).toBeGreaterThan(20);
  const said = gaps.map(({ message }) => message).filter((message) => /does not fit|^kept/.test(message));
  expect(said).toEqual([
    expect.stringContaining('what was read does not fit into the 64 MB of the funnel'),
    `kept ${tries.at(-1)} of 1600 log lines, evenly spread`,
  ]);
});

test('what never fits ends after four tries, and the brief says that nothing was looked at', async () => {
  const { tries, run } = roomFor(0);
  const { gaps } = await run();
  expect(tries).toHaveLength(4);
  expect(gaps.map(({ message }) => message)).toContainEqual(expect.stringContaining('nothing was looked at'));
});

test('another error than that of memory is no reason to try again', async () => {
  let tries = 0;
  const bounded = createBoundedDistil(64, () => {
    tries += 1;
    return Promise.reject(new Error('a bug'));
  });
  await expect(bounded(INCIDENT, TELEMETRY, OPTIONS, new AbortController().signal)).rejects.toThrow('a bug');
  expect(tries).toBe(1);
});
