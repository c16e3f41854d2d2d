import { describe, expect, test } from '@jest/globals';
import { Ledger, type Allowance } from '../../../src/agent/ledger.ts';
import { NO_TOKENS, type TokenPrice } from '../../../src/agent/model.ts';
import { NO_USAGE } from '../../../src/domain/session.ts';

const ALLOWANCE: Allowance = { turns: 6, tokens: 100_000, toolCalls: 10, costUsd: null, timeMs: 600_000 };
/** A dollar for a million tokens read for the first time, five for a million written. */
const price: TokenPrice = (tokens) =>
  (tokens.inputTokens + tokens.cacheWriteTokens + 0.1 * tokens.cacheReadTokens + 5 * tokens.outputTokens) / 1e6;

function ledgerWith(changes: Partial<Allowance> = {}, clock = { ms: 0 }, priceUsd?: TokenPrice) {
  return new Ledger({ allowance: { ...ALLOWANCE, ...changes }, now: () => clock.ms, priceUsd });
}

const turn = (inputTokens: number, outputTokens = 4000) => ({ inputTokens, outputTokens });

describe('Ledger', () => {
  test('keeps the last two turns for the report and its repair', () => {
    const ledger = ledgerWith();
    for (let n = 0; n < 4; n++) {
      expect(ledger.spentForWork(turn(1000))).toBeUndefined();
      ledger.countTurn();
    }
    expect(ledger.spentForWork(turn(1000))).toBe('turns');
    expect(ledger.spentForFinal(turn(1000))).toBeUndefined();
  });

  test.each([1, 2])('a run of %d turns still has its final one', (turns) => {
    const ledger = ledgerWith({ turns });
    for (let n = 1; n < turns; n++) ledger.countTurn();
    expect(ledger.spentForWork(turn(1000))).toBe('turns');
    expect(ledger.spentForFinal(turn(1000))).toBeUndefined();
  });

  test('no turn is taken beyond the cap', () => {
    const ledger = ledgerWith({ turns: 1 });
    ledger.countTurn();
    expect(ledger.spentForFinal(turn(1000))).toBe('turns');
    expect(() => ledger.countTurn()).toThrow('beyond the cap');
  });

  test('keeps 15 % of the time, at least 45 s, and never more than half', () => {
    expect(ledgerWith({ timeMs: 600_000 }).workTimeLeftMs).toBe(510_000);
    expect(ledgerWith({ timeMs: 120_000 }).workTimeLeftMs).toBe(75_000);
    expect(ledgerWith({ timeMs: 20_000 }).workTimeLeftMs).toBe(10_000);
    const clock = { ms: 5_000_000 };
    const ledger = ledgerWith({ timeMs: 600_000 }, clock);
    clock.ms += 510_000;
    expect(ledger.spentForWork(turn(1000))).toBe('deadline');
    expect(ledger.spentForFinal(turn(1000))).toBeUndefined();
    clock.ms += 90_000;
    expect(ledger.spentForFinal(turn(1000))).toBe('deadline');
  });

  test('keeps the tokens of the final turn, and counts cached tokens too', () => {
    const ledger = ledgerWith();
    ledger.countTokens({ ...NO_TOKENS, cacheReadTokens: 78_001 }, 0);
    expect(ledger.spentForWork(turn(5000))).toBe('tokens');
    expect(ledger.spentForFinal(turn(5000))).toBeUndefined();
    expect(ledger.spentForFinal(turn(20_000))).toBe('tokens');
  });

  test('books the estimate when the other side counts nothing', () => {
    const ledger = ledgerWith({ costUsd: 1 }, undefined, price);
    ledger.countTokens(NO_TOKENS, 99_000);
    expect(ledger.spentForFinal(turn(1000, 1000))).toBe('tokens');
    expect(ledger.state).toMatchObject({ tokens: 99_000, costUsd: 0.099 });
  });

  test('ends the search when the tool calls are used up', () => {
    const ledger = ledgerWith();
    ledger.countToolCalls(10);
    expect(ledger.spentForWork(turn(1000))).toBe('tool_calls');
  });

  describe('cost', () => {
    test('keeps what the final turn may cost at most, as if nothing came from the cache', () => {
      const ledger = ledgerWith({ costUsd: 0.1 }, undefined, price);
      // 0.025 for the turn, 0.029 for the final one.
      expect(ledger.spentForWork(turn(5000))).toBeUndefined();
      ledger.countTokens({ ...NO_TOKENS, inputTokens: 47_000, costUsd: 0.047 }, 0);
      expect(ledger.spentForWork(turn(5000))).toBe('cost');
      expect(ledger.spentForFinal(turn(5000))).toBeUndefined();
      ledger.countTokens({ ...NO_TOKENS, inputTokens: 30_000, costUsd: 0.03 }, 0);
      expect(ledger.spentForFinal(turn(5000))).toBe('cost');
    });

    test('an answer under a name without a price is booked at the price of the configured model', () => {
      const ledger = ledgerWith({ costUsd: 1 }, undefined, price);
      ledger.countTokens({ ...NO_TOKENS, outputTokens: 1000, costUsd: null }, 0);
      expect(ledger.state.costUsd).toBeCloseTo(0.005);
      expect(ledger.usage.costUsd).toBeNull();
    });

    test('a cap without a price cannot be kept; without a cap there is nothing to keep', () => {
      expect(ledgerWith({ costUsd: 1 }).canKeepCost).toBe(false);
      expect(ledgerWith({ costUsd: 1 }, undefined, () => null).canKeepCost).toBe(false);
      expect(ledgerWith({ costUsd: 1 }, undefined, price).canKeepCost).toBe(true);
      expect(ledgerWith().canKeepCost).toBe(true);
    });
  });

  test('goes on from a state: what was booked stays booked, and time without a process does not count', () => {
    const clock = { ms: 0 };
    const first = ledgerWith({ costUsd: 1 }, clock, price);
    first.countTurn();
    first.countToolCalls(3);
    first.countTokens({ ...NO_TOKENS, inputTokens: 1000, costUsd: 0.001 }, 0);
    clock.ms += 100_000;
    const state = JSON.parse(JSON.stringify(first.state)) as typeof first.state;
    clock.ms += 86_400_000;
    const second = ledgerWith({ costUsd: 1 }, clock, price);
    second.restore(state);
    expect(second.state).toEqual(state);
    expect(second).toMatchObject({ turnsLeft: 5, toolCallsLeft: 7, timeLeftMs: 500_000, usage: { turns: 1 } });
  });
});

describe('B13: allowances of sub-agents', () => {
  function parent(changes: Partial<Allowance> = {}, clock = { ms: 0 }) {
    const ledger = ledgerWith({ turns: 12, tokens: 200_000, toolCalls: 48, costUsd: 2, ...changes }, clock, price);
    ledger.spentForWork(turn(6000));
    return ledger;
  }

  test('each gets eight turns and an equal share; one share and the final turn stay with the parent', () => {
    const shares = parent().reserve(3);
    // 200,000 less the final turn's 6,000 + 4,000 + 4,000, in four.
    expect(shares).toHaveLength(3);
    for (const share of shares ?? []) {
      expect(share).toMatchObject({ turns: 8, tokens: 46_500, toolCalls: 12, timeMs: 510_000 });
      expect(share.costUsd).toBeCloseTo((2 - 0.03) / 4, 9);
    }
  });

  test('what is out cannot be spent twice; what was not used comes back, and what was used is booked', () => {
    const ledger = parent();
    const [first, second] = ledger.reserve(2) ?? [];
    if (!first || !second) throw new Error('no shares');
    expect(ledger.toolCallsLeft).toBe(16);
    expect(ledger.spentForWork(turn(60_000))).toBe('tokens');
    const usage = { ...NO_USAGE, turns: 5, inputTokens: 9000, outputTokens: 1000, costUsd: 0.014 };
    ledger.settle(first, { usage, toolCalls: 4 });
    ledger.settle(first, { usage, toolCalls: 4 });
    ledger.settle(second, { usage: NO_USAGE, toolCalls: 0 });
    expect(ledger.toolCallsLeft).toBe(44);
    expect(ledger.spentForWork(turn(60_000))).toBeUndefined();
    expect(ledger.subAgentUsage).toEqual(usage);
    expect(ledger.state).toMatchObject({ tokens: 10_000, costUsd: 0.014, own: { turns: 0 } });
  });

  test.each<[string, Partial<Allowance>]>([
    ['tokens', { tokens: 40_000 }],
    ['tool calls', { toolCalls: 2 }],
    ['money', { costUsd: 0.1 }],
    ['time', { timeMs: 30_000 }],
  ])('too few %s for a working turn and a final one: nothing is handed out', (_what, changes) => {
    expect(parent(changes).reserve(4)).toBeUndefined();
  });

  test('unlimited money stays unlimited', () => {
    expect(parent({ costUsd: null }).reserve(1)?.[0]?.costUsd).toBeNull();
  });

  test('a resumed parent has its reservations free again', () => {
    const ledger = parent();
    const { state } = ledger;
    ledger.reserve(2);
    const resumed = parent();
    resumed.restore(state);
    expect(resumed.toolCallsLeft).toBe(48);
    expect(resumed.reserve(2)).toHaveLength(2);
  });
});
