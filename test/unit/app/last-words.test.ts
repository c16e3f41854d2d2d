import { describe, expect, test } from '@jest/globals';
import { RedisUnreachable } from '../../../src/app/open-redis.ts';
import { lastWords } from '../../../src/app/last-words.ts';
import { ConfigError, parseConfig } from '../../../src/config/load-config.ts';

const load = () => parseConfig({ REDIS_URL: 'redis://:configured-secret@redis.example' });

describe('what is said about an error that ends the process', () => {
  test('a bug keeps its stack and loses its secrets; its properties are not shown', () => {
    const error = Object.assign(new Error('cannot parse configured-secret'), { command: { args: ['hunter2'] } });
    const { text, exitCode } = lastWords(error, load);
    expect(exitCode).toBe(1);
    expect(text).toMatch(/^rootnote: Error: cannot parse \[REDACTED:known-secret:\w{4}\]\n\s+at /);
    expect(text).not.toMatch(/hunter2|configured-secret/);
  });

  test('what a person can mend is one line without a stack', () => {
    const { text, exitCode } = lastWords(new RedisUnreachable('Redis says \u001b[2Jconfigured-secret'), load);
    expect(exitCode).toBe(2);
    expect(text).toMatch(/^rootnote: Redis says \[REDACTED:known-secret:\w{4}\]\n$/);
  });

  test('what is wrong with one setting does not let out the secret of another', () => {
    const { PORT, REDIS_URL } = process.env;
    Object.assign(process.env, { PORT: 'eighty', REDIS_URL: 'redis://:configured-secret@redis.example' });
    try {
      expect(lastWords(new Error('it said configured-secret')).text).not.toContain('configured-secret');
    } finally {
      restore({ PORT, REDIS_URL });
    }
  });

  test('settings that cannot be read are no obstacle', () => {
    const broken = () => {
      throw new ConfigError('PORT: is no number');
    };
    expect(lastWords('password=hunter2horse', broken).text).toMatch(/^rootnote: password=\[REDACTED:password/);
  });
});

function restore(variables: Readonly<Record<string, string | undefined>>): void {
  for (const [name, value] of Object.entries(variables))
    if (value === undefined) delete process.env[name];
    else process.env[name] = value;
}
