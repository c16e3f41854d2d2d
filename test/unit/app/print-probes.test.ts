import { expect, test } from '@jest/globals';
import { printProbes } from '../../../src/app/print-probes.ts';
import type { CheckReport } from '../../../src/domain/report.ts';
import { makeReport } from '../../support/delivery-content.ts';

type Row = CheckReport['probes'][number];
const row = (name: string, status: Row['status'], about: Partial<Row> = {}): Row => ({
  name,
  kind: 'certificate',
  severity: 'warning',
  status,
  looked_at: 1,
  nearest: null,
  note: null,
  ...about,
});
const FINDING: CheckReport['findings'][number] = {
  probe: 'soon',
  severity: 'critical',
  service: null,
  object: 'shop.example',
  value: '2 d left',
  limit: 'at least 3d expected',
  since: null,
  remedy: null,
  evidence: 'X1',
};
const printed = (probes: readonly Row[], findings: CheckReport['findings'] = []) =>
  printProbes(makeReport({ kind: 'check', check: { probes: [...probes], findings } }), { colour: false }).split('\n');

test('hosts that could not be read stand before what is well, whole', () => {
  const note =
    '2 of 3 hosts cannot be read: plain-http.internal.example:8080 does not speak TLS; db.example:5432 refuses the connection';
  const [line] = printed([row('own-hosts', 'clear', { note, nearest: 'shop.example 80 d left', failed: true })]);
  expect(line).toContain(`1 looked at; ${note}`);
  expect(printed([row('own-hosts', 'unanswered', { note })])[0]).toContain(`no answer: ${note}`);
});

test('where there are none, nothing was looked at', () => {
  expect(printed([row('image-not-pulled', 'clear', { kind: 'events', looked_at: 0 })])[0]).toContain('there are none');
});

test('what a graver probe tells is told once, and no other probe is called clear for it', () => {
  expect(printed([row('late', 'found'), row('soon', 'found')], [FINDING])).toEqual([
    '  ✗ late  as another probe says',
    '  ✗ soon  critical: shop.example: 2 d left (at least 3d expected)',
    '',
  ]);
});

test('a reason that several probes have no answer for is said once, with their names, where the first of them stands', () => {
  const away = (name: string, note = 'the server is away') => row(name, 'unanswered', { kind: 'metric', note });
  const many = Array.from({ length: 9 }, (_, i) => away(`probe-number-${i}`));
  expect(printed([away('latency'), row('soon', 'clear'), away('alone', 'no right'), away('errors')])).toEqual([
    '  ? latency, errors',
    '    no answer: the server is away',
    '  ✓ soon     1 looked at',
    '  ? alone    no answer: no right',
    '',
  ]);
  expect(printed(many)).toEqual([
    expect.stringMatching(/^ {2}\? probe-number-0, .*,$/),
    expect.stringMatching(/^ {4}probe-number-6, probe-number-7, probe-number-8$/),
    '    no answer: the server is away',
    '',
  ]);
});
