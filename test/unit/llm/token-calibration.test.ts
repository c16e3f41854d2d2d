import { describe, expect, test } from '@jest/globals';
import { TokenCalibration } from '../../../src/llm/token-calibration.ts';

/** Estimates of 1000 with a margin of 1.25: the tokenizer itself said 800. */
function after(counts: readonly number[]): TokenCalibration {
  const calibration = new TokenCalibration(1.25);
  for (const counted of counts) calibration.observe(1000, counted);
  return calibration;
}

describe('TokenCalibration', () => {
  test('changes nothing until ten requests were counted', () => {
    expect(after(Array.from({ length: 9 }, () => 2000)).factor).toBe(1);
    expect(after(Array.from({ length: 10 }, () => 2000)).factor).toBeCloseTo(2);
  });

  test('goes by the 95th percentile, not by the mean and not by the one odd request', () => {
    const calm = Array.from({ length: 95 }, () => 1000);
    expect(after([...calm, ...Array.from({ length: 5 }, () => 3000)]).factor).toBeCloseTo(1);
    expect(after([...calm.slice(1), ...Array.from({ length: 6 }, () => 3000)]).factor).toBeCloseTo(3);
  });

  test('never trusts the tokenizer further than a tenth, nor a count further than four times', () => {
    expect(after(Array.from({ length: 20 }, () => 100)).factor * 1.25).toBeCloseTo(1.1);
    expect(after(Array.from({ length: 20 }, () => 90_000)).factor * 1.25).toBeCloseTo(4);
  });

  test('forgets what is long ago', () => {
    const [old, recent] = [3000, 1000].map((counted) => Array.from({ length: 200 }, () => counted));
    expect(after([...(old ?? []), ...(recent ?? [])]).factor).toBeCloseTo(1);
  });

  test('a gateway that counts nothing teaches nothing', () => {
    const calibration = after([]);
    expect(calibration.observe(1000, 0)).toBeUndefined();
    expect(calibration.observe(1000, 1500)).toBe(1.5);
  });
});
