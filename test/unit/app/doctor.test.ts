import { describe, expect, test } from '@jest/globals';
import { examine, printCheckup } from '../../../src/app/doctor.ts';
import { mistakenParts } from '../../../src/app/examine-mistakes.ts';

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

  test('a part that cannot be used has a line for each mistake, whatever stands in it', () => {
    const mistakes = ['ROUTES_FILE: r.yaml:2: a: must be text', 'ROUTES_FILE: r.yaml:5: b\u001b[2J: is missing'];
    const good = { name: 'good', status: 'ok', value: 'seen' } as const;
    const text = printCheckup([...mistakenParts(mistakes), good], { colour: false });
    expect(text.split('\n').slice(0, 5)).toEqual([
      '✗ routing  2 mistakes in its settings: no role starts, and this part was not looked at',
      '           · ROUTES_FILE: r.yaml:2: a: must be text',
      expect.stringMatching(/^ {11}· ROUTES_FILE: r.yaml:5: b.*: is missing$/),
      '           → Mend what is told, and ask again.',
      '✓ good     seen',
    ]);
    expect(text).not.toContain('\u001b');
  });

  test('mistakes are told by the part that their setting belongs to, each part once', () => {
    const told = mistakenParts([
      'REDIS_URL: must be a URL',
      'ALERTMANAGER_BASIC_AUTH: must have the form user:password',
      'SLACK_CHANNEL: is needed',
      'SHUTDOWN_GRACE_MS: must be a number',
      'SLACK_BOT_TOKEN: must be one word',
      'SOURCES_FILE: s.yaml:1: sources: is missing',
    ]);
    expect(told.map(({ name, status, details }) => [name, status, details])).toEqual([
      ['redis', 'fail', ['REDIS_URL: must be a URL']],
      [
        'sources',
        'fail',
        ['ALERTMANAGER_BASIC_AUTH: must have the form user:password', 'SOURCES_FILE: s.yaml:1: sources: is missing'],
      ],
      ['slack', 'fail', ['SLACK_CHANNEL: is needed', 'SLACK_BOT_TOKEN: must be one word']],
      ['settings', 'fail', ['SHUTDOWN_GRACE_MS: must be a number']],
    ]);
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
