import { describe, expect, test } from '@jest/globals';
import { NO_GUIDANCE } from '../../../src/agent/guidance.ts';
import { NO_TELEMETRY, type Telemetry } from '../../../src/domain/telemetry.ts';
import type { TelemetryProvider } from '../../../src/domain/provider.ts';
import { distil } from '../../../src/funnel/distil.ts';
import { investigate } from '../../../src/investigate/investigate.ts';
import { ANALYST_LIMITS, caseProvider, INCIDENT, series, TRIGGER_MS } from '../../support/agent-case.ts';

async function reportOn(
  telemetry: Telemetry,
  providers: readonly TelemetryProvider[] = [caseProvider()],
  now = () => TRIGGER_MS,
) {
  const { report, session } = await investigate(
    INCIDENT,
    {
      toolbox: { providers },
      gather: () => Promise.resolve(telemetry),
      distil: (incident, given, limits) => Promise.resolve(distil(incident, given, limits)),
      guide: () => Promise.resolve(NO_GUIDANCE),
      model: { off: 'none in this test' },
      limits: ANALYST_LIMITS,
      now,
      redact: (text) => text,
      nonce: () => 'n',
    },
    new AbortController().signal,
  );
  return { report, session };
}

describe('what a report does not know', () => {
  test('kinds without any source are one gap, once, in the report and in the brief', async () => {
    const rises = series('checkout', 'latency_p95_seconds', [0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 2, 2, 2]);
    const { report, session } = await reportOn({ ...NO_TELEMETRY, series: [rises], rawCharacters: 500 });
    const gap = 'telemetry: no source of logs, events, changes, traces is configured, or it held none';
    expect(report.gaps.filter((text) => text === gap)).toHaveLength(1);
    expect(session.brief).toContain(gap);
  });

  test('a provider that failed says so itself, and nothing is added', async () => {
    const gaps = [{ source: 'prometheus', message: 'nothing could be read. Connection refused.' }];
    const { report } = await reportOn({ ...NO_TELEMETRY, gaps });
    expect(report.gaps.map((gap) => gap.split(':')[0])).toEqual(['prometheus', 'no model']);
  });

  test('a provider that has nothing for the alert says so, and not that none is configured', async () => {
    const message = '12 queries for metrics were answered, none had data for service=checkout: compare its labels.';
    const { report } = await reportOn({ ...NO_TELEMETRY, gaps: [{ source: 'prometheus', message }] });
    expect(report.summary).toContain(`Missing: prometheus: ${message}`);
    expect(JSON.stringify(report)).not.toContain('is configured, or it held none');
  });

  test('metrics of another time are told as that, and not as a source that is missing', async () => {
    const past = series('checkout', 'latency_p95_seconds', [0.1, 0.1, 0.2]);
    const old = { ...past, timesMs: past.timesMs.map((ms) => ms - 7 * 86_400_000) };
    const { report } = await reportOn({ ...NO_TELEMETRY, series: [old], rawCharacters: 500 });
    expect(report.gaps).toContain('telemetry: of 1 series of metrics none has a sample near the alert');
    expect(report.gaps.join()).not.toMatch(/no source of metrics/);
  });

  test('no provider at all is said plainly, with what to set', async () => {
    const { report } = await reportOn(NO_TELEMETRY, []);
    expect(report.status).toBe('inconclusive');
    expect(report.gaps[0]).toBe('telemetry: no telemetry provider is configured: set PROMETHEUS_URL');
    expect(report.summary).toBe('Not determined: no telemetry provider is configured: set PROMETHEUS_URL.');
  });

  test('a clock that is set back meanwhile makes no report impossible', async () => {
    let nowMs = TRIGGER_MS;
    const { report } = await reportOn(NO_TELEMETRY, [caseProvider()], () => (nowMs -= 1000));
    expect(report.usage).toMatchObject({ duration_ms: 0, stages: { gather: 0, distil: 0, analyst: 0 } });
  });
});
