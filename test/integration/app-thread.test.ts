import { fileURLToPath } from 'node:url';
import { afterEach, describe, expect, test } from '@jest/globals';
import type { createBoundedDistil as CreateBounded } from '../../src/app/distil-bounded.ts';
import type { distilInThread as Distil } from '../../src/app/distil-in-thread.ts';
import { NO_TELEMETRY, type Telemetry } from '../../src/domain/telemetry.ts';
import { distil } from '../../src/funnel/distil.ts';
import { INCIDENT, logLines, series, TRIGGER_MS } from '../support/agent-case.ts';
import { runRootnote, stopRootnotes } from '../support/rootnote-process.ts';

const HEAP_MB = 512;
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
async function importBuilt(name: string): Promise<unknown> {
  expect((await runRootnote(['--version'])).code).toBe(0);
  return import(fileURLToPath(new URL(`../../dist/src/app/${name}.js`, import.meta.url)));
}
const built = async () => ((await importBuilt('distil-in-thread')) as { distilInThread: typeof Distil }).distilInThread;
const builtBounded = async () =>
  ((await importBuilt('distil-bounded')) as { createBoundedDistil: typeof CreateBounded }).createBoundedDistil;

/** Records that take much memory, one error the last of them. */
const lines = (count: number) =>
  Array.from({ length: count }, (_, i) => ({
    timeMs: TRIGGER_MS - 200_000 + i / 4,
    service: 'payments',
    level: i === count - 1 ? 'ERROR' : 'INFO',
    message: i === count - 1 ? 'pool exhausted' : `request ${i} of user ${i * 7} took ${i % 97} ms at shard ${i % 64}`,
  }));

afterEach(stopRootnotes);

describe('the funnel in a thread', () => {
  test('gives the same brief as inline', async () => {
    const distilInThread = await built();
    const brief = await distilInThread(INCIDENT, TELEMETRY, OPTIONS, new AbortController().signal, HEAP_MB);
    expect(brief).toEqual(distil(INCIDENT, TELEMETRY, OPTIONS));
  });

  test('ends with the signal, and says why', async () => {
    const distilInThread = await built();
    const stop = new AbortController();
    // It settles only when the thread is gone.
    const running = distilInThread(INCIDENT, TELEMETRY, OPTIONS, stop.signal, HEAP_MB);
    stop.abort(new Error('the worker stops'));
    await expect(running).rejects.toThrow('the worker stops');
    await expect(distilInThread(INCIDENT, TELEMETRY, OPTIONS, stop.signal, HEAP_MB)).rejects.toThrow(
      'the worker stops',
    );
  });

  test('what the funnel throws is thrown here', async () => {
    const distilInThread = await built();
    const broken = { ...TELEMETRY, logs: null } as unknown as Telemetry;
    await expect(distilInThread(INCIDENT, broken, OPTIONS, new AbortController().signal, HEAP_MB)).rejects.toThrow(
      /null|iterable/,
    );
  });
});

describe('the funnel within its memory', () => {
  test('what does not fit is thinned: the brief says so, and the process lives on', async () => {
    const distilBounded = (await builtBounded())(72);
    const telemetry = { ...TELEMETRY, logs: lines(500_000) };
    const brief = await distilBounded(INCIDENT, telemetry, OPTIONS, new AbortController().signal);
    const gaps = brief.gaps.map(({ message }) => message);
    expect(gaps).toContainEqual(
      'what was read does not fit into the 72 MB of the funnel, so a part of it is looked at; raise FUNNEL_MEMORY_MB',
    );
    expect(gaps).toContainEqual(
      expect.stringMatching(/^kept \d+ of 500000 log lines, evenly spread: 1 of 1 that tell of errors, /),
    );
    expect(brief.text).toContain('pool exhausted');
    expect(brief.ranking.suspects[0]?.service).toBe('payments');
  });

  test('what does not fit even then is a brief without findings, and with the reason', async () => {
    const distilBounded = (await builtBounded())(8);
    const brief = await distilBounded(INCIDENT, TELEMETRY, OPTIONS, new AbortController().signal);
    expect(brief.gaps.map(({ message }) => message)).toEqual([
      'the funnel needs more than 8 MB for what was read, even for a part of it: nothing was looked at; raise FUNNEL_MEMORY_MB',
    ]);
    expect(brief.evidence.filter(({ kind }) => kind === 'log')).toEqual([]);
  });
});
