import { describe, expect, test } from '@jest/globals';
import { Assembly, parcelsOf } from '../../../src/app/telemetry-parcels.ts';
import { NO_TELEMETRY, type Telemetry } from '../../../src/domain/telemetry.ts';
import { createRecordingProvider, readRecordedIncident } from '../../../src/providers/recording/index.ts';

const RECORDING = 'test/fixtures/recordings/payments-pool';

function sent(telemetry: Telemetry): Telemetry {
  const assembly = new Assembly();
  for (const parcel of parcelsOf(telemetry)) assembly.add(structuredClone(parcel));
  return assembly.finish();
}

describe('a telemetry in parcels', () => {
  test('arrives as it was, every list of it', async () => {
    const incident = await readRecordedIncident(RECORDING);
    const window = { fromMs: 0, toMs: Number.MAX_SAFE_INTEGER };
    const telemetry = await createRecordingProvider(RECORDING).gather(incident, window, new AbortController().signal);
    expect(telemetry.reference.logs.length * telemetry.spans.length * telemetry.events.length).toBeGreaterThan(0);
    expect(sent(telemetry)).toEqual(telemetry);
    expect(sent(NO_TELEMETRY)).toEqual(NO_TELEMETRY);
  });

  test('no parcel is large, however long the list', () => {
    const logs = Array.from({ length: 20_000 }, (_, i) => ({
      timeMs: i,
      service: 'cart',
      level: 'INFO',
      message: 'm'.repeat(i % 300),
    }));
    const sizes = [...parcelsOf({ ...NO_TELEMETRY, logs })].map((parcel) => JSON.stringify(parcel).length);
    expect(sizes.length).toBeGreaterThan(5);
    expect(Math.max(...sizes)).toBeLessThan(500_000);
  });

  test('a view of a large buffer does not take the buffer along', () => {
    const all = Float64Array.from({ length: 100_000 }, (_, i) => i);
    const view = { service: 'cart', metric: 'm', timesMs: all.subarray(0, 3), values: all.subarray(3, 6) };
    const [, parcel] = [...parcelsOf({ ...NO_TELEMETRY, series: [view] })];
    const { items } = parcel as { items: readonly (typeof view)[] };
    expect(items[0]).toEqual(view);
    expect(items[0]?.timesMs.buffer.byteLength).toBe(24);
  });
});
