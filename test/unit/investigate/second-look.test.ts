import { describe, expect, test } from '@jest/globals';
import { NO_GUIDANCE } from '../../../src/agent/guidance.ts';
import { NO_TELEMETRY, type MetricSeries, type Telemetry } from '../../../src/domain/telemetry.ts';
import { distil } from '../../../src/funnel/distil.ts';
import type { Look } from '../../../src/domain/look.ts';
import { investigate } from '../../../src/investigate/investigate.ts';
import { takeLook } from '../../../src/investigate/take-look.ts';
import { hideAfter } from '../../../src/providers/hide-after.ts';
import {
  ANALYST_LIMITS,
  caseProvider,
  caseRedact,
  CONCLUSION,
  INCIDENT,
  SECRET,
  TRIGGER_MS,
} from '../../support/agent-case.ts';

const STEP_MS = 10_000;

/** Calm until `riseMs` after the alert, then `high`; ends five minutes after the alert. */
function rising(service: string, metric: string, high: number, riseMs: number): MetricSeries {
  const timesMs = Float64Array.from({ length: 150 }, (_, i) => TRIGGER_MS + 300_000 - (149 - i) * STEP_MS);
  const values = timesMs.map((timeMs, i) => (timeMs >= TRIGGER_MS + riseMs ? high : 0.1) * (1 + 0.02 * Math.sin(i)));
  return { service, metric, timesMs, values };
}

/** Checkout is slow from the start; that payments is, which it calls, shows a minute and a half later. */
const TELEMETRY: Telemetry = {
  ...NO_TELEMETRY,
  series: [
    rising('checkout', 'latency_p95_seconds', 2, -60_000),
    rising('payments', 'latency_p95_seconds', 2, 90_000),
    rising('payments', 'cpu_usage_ratio', 0.99, 90_000),
    rising('cart', 'latency_p95_seconds', 0.1, 0),
  ],
  topology: {
    services: ['checkout', 'payments', 'cart'],
    edges: [
      { from: 'checkout', to: 'payments' },
      { from: 'checkout', to: 'cart' },
    ],
  },
  logs: Array.from({ length: 40 }, (_, i) => ({
    timeMs: TRIGGER_MS + 90_000 + i * 1000,
    service: 'payments',
    level: 'ERROR',
    message: `worker starved, token ${SECRET}`,
  })),
  samplingMs: STEP_MS,
  rawCharacters: 10_000,
};

const investigateUntil = (untilMs: number, earlier?: Look) =>
  investigate(
    INCIDENT,
    {
      toolbox: { providers: [caseProvider()] },
      gather: () => Promise.resolve(hideAfter(TELEMETRY, TRIGGER_MS + untilMs)),
      distil: (incident, given, limits) => Promise.resolve(distil(incident, given, limits)),
      guide: () => Promise.resolve(NO_GUIDANCE),
      model: { off: 'none in this test' },
      limits: ANALYST_LIMITS,
      now: () => TRIGGER_MS + untilMs,
      redact: caseRedact,
      nonce: () => 'n',
    },
    new AbortController().signal,
    earlier,
  );

describe('a second look at an incident', () => {
  test('names the suspect that only later samples show, and cites the evidence', async () => {
    const first = await investigateUntil(30_000);
    expect(first.report.root_cause_service).toBe('checkout');
    expect(first.report.revision).toBeUndefined();

    const { report } = await investigateUntil(300_000, first.look);
    expect(report.root_cause_service).toBe('payments');
    const change = report.revision?.changes.find(({ what }) => what === 'root_cause_service');
    expect(change).toMatchObject({ from: 'checkout', to: 'payments' });
    expect(change?.statement).toContain('The leading suspect was checkout; now it is payments, since: ');
    expect(report.revision?.of).toMatchObject({ id: report.id, root_cause_service: 'checkout' });
    expect(report.revision?.of.seenUntil).toBe(new Date(TRIGGER_MS + 30_000).toISOString());
    const known = report.evidence.map(({ id }) => id);
    expect(change?.evidence.length).toBeGreaterThan(0);
    expect(known).toEqual(expect.arrayContaining([...(change?.evidence ?? [])]));
  });

  test('with the same samples it confirms the first', async () => {
    const first = await investigateUntil(300_000);
    const { report } = await investigateUntil(300_000, first.look);
    expect(report.revision?.changes).toEqual([]);
  });

  test('names are kept without secrets too, and a colour code hides none', () => {
    const hidden = `${SECRET.slice(0, 4)}\u001b[31m${SECRET.slice(4)}`;
    const service = `shard-${SECRET}`;
    const look = takeLook(
      {
        conclusion: { ...CONCLUSION, root_cause_service: service },
        ranking: {
          confidence: 0.9,
          confidenceReasons: [],
          suspects: [
            {
              service,
              score: 1,
              rootCauseType: 'database',
              reasons: [{ type: 'new-error', score: 1, statement: `says ${hidden}`, evidenceIds: ['L1'] }],
            },
          ],
        },
        reportId: 'rep_1',
        generatedAtMs: TRIGGER_MS,
        seenUntilMs: null,
      },
      caseRedact,
    );
    expect(JSON.stringify(look)).not.toMatch(new RegExp(`${SECRET}|${SECRET.slice(4)}`));
    expect(look.root_cause_service).toBe(look.suspects[0]?.service);
  });

  test('what is kept for it is plain JSON without secrets', async () => {
    const { look } = await investigateUntil(300_000);
    expect(JSON.parse(JSON.stringify(look))).toEqual(look);
    expect(JSON.stringify(look)).not.toContain(SECRET);
  });
});
