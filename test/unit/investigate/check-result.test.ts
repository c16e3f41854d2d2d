import { describe, expect, test } from '@jest/globals';
import type { CheckReport, Report } from '../../../src/domain/report.ts';
import {
  isTold,
  newsOf,
  outcomeOf,
  signsOf,
  signsOfOutcome,
  type CheckSigns,
} from '../../../src/investigate/check-result.ts';

type Finding = CheckReport['findings'][number];

/** A report of a check with these probes and findings, as far as a comparison reads it. */
function reportOf(
  findings: readonly (readonly [probe: string, object: string, value?: string, severity?: Finding['severity']])[],
  unanswered: readonly string[] = [],
): Report {
  const names = [...new Set([...findings.map(([probe]) => probe), 'pods', ...unanswered])];
  const probes = names.map((name) => ({
    name,
    kind: 'metric',
    status: unanswered.includes(name) ? 'unanswered' : findings.some(([probe]) => probe === name) ? 'found' : 'clear',
    looked_at: unanswered.includes(name) ? 0 : 1,
    note: null,
  }));
  return {
    id: 'rep_1',
    generatedAt: '2026-11-29T10:00:00.000Z',
    summary: 'so it is',
    confidence: 0.9,
    evidence: [],
    status: findings.length > 0 ? 'determined' : unanswered.length === names.length ? 'inconclusive' : 'healthy',
    check: {
      probes,
      findings: findings.map(([probe, object, value = '1', severity = 'warning']) => ({
        probe,
        object,
        value,
        severity,
      })),
    },
  } as unknown as Report;
}

/** Signs of runs one after the other. */
function after(...reports: readonly Report[]): CheckSigns | undefined {
  return reports.reduce<CheckSigns | undefined>((before, report) => {
    return signsOfOutcome(outcomeOf(report, signsOf(report, before), 0));
  }, undefined);
}

const told = (now: Report, ...before: readonly Report[]) => {
  const known = after(...before);
  return isTold('change', false, signsOf(now, known), known);
};

const HEALTHY = reportOf([]);
const DISK = reportOf([['disk', 'shop/data-0', '96 %']]);

describe('D5: what of a check is news', () => {
  test('a first healthy run is none, a first finding is', () => {
    expect([told(HEALTHY), told(DISK)]).toEqual([false, true]);
  });

  test('the same finding again is none, whatever its value is by now', () => {
    expect(told(reportOf([['disk', 'shop/data-0', '97 %']]), DISK)).toBe(false);
  });

  test('another object, another probe and another severity are', () => {
    expect(told(reportOf([['disk', 'shop/data-1']]), DISK)).toBe(true);
    expect(
      told(
        reportOf([
          ['disk', 'shop/data-0'],
          ['pods', 'shop/web'],
        ]),
        DISK,
      ),
    ).toBe(true);
    expect(told(reportOf([['disk', 'shop/data-0', '99 %', 'critical']]), DISK)).toBe(true);
  });

  test('a recovery is, once', () => {
    expect(told(HEALTHY, DISK)).toBe(true);
    expect(told(HEALTHY, DISK, HEALTHY)).toBe(false);
    expect(newsOf(signsOf(HEALTHY, after(DISK)), after(DISK))).toBe(
      'Recovered, no longer found: shop/data-0 (disk, warning).',
    );
  });

  test('that the probe has no answer now is no recovery; when it has one again, it is', () => {
    const away = reportOf([], ['disk']);
    expect(signsOf(away, after(DISK))).toMatchObject({ status: 'found', open: ['disk warning shop/data-0'] });
    expect(told(away, DISK)).toBe(false);
    expect(told(DISK, DISK, away)).toBe(false);
    expect(told(HEALTHY, DISK, away)).toBe(true);
  });

  test('a certificate that was renewed is a recovery, though another host does not answer', () => {
    const noting = (report: Report, note: string) => {
      const probes = [{ name: 'tls', kind: 'certificate', status: 'clear', note }];
      return { ...report, check: { findings: report.check?.findings ?? [], probes } } as unknown as Report;
    };
    const away = 'b.example: connect ECONNREFUSED 10.0.0.1:443';
    const found = noting(reportOf([['tls', 'a.example:8443 (shop)', '3 d left']]), away);
    const known = after(found);
    expect(signsOf(noting(HEALTHY, away), known)).toMatchObject({ status: 'healthy', found: [] });
    expect(signsOf(noting(HEALTHY, 'a.example:8443: connect ECONNREFUSED'), known).status).toBe('found');
    expect(signsOf(noting(HEALTHY, `${away}; …`), known).status).toBe('found');
  });

  test('that nothing can be looked at is told once, and so is its end', () => {
    const blind = reportOf([], ['disk', 'pods']);
    expect(signsOf(blind, undefined).status).toBe('failed');
    expect([told(blind), told(blind, blind), told(HEALTHY, blind)]).toEqual([true, false, true]);
    expect(newsOf(signsOf(HEALTHY, after(blind)), after(blind))).toBe('Recovered, it can look again.');
  });

  test('what nobody measures here is no news', () => {
    expect(told(reportOf([], ['disk', 'nodes']))).toBe(false);
  });

  test('that more providers fail than answer is told once, by chance only when it lasts', () => {
    const partly = reportOf([], ['disk', 'nodes']);
    const probes = partly.check?.probes.map((one) =>
      one.status === 'clear' ? one : { ...one, failed: true as const },
    );
    const failing = { ...partly, status: 'inconclusive', check: { ...partly.check, probes } } as unknown as Report;
    expect(signsOf(failing, undefined).status).toBe('failed');
    expect([told(failing), told(failing, failing), told(failing, failing, failing)]).toEqual([false, true, false]);
    expect([told(HEALTHY, failing), told(HEALTHY, failing, failing)]).toEqual([false, true]);
  });

  test('that one probe fails is none, that it fails again is, once, and so is its end', () => {
    const failing = (report: Report) =>
      ({
        ...report,
        check: {
          ...report.check,
          probes: [
            ...(report.check?.probes ?? []),
            { name: 'disk-forecast', status: 'unanswered', note: 'away', failed: true },
          ],
        },
      }) as unknown as Report;
    const half = failing(HEALTHY);
    expect([told(half), told(half, half), told(half, half, half)]).toEqual([false, true, false]);
    expect([told(HEALTHY, half), told(HEALTHY, half, half)]).toEqual([false, true]);
    expect(told(half, HEALTHY, half, HEALTHY)).toBe(false);
    const again = signsOf(half, after(half));
    expect(again.status).toBe('failed');
    expect(newsOf(again, after(half))).toBe(
      'Changed since the last run, new: that disk-forecast could not be looked at.',
    );
    expect(newsOf(signsOf(HEALTHY, again), again)).toBe('Recovered, can be looked at again: disk-forecast.');
    expect(signsOf(failing(DISK), after(half)).status).toBe('found');
  });

  test('a probe that nobody can answer, or of which nothing is measured, is none', () => {
    const absent = reportOf([], ['kafka-lag']);
    expect([told(absent), told(absent, absent), signsOf(absent, after(absent)).status]).toEqual([
      false,
      false,
      'healthy',
    ]);
  });

  test('without probes the verdict is compared', () => {
    const verdict = (service: string) =>
      ({
        ...HEALTHY,
        check: undefined,
        status: 'determined',
        root_cause_service: service,
        root_cause_type: 'database',
      }) as unknown as Report;
    const withEvidence = (report: Report) => ({ ...report, evidence: [{}] }) as unknown as Report;
    expect(told(withEvidence(verdict('web')), withEvidence(verdict('web')))).toBe(false);
    expect(told(withEvidence(verdict('db')), withEvidence(verdict('web')))).toBe(true);
  });

  test('`always` tells every run, `digest` only the digest', () => {
    const healthy = signsOf(HEALTHY, undefined);
    const found = signsOf(DISK, undefined);
    expect(isTold('always', false, healthy, healthy)).toBe(true);
    expect([isTold('digest', false, found, healthy), isTold('digest', true, healthy, healthy)]).toEqual([false, true]);
  });

  test('a kept result that cannot be read makes the next finding news', () => {
    const broken = signsOfOutcome({ status: 'found', signature: '{' });
    expect(isTold('change', false, signsOf(DISK, broken), broken)).toBe(true);
  });
});
