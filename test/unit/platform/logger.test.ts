import { expect, test } from '@jest/globals';
import { createLogger } from '../../../src/platform/logger.ts';
import { createRedactor } from '../../../src/policy/redact.ts';

function logged(log: (logger: ReturnType<typeof createLogger>) => void): Record<string, unknown> {
  let text = '';
  const { redact } = createRedactor({ secrets: ['configured-secret'], key: 'test' });
  log(createLogger('info', redact, (line) => (text += line)));
  return JSON.parse(text) as Record<string, unknown>;
}

test('of an error its name, code, message, stack and causes are logged, and nothing that a client hung on it', () => {
  const cause = Object.assign(new Error('WRONGPASS for configured-secret'), { config: { headers: 'hunter2' } });
  const error = Object.assign(new TypeError('no connection', { cause }), {
    code: 'ECONNREFUSED',
    // As ioredis does; too short to be masked by its value.
    command: { name: 'auth', args: ['hunter2'] },
  });
  const line = logged((logger) => logger.error({ err: error, jobId: 'job-1' }, 'a job failed'));
  expect(line).toMatchObject({ jobId: 'job-1', err: { type: 'TypeError', code: 'ECONNREFUSED' } });
  expect(JSON.stringify(line)).toMatch(/WRONGPASS for \[REDACTED:known-secret/);
  expect(JSON.stringify(line)).not.toMatch(/hunter2|configured-secret/);
});

test('of a Redis that takes nothing the words are logged, and no stack', () => {
  const reply = (message: string) => Object.assign(new Error(message), { name: 'ReplyError' });
  const discarded = Object.assign(reply('EXECABORT Transaction discarded because of previous errors.'), {
    previousErrors: [reply("OOM command not allowed when used memory > 'maxmemory'.")],
  });
  for (const err of [discarded, reply('OOM command not allowed'), reply('EXECABORT Transaction discarded')])
    expect(logged((logger) => logger.error({ err }, 'the job failed'))['err']).toMatch(/^Redis .*full.*\)/);
  // What others say of themselves is not about Redis.
  const other = new Error('connect ECONNREFUSED 127.0.0.1:9090');
  expect(logged((logger) => logger.error({ err: other }, 'x'))['err']).toMatchObject({ message: other.message });
});

test('a reason in words is logged as it is', () => {
  expect(logged((logger) => logger.warn({ err: 'timed out' }, 'retrying'))['err']).toBe('timed out');
});

test('causes that point at each other end', () => {
  const error = new Error('chicken');
  error.cause = new Error('egg', { cause: error });
  const { causes } = logged((logger) => logger.error({ err: error }, 'x'))['err'] as { causes: string[] };
  expect(causes).toHaveLength(5);
});
