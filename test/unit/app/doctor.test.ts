import { describe, expect, test } from '@jest/globals';
import { examine, printCheckup } from '../../../src/app/doctor.ts';

describe('doctor', () => {
  test('keeps the order and shows what was seen and what to do', async () => {
    const results = await examine([
      { name: 'redis', check: async () => ({ name: 'redis', status: 'ok', value: 'Redis 7.0.15' }) },
      {
        name: 'slack',
        check: async () => ({ name: 'slack', status: 'fail', value: 'invalid_auth', remedy: 'set SLACK_BOT_TOKEN' }),
      },
    ]);
    expect(printCheckup(results, { colour: false })).toBe(
      '✓ redis  Redis 7.0.15\n✗ slack  invalid_auth\n         → set SLACK_BOT_TOKEN\n\n1 of 2 parts do not work.\n',
    );
  });

  test('a warning is no failure, and not nothing either', () => {
    const slack = { name: 'slack', status: 'off', value: 'not set' } as const;
    const telemetry = { name: 'telemetry', status: 'warn', value: 'none' } as const;
    expect(printCheckup([slack], { colour: false })).toContain('Nothing is broken.');
    expect(printCheckup([slack, telemetry], { colour: false })).toContain('Works, but: 1 warning.');
  });

  test('a check that throws is a failed part, and the others are still shown', async () => {
    const results = await examine([
      { name: 'bad', check: () => Promise.reject(new Error('socket closed')) },
      { name: 'good', check: async () => ({ name: 'good', status: 'ok', value: 'seen' }) },
    ]);
    expect(results.map((result) => [result.status, result.value])).toEqual([
      ['fail', 'socket closed'],
      ['ok', 'seen'],
    ]);
  });
});
