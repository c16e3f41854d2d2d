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

  test('what is missing is named together with what is wrong, each in words', () => {
    let message = '';
    try {
      parseConfig({
        PORT: '99999999',
        PROMETHEUS_URL: 'localhost:9090',
        REDIS_URL: 'localhost',
        SLACK_BOT_TOKEN: 'xoxb-1',
        REPORT_WEBHOOK_URL: 'https://example.org/in',
        QUERIES_FILE: '/no/such/queries.yaml',
      });
    } catch (error) {
      message = String(error);
    }
    expect(message.split('\n').map((line) => line.trim())).toEqual(
      expect.arrayContaining([
        'PORT: must be a whole number from 0 to 65535',
        'PROMETHEUS_URL: must be a URL that starts with http:// or https://',
        'REDIS_URL: must be a URL that starts with redis:// or rediss://',
        'SLACK_CHANNEL: is needed with SLACK_BOT_TOKEN',
        'REPORT_WEBHOOK_SECRET: is needed with REPORT_WEBHOOK_URL',
        'QUERIES_FILE: /no/such/queries.yaml is not there',
      ]),
    );
  });

  test('a process may take investigations alone, or sub-agents alone, but not nothing', () => {
    expect(parseConfig({ WORKER_CONCURRENCY: '0' }).SUB_AGENT_CONCURRENCY).toBe(8);
    expect(parseConfig({ SUB_AGENT_CONCURRENCY: '0' }).WORKER_CONCURRENCY).toBe(4);
    expect(() => parseConfig({ WORKER_CONCURRENCY: '0', SUB_AGENT_CONCURRENCY: '0' })).toThrow(
      /WORKER_CONCURRENCY: is 0, and so is SUB_AGENT_CONCURRENCY/,
    );
  });

  test('a Slack token without a channel, and a webhook without a secret, are refused by name', () => {
    expect(() => parseConfig({ SLACK_BOT_TOKEN: 'xoxb-1' })).toThrow(/SLACK_CHANNEL: is needed with SLACK_BOT_TOKEN/);
    expect(() => parseConfig({ REPORT_WEBHOOK_URL: 'https://example.org/in' })).toThrow(/REPORT_WEBHOOK_SECRET/);
  });

  test('one that is set to nothing, as SLACK_CHANNEL=#alerts in a .env file is, is told why', () => {
    expect(() => parseConfig({ SLACK_BOT_TOKEN: 'xoxb-1', SLACK_CHANNEL: '' })).toThrow(
      /SLACK_CHANNEL: is needed with SLACK_BOT_TOKEN, and is set to nothing: in a \.env file # begins a comment/,
    );
    expect(() => parseConfig({ SLACK_BOT_TOKEN: 'xoxb-1' })).not.toThrow(/comment/);
  });

  test.each(['SLACK_BOT_TOKEN', 'PAGERDUTY_API_TOKEN', 'JIRA_TOKEN', 'GITHUB_ISSUES_TOKEN', 'PROMETHEUS_BEARER_TOKEN'])(
    '%s with the line end of its file is refused at start: no header can hold it',
    (name) => {
      expect(() => parseConfig({ [name]: 's3cret-token\n' })).toThrow(
        new RegExp(`${name}: must be one word, without blanks or line ends`),
      );
      expect(() => parseConfig({ [name]: 's3cret-token\n' })).not.toThrow(/s3cret/);
    },
  );

  test('secrets are collected for redaction, with the parts of URLs and pairs that are secret on their own', () => {
    const secrets = secretsOf(
      parseConfig({
        REDIS_URL: 'redis://user:p%40ss-word@redis.example:6379/0',
        ALERTMANAGER_BASIC_AUTH: 'alertmanager:sesame-open',
        ALERTMANAGER_BEARER_TOKENS: 'first-token, second-token',
        SLACK_WEBHOOK_URL: 'https://hooks.example/services/T000/B000/abcdef',
        PROMETHEUS_HEADERS: 'Authorization=Bearer header-token',
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
        'Bearer header-token',
      ]),
    );
    expect(secretsOf(parseConfig({ REDIS_URL: 'redis://redis.example:6379' }))).toEqual([]);
  });

  test('any URL may carry a secret, in upper case, in its query or with a percent sign of its own', () => {
    const secrets = secretsOf(
      parseConfig({
        REDIS_URL: 'REDIS://:100%zz-sure@redis.example?password=in-the-query',
        PROMETHEUS_URL: 'https://reader:prom-password@prometheus.example/prefix',
        REPORT_WEBHOOK_URL: 'https://hooks.example/catch/a1b2c3d4e5f6a7b8/reports',
        REPORT_WEBHOOK_SECRET: `whsec_${'a'.repeat(32)}`,
      }),
    );
    expect(secrets).toEqual(
      expect.arrayContaining(['100%zz-sure', 'in-the-query', 'prom-password', 'a1b2c3d4e5f6a7b8']),
    );
    expect(secrets).not.toContain('/prefix');
  });

  test('a tenant is no secret: its name stands in the telemetry', () => {
    expect(secretsOf(parseConfig({ PROMETHEUS_HEADERS: 'X-Scope-OrgID=production' }))).toEqual([]);
  });
});
