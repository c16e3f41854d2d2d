import { describe, expect, test } from '@jest/globals';
import { Budget, type AgentLimits } from '../../../src/agent/budget.ts';
import { NO_TOKENS } from '../../../src/agent/model.ts';

const LIMITS: AgentLimits = {
  maxTurns: 6,
  maxTokens: 100_000,
  deadlineMs: 600_000,
  maxOutputTokens: 4000,
  maxToolCalls: 10,
};

function budgetWith(changes: Partial<AgentLimits> = {}, clock = { ms: 0 }) {
  return new Budget({ ...LIMITS, ...changes }, () => clock.ms);
}

describe('Budget', () => {
  test('keeps the last two turns for the report and its repair', () => {
    const budget = budgetWith();
    for (let turn = 0; turn < 4; turn++) {
      expect(budget.spentForWork(1000)).toBeUndefined();
      budget.countTurn();
    }
    expect(budget.spentForWork(1000)).toBe('turns');
    expect(budget.spentForFinal(1000, 4000)).toBeUndefined();
  });

  test.each([1, 2])('a run of %d turns still has its final one', (maxTurns) => {
    const budget = budgetWith({ maxTurns });
    for (let turn = 1; turn < maxTurns; turn++) budget.countTurn();
    expect(budget.spentForWork(1000)).toBe('turns');
    expect(budget.spentForFinal(1000, 4000)).toBeUndefined();
  });

  test('keeps 15 % of the time, at least 45 s, and never more than half', () => {
    expect(budgetWith({ deadlineMs: 600_000 }).workTimeLeftMs).toBe(510_000);
    expect(budgetWith({ deadlineMs: 120_000 }).workTimeLeftMs).toBe(75_000);
    expect(budgetWith({ deadlineMs: 20_000 }).workTimeLeftMs).toBe(10_000);
    const clock = { ms: 0 };
    const budget = budgetWith({ deadlineMs: 600_000 }, clock);
    clock.ms = 510_000;
    expect(budget.spentForWork(1000)).toBe('deadline');
    expect(budget.spentForFinal(1000, 4000)).toBeUndefined();
    clock.ms = 600_000;
    expect(budget.spentForFinal(1000, 4000)).toBe('deadline');
  });

  test('keeps the tokens of the final turn, and counts cached tokens too', () => {
    const budget = budgetWith();
    budget.countTokens({ ...NO_TOKENS, cacheReadTokens: 78_001 }, 0);
    expect(budget.spentForWork(5000)).toBe('tokens');
    expect(budget.spentForFinal(5000, 4000)).toBeUndefined();
    expect(budget.spentForFinal(20_000, 4000)).toBe('tokens');
  });

  test('books the estimate when the other side counts nothing', () => {
    const budget = budgetWith();
    budget.countTokens(NO_TOKENS, 99_000);
    expect(budget.spentForFinal(1000, 1000)).toBe('tokens');
  });

  test('ends the search when the tool calls are used up', () => {
    const budget = budgetWith();
    budget.countToolCalls(10);
    expect(budget.spentForWork(1000)).toBe('tool_calls');
  });
});
