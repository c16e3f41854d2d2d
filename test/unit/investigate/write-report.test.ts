import { describe, expect, test } from '@jest/globals';
import type { Evidence } from '../../../src/domain/evidence.ts';
import type { Incident } from '../../../src/domain/incident.ts';
import type { Conclusion } from '../../../src/domain/report.ts';
import { NO_USAGE } from '../../../src/domain/session.ts';
import { writeReport } from '../../../src/investigate/write-report.ts';
import { createRedactor } from '../../../src/policy/redact.ts';
import { caseBrief, CONCLUSION, INCIDENT, TRIGGER_MS } from '../../support/agent-case.ts';

const TOKEN = `ghp_${'a1B2c3D4e5'.repeat(4)}`;
const split = (inside: string) => `${TOKEN.slice(0, 12)}${inside}${TOKEN.slice(12)}`;
const { redact } = createRedactor({ secrets: ['configured-secret'], key: 'test' });

const write = (changes: {
  readonly incident?: Partial<Incident>;
  readonly conclusion?: Partial<Conclusion>;
  readonly evidence?: Partial<Evidence>;
  readonly gaps?: readonly string[];
}) =>
  writeReport(
    {
      incident: { ...INCIDENT, ...changes.incident },
      mode: 'agent',
      conclusion: { ...CONCLUSION, ...changes.conclusion },
      evidence: caseBrief().evidence.map((item) => (item.id === 'M1' ? { ...item, ...changes.evidence } : item)),
      gaps: changes.gaps ?? [],
      usage: NO_USAGE,
      subAgents: 0,
      model: null,
      briefTokens: 0,
      rawTokens: 0,
      stages: {},
      durationMs: 0,
      terminationReason: 'done',
      generatedAtMs: TRIGGER_MS,
    },
    redact,
  );

test('evidence that only a reason for the confidence names can be looked up, too', () => {
  const own = { evidence: ['M1'], causal_chain: [], alternatives: [] };
  const idsWith = (reason: string) =>
    write({ conclusion: { ...own, confidence_reasons: [reason] } }).evidence.map(({ id }) => id);
  const other = caseBrief().evidence.find(({ id }) => id !== 'M1')?.id ?? '';
  expect(idsWith(`Tested (${other}, M999)`)).toEqual(['M1', other]);
  expect(idsWith('Tested')).toEqual(['M1']);
});

describe('no text of a report carries a secret', () => {
  test('not one that is split by what a reader cannot see: it would be whole again in the report', () => {
    const report = write({
      conclusion: { summary: `The token ${split('\u200b')} was refused.` },
      evidence: { statement: `login failed: configured-\u001b[0msecret and ${split('\u001b[31m')}` },
      gaps: [`asked with ${split('\u00ad')}`],
    });
    expect(JSON.stringify(report)).not.toMatch(/ghp_|configured-/);
    expect(report.summary).toMatch(/^The token \[REDACTED:/);
  });

  test('not a label whose name alone says that its value is one', () => {
    const report = write({ incident: { labels: { alertname: 'LoginFails', db_password: 'correct horse' } } });
    expect(report.incident.labels['alertname']).toBe('LoginFails');
    expect(JSON.stringify(report)).not.toContain('correct horse');
  });

  test('not a link or a query', () => {
    const link = `https://grafana.example/d/1?token=${TOKEN}`;
    const report = write({ incident: { link }, evidence: { link, query: `up{token="${TOKEN}"}` } });
    expect(JSON.stringify(report)).not.toContain('ghp_');
  });
});

test('times of a scheduled check are relative to the check, for nothing alerted', () => {
  const changes = { evidence: { statement: 'errors: 0 → 13; peak 4 min before the alert' } };
  expect(write({ ...changes, incident: { kind: 'check' } }).evidence[0]?.statement).toContain('before the check');
  expect(write({ ...changes, incident: { kind: 'check' } }).evidence[0]?.relative).toMatch(/the check$/);
  expect(write(changes).evidence[0]?.statement).toContain('before the alert');
});

describe("the alert's own words", () => {
  test('stand in the report, once, cleaned and bounded; a check has none', () => {
    const annotations = {
      summary: 'Orders \u001b[31mfail.',
      description: 'x'.repeat(900),
      runbook_url: 'https://r.example',
    };
    const text = write({ incident: { annotations } }).incident.description;
    expect(text).toMatch(/^Orders fail\. — x+…$/);
    expect(text?.length).toBeLessThanOrEqual(500);
    expect(write({ incident: { annotations: { summary: INCIDENT.title } } }).incident.description).toBeUndefined();
    expect(write({ incident: { kind: 'check', annotations } }).incident.description).toBeUndefined();
  });
});

describe('how an alert came before', () => {
  test('is told apart from what the alert says; nothing is told of a first time, and of a check', () => {
    const annotations = { summary: 'Orders fail.' };
    const again = { annotations, follows: 'inc_before', recurs: { times: 2, sinceMs: INCIDENT.startsAtMs - 120_000 } };
    expect(write({ incident: again }).incident).toMatchObject({
      description: 'Orders fail.',
      history: 'Second time in 2 min (before: inc_before)',
    });
    expect(write({ incident: { annotations } }).incident).not.toHaveProperty('history');
    expect(write({ incident: { ...again, kind: 'check' } }).incident).not.toHaveProperty('history');
  });
});

describe('text that others wrote', () => {
  test('is no link unless a browser opens it as a page', () => {
    const report = write({ incident: { link: 'javascript:alert(1)' }, evidence: { link: 'data:text/html,x' } });
    expect([report.incident.link, report.evidence[0]?.link]).toEqual([null, null]);
  });

  test('is one visible line of bounded length, and never empty', () => {
    const report = write({
      incident: { title: 'Disk\u202efull\r\nof db', service: '\u200b' },
      evidence: { query: `up{a="${'x'.repeat(5000)}\u001b[2J"}` },
    });
    expect(report.incident.title).toBe('Diskfull of db');
    expect(report.incident.service).toBe('(unprintable)');
    expect(report.evidence[0]?.query).toHaveLength(2000);
  });
});
