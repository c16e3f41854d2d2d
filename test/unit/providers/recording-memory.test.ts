import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { loadRecording } from '../../../src/providers/recording/load-recording.ts';

let directory = '';
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'rootnote-memory-'));
});
afterAll(() => rm(directory, { recursive: true }));

/** Heap in use after a collection, MB. */
function heapMb(): number {
  setFlagsFromString('--expose-gc');
  (runInNewContext('gc') as () => void)();
  return process.memoryUsage().heapUsed / 1e6;
}

const id = (i: number) => i.toString(16).padStart(32, '0');

test('what is kept of a large recording does not hold on to the text it was cut from', async () => {
  const rows = Array.from(
    { length: 100_000 },
    (_, i) =>
      `${1_764_460_000_000_000 + i},${id(i >> 2)},${id(i)},,service-with-a-long-name,operation-with-a-long-name,5`,
  );
  const header = 'time_us,trace_id,span_id,parent_id,service,operation,duration_us';
  await writeFile(join(directory, 'traces.csv'), [header, ...rows].join('\n'));
  const samples = Array.from({ length: 500 }, (_, name) =>
    Array.from(
      { length: 200 },
      (_unused, i) => `${1_764_460_000 + i},service-with-a-long-name,a-metric-of-number-${name},5`,
    ),
  );
  await writeFile(join(directory, 'metrics.csv'), ['time,service,metric,value', ...samples.flat()].join('\n'));
  rows.length = 0;
  samples.length = 0;

  const before = heapMb();
  const { telemetry } = await loadRecording(directory, undefined, { logLines: 1000, spans: 1000 });
  const grownMb = heapMb() - before;
  expect(telemetry.spans.length).toBeGreaterThan(300);
  expect(telemetry.series).toHaveLength(500);
  // The files hold 20 MB, what is kept of them less than one.
  expect(grownMb).toBeLessThan(5);
});
