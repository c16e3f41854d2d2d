import { fileURLToPath } from 'node:url';
import { afterEach, describe, expect, test } from '@jest/globals';
import type { distilInThread as Distil } from '../../src/app/distil-in-thread.ts';
import { NO_TELEMETRY, type Telemetry } from '../../src/domain/telemetry.ts';
import { distil } from '../../src/funnel/distil.ts';
import { INCIDENT, logLines, series } from '../support/agent-case.ts';
import { runRootnote, stopRootnotes } from '../support/rootnote-process.ts';

const OPTIONS = { tokenBudget: 2000, eventWindowMs: 300_000 };
const TELEMETRY: Telemetry = {
  ...NO_TELEMETRY,
  series: [
    series('payments', 'connections_in_use', [
      ...Array.from({ length: 40 }, (_, i) => 4 + (i % 3) / 10),
      48,
      50,
      50,
      50,
    ]),
  ],
  logs: logLines(
    'payments',
    Array.from({ length: 20 }, (_, i) => `pool exhausted after ${i} ms`),
  ),
  topology: { services: ['checkout', 'payments'], edges: [{ from: 'checkout', to: 'payments' }] },
};

/** A thread needs a file that Node can run: the built one, made by whichever command comes first. */
async function built(): Promise<typeof Distil> {
  expect((await runRootnote(['--version'])).code).toBe(0);
  const file = fileURLToPath(new URL('../../dist/src/app/distil-in-thread.js', import.meta.url));
  return ((await import(file)) as { distilInThread: typeof Distil }).distilInThread;
}

afterEach(stopRootnotes);

describe('the funnel in a thread', () => {
  test('gives the same brief as inline', async () => {
    const distilInThread = await built();
    const brief = await distilInThread(INCIDENT, TELEMETRY, OPTIONS, new AbortController().signal);
    expect(brief).toEqual(distil(INCIDENT, TELEMETRY, OPTIONS));
  });

  test('ends with the signal, and says why', async () => {
    const distilInThread = await built();
    const stop = new AbortController();
    // It settles only when the thread is gone.
    const running = distilInThread(INCIDENT, TELEMETRY, OPTIONS, stop.signal);
    stop.abort(new Error('the worker stops'));
    await expect(running).rejects.toThrow('the worker stops');
    await expect(distilInThread(INCIDENT, TELEMETRY, OPTIONS, stop.signal)).rejects.toThrow('the worker stops');
  });

  test('what the funnel throws is thrown here', async () => {
    const distilInThread = await built();
    const broken = { ...TELEMETRY, logs: null } as unknown as Telemetry;
    await expect(distilInThread(INCIDENT, broken, OPTIONS, new AbortController().signal)).rejects.toThrow(
      /null|iterable/,
    );
  });
});
