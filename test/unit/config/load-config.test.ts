import { describe, expect, test } from '@jest/globals';
import { ConfigError, parseConfig, secretsOf } from '../../../src/config/load-config.ts';

describe('settings', () => {
  test('an empty environment is a working configuration on loopback', () => {
    const config = parseConfig({});
    expect(config.HOST).toBe('127.0.0.1');
    expect(config.BRIEF_TOKEN_BUDGET).toBe(5820);
    expect(config.REDIS_URL).toBeUndefined();
  });

  test('an empty value counts as unset, as compose files and charts write it', () => {
    expect(parseConfig({ PORT: '', PROMETHEUS_URL: '', ANTHROPIC_API_KEY: '' }).PORT).toBe(8080);
  });

  test('every wrong variable is named at once, and no value is shown', () => {
    const wrong = () => parseConfig({ PORT: 'eighty', PROMETHEUS_URL: 'hunter2-not-a-url', SLACK_BOT_TOKEN: 'xoxb-1' });
    expect(wrong).toThrow(ConfigError);
    expect(wrong).toThrow(/PORT/);
    expect(wrong).toThrow(/PROMETHEUS_URL/);
    expect(wrong).not.toThrow(/hunter2/);
  });

  test('a Slack token without a channel, and a webhook without a secret, are refused by name', () => {
    expect(() => parseConfig({ SLACK_BOT_TOKEN: 'xoxb-1' })).toThrow(/SLACK_CHANNEL: is needed with SLACK_BOT_TOKEN/);
    expect(() => parseConfig({ REPORT_WEBHOOK_URL: 'https://example.org/in' })).toThrow(/REPORT_WEBHOOK_SECRET/);
  });

  test('secrets are collected for redaction, with the parts of URLs and pairs that are secret on their own', () => {
    const secrets = secretsOf(
      parseConfig({
        REDIS_URL: 'redis://user:p%40ss-word@redis.example:6379/0',
        ALERTMANAGER_BASIC_AUTH: 'alertmanager:sesame-open',
        ALERTMANAGER_BEARER_TOKENS: 'first-token, second-token',
        SLACK_WEBHOOK_URL: 'https://hooks.example/services/T000/B000/abcdef',
        PROMETHEUS_HEADERS: 'X-Scope-OrgID=tenant-seven',
      }),
    );
    expect(secrets).toEqual(
      expect.arrayContaining([
        'p%40ss-word',
        'p@ss-word',
        'sesame-open',
        'first-token',
        'second-token',
        '/services/T000/B000/abcdef',
        'tenant-seven',
      ]),
    );
    expect(secretsOf(parseConfig({ REDIS_URL: 'redis://redis.example:6379' }))).toEqual([]);
  });
});
