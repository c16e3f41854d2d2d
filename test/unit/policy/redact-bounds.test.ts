import { expect, test } from '@jest/globals';
import { createRedactor } from '../../../src/policy/redact.ts';

const redactor = createRedactor({ secrets: ['registered-secret'], key: 'k' });
const SMALL = 15_000;

/** Per rule family: its keyword, its longest prefix and its near misses, without end. */
const pathological = [
  'password', 'password=', '"password":"', '\\"password\\":\\"', 'token=${', 'key=', 'api key ', '<password>', 'password is ',
  'eyJaaaaaaaaaa.eyJ', 'ghp_aaaa', 'sk-a', 'xoxb-1-', '1234567890:AA', 'https://hooks.slack.com/services/', 'aaaaaaaaaaaaaa.atlasv1.',
  '-----BEGIN ', '"-----BEGIN PRIVATE KEY-----', '-----END ', 'Authorization: Bearer ', 'bearer ', 'cookie: a=', 'a://b:c', 'http://u:p@',
  'a:b@tcp', 'login a password ', "identified by '", 'mysql -p', 'curl -u a:', 'kind: Secret\ndata:\n', '"kind":"Secret","data":{"a":"',
  'ghp_a…', 'a://b:cc…', '[REDACTED:password:', 'registered-secre',
]; // prettier-ignore

/** CPU time, best of three: a shared machine must not fail the test, a quadratic rule must. */
function cpuMs(text: string): number {
  const runs = [0, 1, 2].map(() => {
    const before = process.cpuUsage();
    redactor.redact(text);
    const { user, system } = process.cpuUsage(before);
    return (user + system) / 1000;
  });
  return Math.min(...runs);
}

test.each(pathological)('time grows with the length, not with its square: %j', (unit) => {
  const small = unit.repeat(Math.ceil(SMALL / unit.length));
  redactor.redact(small);
  const large = small.repeat(8);
  // A quadratic rule takes 64 times as long. 10 ms of slack cover the clock's grain and the garbage collector.
  expect(cpuMs(large)).toBeLessThan(24 * cpuMs(small) + 10);
});
