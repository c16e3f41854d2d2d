import { expect, test } from '@jest/globals';
import { findingsOf, sawTooLittle, type ProbeAnswer } from '../../../src/domain/probe-answer.ts';

const clear = (lookedAt: number, kind = 'objects') => ({ kind, status: 'clear', lookedAt }) as const;
const found = (kind: ProbeAnswer['kind'], severity: ProbeAnswer['severity'], about: object) =>
  ({
    kind,
    findings: [{ severity, weight: 1, object: 'web', value: '3', evidence: { query: 'q' }, ...about }],
  }) as unknown as ProbeAnswer;
const UNMEASURED = { kind: 'metric', status: 'unanswered', lookedAt: 0 } as const;
const AWAY = { ...UNMEASURED, hasFailed: true } as const;

test.each([
  ['no answer at all', [AWAY, AWAY], true],
  ['fewer than half of the answers', [clear(9), AWAY, AWAY], true],
  ['half of them', [clear(9), AWAY], false],
  ['most of it not measured here', [clear(9), UNMEASURED, UNMEASURED], false],
  ['nothing that is measured here', [UNMEASURED, UNMEASURED], true],
  ['nothing of the kind', [clear(0), clear(0)], true],
  ['something of one kind', [clear(0), clear(1)], false],
  ['an hour without events', [clear(0, 'events')], false],
])('%s: too little to call it well: %#', (_, looks, expected) => {
  expect(sawTooLittle(looks)).toBe(expected);
});

test.each<[string, ProbeAnswer, ProbeAnswer, number]>([
  ['one certificate', found('certificate', 'warning', {}), found('certificate', 'critical', {}), 1],
  ['two certificates', found('certificate', 'warning', {}), found('certificate', 'critical', { object: 'db' }), 2],
  ['one claim over two windows', found('forecast', 'warning', { value: '4' }), found('forecast', 'critical', {}), 1],
  ['one metric, one value', found('metric', 'warning', {}), found('metric', 'critical', {}), 1],
  ['its highest and its lowest value', found('metric', 'warning', { value: '4' }), found('metric', 'critical', {}), 2],
  ['two states of one object', found('objects', 'warning', {}), found('objects', 'critical', {}), 2],
  ['two questions', found('forecast', 'warning', { evidence: { query: 'r' } }), found('forecast', 'critical', {}), 2],
])('a warning and an alarm about %s', (_, warning, alarm, count) => {
  const findings = findingsOf([warning, alarm]);
  expect([findings.length, findings[0]?.severity]).toEqual([count, 'critical']);
});
