import { describe, expect, test } from '@jest/globals';
import { NO_GUIDANCE } from '../../../src/agent/guidance.ts';
import { planCheck } from '../../../src/app/plan-check.ts';
import type { CheckOutcome, Job } from '../../../src/domain/check.ts';
import { Probe } from '../../../src/domain/probe.ts';
import type { TelemetryProvider } from '../../../src/domain/provider.ts';
import { NO_TELEMETRY } from '../../../src/domain/telemetry.ts';
import { distil } from '../../../src/funnel/distil.ts';
import { investigate } from '../../../src/investigate/investigate.ts';
import type { InvestigationParts } from '../../../src/investigate/run.ts';
import { gapsOfIncident } from '../../../src/investigate/tell-incident.ts';
import { checkIncident } from '../../../src/schedule/scheduler.ts';
import { ANALYST_LIMITS, caseProvider, CONCLUSION, series, TRIGGER_MS } from '../../support/agent-case.ts';
import { makeJob } from '../../support/check-jobs.ts';
import { scriptedModel, text } from '../../support/scripted-model.ts';

const LIMITS = { ...ANALYST_LIMITS, maxTurns: 4, maxTokens: 200_000, maxOutputTokens: 2000 };
const RISES = series('payments', 'latency_p95_seconds', [0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 2, 2, 2]);
const probe = (name: string, query: string) => Probe.parse({ kind: 'metric', name, query, above: 1, unit: 's' });
const SLOW = probe('slow', 'latency');
const AWAY = probe('away', 'broken');
const never = new AbortController().signal;

const PROBE_MS = 1500;

/** Answers `latency` with one value, and fails at `broken`. */
function providerWith(value: number, onAsked: () => void): TelemetryProvider {
  return {
    ...caseProvider(),
    queryObjects: () => Promise.resolve({ items: [], isWhole: true }),
    queryMetrics: ({ query }) => {
      onAsked();
      if (query === 'broken') return Promise.reject(new Error('the server is away'));
      const one = { ...RISES, timesMs: Float64Array.of(TRIGGER_MS - 1000), values: Float64Array.of(value), query };
      return Promise.resolve({ items: [one] });
    },
  };
}

async function runCheck(
  value: number,
  job: Partial<Job>,
  model: InvestigationParts['model'],
  earlier?: CheckOutcome,
  since?: readonly CheckOutcome[],
) {
  const gathered: string[] = [];
  const progress: string[] = [];
  let nowMs = TRIGGER_MS + 60_000;
  const usual: InvestigationParts = {
    toolbox: {
      providers: [providerWith(value, () => (nowMs += PROBE_MS))],
      skills: {
        catalogue: () => Promise.resolve([{ name: 'disk-full', description: 'a disk is full' }]),
        load: () => Promise.resolve('look'),
      },
    },
    gather: () => {
      gathered.push('telemetry');
      return Promise.resolve({ ...NO_TELEMETRY, series: [RISES], rawCharacters: 500 });
    },
    distil: (incident, given, limits) => Promise.resolve(distil(incident, given, limits)),
    guide: () => Promise.resolve(NO_GUIDANCE),
    model,
    limits: LIMITS,
    now: () => nowMs,
    redact: (value) => value,
    onProgress: (stage, said) => progress.push(...(stage === 'probe' ? [said] : [])),
    nonce: () => 'f00dcafe',
  };
  const tick = { job: makeJob({ probes: [SLOW], ...job }), lateMs: 0, unrun: [] };
  const incident = checkIncident(tick, TRIGGER_MS);
  const parts = await planCheck(incident, tick, usual, { earlier, since }, never);
  const { report } = await investigate(incident, parts, never);
  return { report, gathered, progress, asksModel: !('off' in parts.model), limits: parts.limits };
}

const concluding = () =>
  scriptedModel([{ blocks: [text(JSON.stringify({ ...CONCLUSION, evidence: ['M1'], causal_chain: [] }))] }]);
const OFF = { off: 'no key' };

describe('D5: a run of a check', () => {
  test('nothing found: healthy, nothing more is read and no model is asked', async () => {
    const { report, gathered, asksModel } = await runCheck(0.2, {}, scriptedModel([]));
    expect(report).toMatchObject({ status: 'healthy', root_cause_type: 'none', usage: { turns: 0 }, gaps: [] });
    expect([gathered, asksModel]).toEqual([[], false]);
    expect(report.usage).toMatchObject({ stages: { probe: PROBE_MS }, duration_ms: PROBE_MS });
    expect(report.check?.probes).toMatchObject([{ name: 'slow', status: 'clear', looked_at: 1 }]);
  });

  test('found: the agent reads what the probes found before anything else, within the budget of the check', async () => {
    const model = concluding();
    const { report, limits } = await runCheck(3, { budget: { turns: 2 }, skills: ['disk-full'] }, model);
    model.assertDone();
    const opening = JSON.stringify(model.requests[0]);
    expect(limits.maxTurns).toBe(2);
    expect(opening).toContain('What the probes of this check found');
    expect(opening).toMatch(/warning, probe slow: .* is 3 s, limit 1 s/);
    expect(opening).toContain('disk-full');
    expect(report).toMatchObject({ mode: 'agent', check: { findings: [{ probe: 'slow', value: '3 s' }] } });
    expect(report.evidence.map(({ id }) => id)).toContain(report.check?.findings[0]?.evidence);
  });

  test('the file of a check lowers what the settings allow, and never raises it', async () => {
    const lower = await runCheck(0.2, { budget: { turns: 2, costUsd: 0.5, minutes: 1 } }, OFF);
    expect(lower.limits).toMatchObject({ maxTurns: 2, maxCostUsd: 0.5, timeoutMs: Math.min(60_000, LIMITS.timeoutMs) });
    const higher = await runCheck(0.2, { budget: { turns: 99, minutes: 60 } }, OFF);
    expect(higher.limits).toMatchObject({ maxTurns: LIMITS.maxTurns, timeoutMs: LIMITS.timeoutMs });
  });

  test('found, without a model: the analyst tells the cause and the findings, and the gap says that there was none', async () => {
    const { report, progress } = await runCheck(3, { probes: [SLOW, AWAY] }, OFF);
    expect([report.mode, progress]).toEqual(['analyst', ['1 of 2 probes found 1 thing, 1 had no answer']]);
    expect(report.summary).toMatch(/^payments is the likely root cause .*\. 1 finding: .* is 3 s, limit 1 s/);
    expect(report.gaps.join()).toContain('no model: no key');
  });

  test('`model: never` asks none, and misses none', async () => {
    const { report, asksModel } = await runCheck(3, { model: 'never' }, scriptedModel([]));
    expect([report.mode, asksModel, report.gaps.join()]).toEqual([
      'analyst',
      false,
      expect.not.stringContaining('model'),
    ]);
  });

  test('`model: always` asks although nothing was found, having read all there is', async () => {
    const model = concluding();
    const { gathered } = await runCheck(0.2, { model: 'always' }, model);
    model.assertDone();
    expect(gathered).toEqual(['telemetry']);
  });

  test('a probe without an answer is a gap of a healthy report; without any answer nothing is healthy', async () => {
    const partly = await runCheck(0.2, { probes: [SLOW, AWAY] }, OFF);
    expect(partly.report).toMatchObject({ status: 'healthy', confidence: 0.45 });
    expect(partly.report.gaps).toEqual([expect.stringMatching(/^probe: away: no answer, .*the server is away/)]);
    expect(partly.report.summary).toMatch(
      /^All clear: nothing found by 1 of 2 probes in 1 series .* No answer from away\.$/,
    );
    const mostly = await runCheck(0.2, { probes: [SLOW, AWAY, { ...AWAY, name: 'gone' }] }, OFF);
    expect(mostly.report).toMatchObject({ status: 'inconclusive', confidence: 0, root_cause_type: 'unknown' });
    expect(mostly.report.summary).toMatch(/^Too little could be looked at: no answer to 2 of 3 probes \(.*is away\)/);
    expect([partly.progress, mostly.progress]).toEqual([
      ['1 of 2 probes found nothing, 1 had no answer'],
      ['1 of 3 probes found nothing, 2 had no answer'],
    ]);
    const claims = Probe.parse({ kind: 'objects', name: 'claims', state: 'claim-unbound' });
    const none = await runCheck(0.2, { probes: [claims, AWAY] }, OFF);
    expect(none.report.summary).toMatch(/^Nothing was looked at: there is nothing of what 1 of 2 probes look for\./);
    const blind = await runCheck(0.2, { probes: [AWAY] }, OFF);
    expect(blind.progress).toEqual(['1 probe had no answer']);
    expect(blind.report).toMatchObject({ status: 'inconclusive', confidence: 0, root_cause_type: 'unknown' });
  });

  test('what was found before by a probe that is away now is not said to be over', async () => {
    const earlier: CheckOutcome = {
      tickMs: TRIGGER_MS - 60_000,
      endedAtMs: TRIGGER_MS - 59_000,
      status: 'found',
      reportId: 'rep_0',
      confidence: 0.9,
      summary: 'it was slow',
      signature: JSON.stringify(['away critical shop/data-0']),
    };
    const { report } = await runCheck(0.2, { probes: [SLOW, AWAY] }, OFF, earlier);
    expect(report.status).toBe('inconclusive');
    expect(report.summary).toContain('Not known to be over');
    expect(report.summary).toContain('shop/data-0 (away, critical)');
  });

  test('a digest begins with what the runs since the last one came to', async () => {
    const run = (status: CheckOutcome['status'], minutes: number): CheckOutcome => ({
      tickMs: TRIGGER_MS - minutes * 60_000,
      endedAtMs: TRIGGER_MS,
      status,
      reportId: 'rep_0',
      confidence: 0.9,
      summary: 'so it was',
      signature: '[]',
    });
    const since = [run('healthy', 180), run('found', 120), run('healthy', 60)];
    const { report } = await runCheck(0.2, { post: 'digest' }, OFF, undefined, since);
    expect(report.summary).toMatch(
      /^Digest: 3 runs before this one, 2 healthy, 1 found something \(last at 2026-03-01T08:00Z\)\. Now: All clear/,
    );
  });

  test('ticks that were not run are gaps of the next report', () => {
    const tick = {
      job: makeJob({ probes: [SLOW] }),
      lateMs: 0,
      unrun: [{ why: 'missed' as const, count: 3, fromMs: TRIGGER_MS - 180_000, toMs: TRIGGER_MS - 60_000 }],
    };
    expect(gapsOfIncident(checkIncident(tick, TRIGGER_MS))).toEqual([
      expect.stringMatching(/^schedule: 3 ticks were missed between /),
    ]);
  });
});
