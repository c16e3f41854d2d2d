import { expect, test } from '@jest/globals';
import type { CheckReport, Report } from '../../../src/domain/report.ts';
import { outlineOf } from '../../../src/destinations/report-outline.ts';
import { makeIncident, makeReport } from '../../support/delivery-content.ts';

type Probe = CheckReport['probes'][number];
const probe = (status: Probe['status']): Probe => ({
  name: 'disk',
  kind: 'forecast',
  severity: 'warning',
  status,
  looked_at: 3,
  nearest: null,
  note: null,
});
const finding = (severity: Probe['severity']): CheckReport['findings'][number] => ({
  probe: 'disk',
  severity,
  service: null,
  object: 'shop/data-0',
  value: '93 %, 5 h left',
  limit: 'limit 95 %',
  since: null,
  remedy: null,
  evidence: 'M1',
});

const FAILED = { ...probe('unanswered'), failed: true as const };

/** The headline and the verdict of a check, as every destination shows them. */
function headOf(changes: Partial<Report>): readonly string[] {
  const report = makeReport({ kind: 'check', root_cause_service: null, ...changes });
  const { headline, lead } = outlineOf({ kind: 'report', incident: makeIncident({ kind: 'check' }), report });
  const verdict = lead
    .map((line) => line.map(({ text }) => text).join(''))
    .find((text) => /^(?:Healthy|Not|\d)/.test(text));
  return [headline.split(' · ')[0] ?? '', verdict ?? ''];
}

test.each<[what: string, changes: Partial<Report>, head: readonly string[]]>([
  ['all clear', { status: 'healthy', check: { probes: [probe('clear')], findings: [] } }, ['✅ CHECK OK', 'Healthy.']],
  [
    'a finding without a cause',
    { status: 'inconclusive', check: { probes: [probe('found')], findings: [finding('warning')] } },
    ['🟠 CHECK', '1 finding, cause not determined. No lead is strong enough to name.'],
  ],
  [
    'a grave one',
    { status: 'inconclusive', check: { probes: [probe('found')], findings: [finding('critical')] } },
    ['🔴 CHECK', '1 finding, cause not determined. No lead is strong enough to name.'],
  ],
  [
    'nothing that could be asked',
    { status: 'inconclusive', check: { probes: [probe('unanswered')], findings: [] } },
    ['⚪ CHECK COULD NOT LOOK', 'Not determined. No lead is strong enough to name.'],
  ],
  [
    'more failures than answers',
    {
      status: 'inconclusive',
      check: { probes: [probe('clear'), FAILED, FAILED], findings: [] },
    },
    ['⚪ CHECK COULD NOT LOOK', 'Not determined. No lead is strong enough to name.'],
  ],
])('the head of a check tells %s', (_, changes, head) => {
  expect(headOf(changes)).toEqual(head);
});
