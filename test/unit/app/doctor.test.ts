import { describe, expect, test } from '@jest/globals';
import { examine, printCheckup } from '../../../src/app/doctor.ts';
import { mistakenParts } from '../../../src/app/examine-mistakes.ts';
import { ConfigError } from '../../../src/config/load-config.ts';

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

  test('a part whose file cannot be used has a line for each mistake, whatever stands in it', async () => {
    const message = 'ROUTES_FILE: r.yaml:2: a: must be text\nROUTES_FILE: r.yaml:5: b\u001b[2J: is missing';
    const results = await examine([
      { name: 'routing', check: () => Promise.reject(new ConfigError(message)) },
      { name: 'good', check: async () => ({ name: 'good', status: 'ok', value: 'seen' }) },
    ]);
    const text = printCheckup(results, { colour: false });
    expect(text.split('\n').slice(0, 5)).toEqual([
      '✗ routing  2 mistakes in its settings: no role starts, and this part was not looked at',
      '           · ROUTES_FILE: r.yaml:2: a: must be text',
      expect.stringMatching(/^ {11}· ROUTES_FILE: r.yaml:5: b.*: is missing$/),
      '           → Mend what is told, and ask again.',
      '✓ good     seen',
    ]);
    expect(text).not.toContain('\u001b');
  });

  test('settings are told by the part that they belong to', () => {
    const told = mistakenParts([
      { setting: 'REDIS_URL', message: 'must be a URL' },
      { setting: 'SLACK_CHANNEL', message: 'is needed' },
      { setting: 'SLACK_BOT_TOKEN', message: 'must be one word' },
      { setting: 'SHUTDOWN_GRACE_MS', message: 'must be a number' },
    ]);
    expect(told.map(({ name, status, details }) => [name, status, details])).toEqual([
      ['redis', 'fail', ['REDIS_URL: must be a URL']],
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
