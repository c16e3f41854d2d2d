import { expect, test } from '@jest/globals';
import { Breaker } from '../../../src/mcp/breaker.ts';

test('three failures in a row give a server a minute of rest; then one failure gives it another', () => {
  let nowMs = 0;
  const breaker = new Breaker(() => nowMs);
  breaker.fail();
  breaker.fail();
  breaker.succeed();
  breaker.fail();
  breaker.fail();
  expect(breaker.refusal()).toBeUndefined();
  breaker.fail();
  expect(breaker.refusal()).toBe('it failed 3 times in a row and is tried again in 60 s');
  nowMs = 60_000;
  expect(breaker.refusal()).toBeUndefined();
  breaker.fail();
  expect(breaker.refusal()).toMatch(/^it failed 4 times/);
});
