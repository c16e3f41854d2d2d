import { describe, expect, test } from '@jest/globals';
import { investigateOnce } from '../../../src/app/investigate-once.ts';
import { parseConfig } from '../../../src/config/load-config.ts';

const RECORDING = 'test/fixtures/recordings/payments-pool';

const look = (over: { readonly untilS?: number; readonly secondLookS?: number }, onProgress = (_line: string) => {}) =>
  investigateOnce(parseConfig({}), {
    recording: RECORDING,
    offline: true,
    onProgress,
    signal: new AbortController().signal,
    ...over,
  });

describe('one investigation of a recording', () => {
  test('as it stood so long after the alert: the report says so', async () => {
    const { report, sawTelemetry } = await look({ untilS: 30 });
    expect(sawTelemetry).toBe(true);
    expect(report.gaps).toContainEqual(expect.stringContaining('read as of 30 s after the alert'));
    expect(report.revision).toBeUndefined();
  });

  test('and once more, later: the second report says what has changed since the first', async () => {
    const progress: string[] = [];
    const { report } = await look({ untilS: 30, secondLookS: 300 }, (line) => void progress.push(line));
    expect(report.gaps).toContainEqual(expect.stringContaining('read as of 5 min after the alert'));
    expect(report.revision?.of).toMatchObject({ id: report.id, seenUntil: '2026-01-01T10:00:30.000Z' });
    expect(report.revision?.changes).toEqual([]);
    expect(progress).toContain('look 2   300 s after the alert');
  });

  test('with less log than there is: the report says what was left out', async () => {
    const { report } = await investigateOnce(
      parseConfig({ MAX_LOG_LINES: '1000', MAX_SPANS: '1000', MAX_SERIES: '10' }),
      {
        recording: RECORDING,
        offline: true,
        onProgress: () => undefined,
        signal: new AbortController().signal,
      },
    );
    expect(report.gaps).toContainEqual('telemetry: kept 10 of 16 series, those nearest to the alert');
  });
});
