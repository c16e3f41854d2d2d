import { expect, test } from '@jest/globals';
import type { CheckView } from '../../../src/app/list-checks.ts';
import { printChecks } from '../../../src/app/print-checks.ts';

const NOW = Date.parse('2026-11-29T10:20:00Z');
const GOLDEN: CheckView = {
  name: 'golden',
  description: 'Golden signals',
  enabled: true,
  cron: '0 * * * *',
  timezone: 'Europe/Berlin',
  when: 'hourly at :00',
  last: { at: '2026-11-29T10:00:00.000Z', status: 'healthy', incident: 'check_golden_202611291000' },
  result: {
    at: '2026-11-29T10:00:00.000Z',
    status: 'healthy',
    report: 'rep_golden',
    confidence: 0.9,
    summary: 'All is well.',
  },
  next: '2026-11-29T11:00:00.000Z',
  unrun: [],
};
const LIST = { checks: [GOLDEN], missing: null, broken: [], incomplete: [], silentSince: null, redis: null };
const print = (list: Partial<typeof LIST> | object) => printChecks({ ...LIST, ...list }, { colour: false, nowMs: NOW });

test('each check has its last tick with the result, and its next', () => {
  expect(print({})).toBe(
    `golden  Golden signals; hourly at :00 (Europe/Berlin)
        last 2026-11-29 10:00Z (20 min ago): healthy: All is well. (rep_golden, confidence 0.9)
        next 2026-11-29 11:00Z (in 40 min)
1 check.
`,
  );
});

test('a tick without a result stands beside the result before it, and what was missed is told', () => {
  const skipped = {
    ...GOLDEN,
    last: { at: '2026-11-29T10:15:00.000Z', status: 'skipped', incident: null },
    unrun: ['1 tick was skipped at 2026-11-29T10:15Z: the run before had not ended'],
  };
  const text = print({ checks: [skipped] });
  expect(text).toContain(
    'last 2026-11-29 10:15Z (5 min ago): skipped; before that 2026-11-29 10:00Z: healthy: All is well.',
  );
  expect(text).toContain('! 1 tick was skipped at 2026-11-29T10:15Z');
});

test('mistakes, a Redis that is away and schedulers that are silent are told at the end', () => {
  const disabled = { ...GOLDEN, name: 'off', enabled: false, last: null, result: null, next: null };
  const text = print({
    checks: [{ ...GOLDEN, last: null, result: null }, disabled],
    broken: ['jobs/wrong.md:3: cron: must have five fields\u001b[31m'],
    incomplete: ['jobs/golden.md:4: skills.#1: there is no playbook x'],
    silentSince: '2026-11-29T08:20:00.000Z',
    redis: 'Redis at redis://127.0.0.1:1/ does not answer',
  });
  expect(text).toContain('off     Golden signals; hourly at :00 (Europe/Berlin), disabled\n2 checks, 1 disabled.\n');
  expect(text.split('\n').filter((line) => line.startsWith('!'))).toEqual([
    '! what became of them is not known: Redis at redis://127.0.0.1:1/ does not answer',
    '! no scheduler has looked at them since 2026-11-29 08:20Z (2 h ago): start rootnote schedule, or all',
    expect.stringMatching(/^! does not run: jobs\/wrong\.md:3: cron: must have five fields/),
    '! runs without it: jobs/golden.md:4: skills.#1: there is no playbook x',
  ]);
  // oxlint-disable-next-line no-control-regex -- what must not be there.
  expect(text).not.toMatch(/\u001b/);
  expect(print({ silentSince: 'never' })).toContain('! no scheduler has looked at them so far');
});
