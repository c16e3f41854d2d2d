import { describe, expect, test } from '@jest/globals';
import { capsOf, createSpending, maxCostUsd, spendOfThisProcess } from '../../../src/app/spending.ts';
import { parseConfig } from '../../../src/config/load-config.ts';
import type { Model } from '../../../src/agent/model.ts';
import type { Report } from '../../../src/domain/report.ts';
import { makeReport } from '../../support/delivery-content.ts';

const unused = () => Promise.reject(new Error('not asked'));
const priced: Model = { id: 'priced', complete: unused, priceUsd: () => 0.1 };
const unpriced: Model = { id: 'unpriced', complete: unused, priceUsd: () => null };

function spending(settings: Readonly<Record<string, string>>) {
  const config = parseConfig(settings);
  let refused = 0;
  const caps = capsOf(config, (_name, cap) => spendOfThisProcess(cap));
  return { ...createSpending(config, caps, () => (refused += 1)), refused: () => refused };
}

function costOf(incidentId: string, usd: number | null): Report {
  const report = makeReport();
  return { ...report, incident: { ...report.incident, id: incidentId }, usage: { ...report.usage, cost_usd: usd } };
}

describe('what an investigation may cost', () => {
  test.each([
    ['three dollars for a model with a price', {}, priced, 3],
    ['nothing is limited for a model without', {}, unpriced, null],
    ['what is set, for any model', { AGENT_MAX_COST_USD: '0.25' }, unpriced, 0.25],
    ['never more than a day may', { AGENT_MAX_COST_USD_PER_DAY: '0.5' }, priced, 0.5],
  ])('%s', (_name, settings, model, usd) => {
    expect(maxCostUsd(parseConfig(settings), model)).toBe(usd);
  });

  test.each(['0', '-1', 'much'])('AGENT_MAX_COST_USD=%s is refused by name', (value) => {
    expect(() => parseConfig({ AGENT_MAX_COST_USD: value })).toThrow(/AGENT_MAX_COST_USD: must be an amount/);
  });
});

describe('what a day may cost', () => {
  test('without a cap every investigation has its model', async () => {
    const day = spending({});
    for (const id of ['inc_a', 'inc_b', 'inc_c']) expect(await day.admit(id, priced)).toBe(priced);
  });

  test('over the cap there is no model, and the reason names the setting; what was not spent goes back', async () => {
    const day = spending({ AGENT_MAX_COST_USD_PER_DAY: '6' });
    expect(await day.admit('inc_a', priced)).toBe(priced);
    expect(await day.admit('inc_b', priced)).toBe(priced);
    expect(await day.admit('inc_c', priced)).toEqual({ off: expect.stringContaining('AGENT_MAX_COST_USD_PER_DAY') });
    expect(day.refused()).toBe(1);
    await day.settle('inc_a', costOf('inc_a', 0.1));
    expect(await day.admit('inc_d', priced)).toEqual({ off: expect.stringContaining('6 US dollars') });
    await day.settle('inc_b', costOf('inc_b', 0.1));
    expect(await day.admit('inc_e', priced)).toBe(priced);
  });

  test('a cost that is not known stays booked at its most; a model without a price is not asked', async () => {
    const day = spending({ AGENT_MAX_COST_USD_PER_DAY: '1' });
    expect(await day.admit('inc_a', priced)).toBe(priced);
    await day.settle('inc_a', costOf('inc_a', null));
    expect(await day.admit('inc_b', priced)).toHaveProperty('off');
    expect(await day.admit('inc_c', unpriced)).toEqual({
      off: expect.stringContaining('price of unpriced is not known'),
    });
  });
});

describe('what an hour may use', () => {
  test('a cost limit of the hour holds beside that of the day, and is named in the reason', async () => {
    const hour = spending({ AGENT_MAX_COST_USD_PER_DAY: '100', AGENT_MAX_COST_USD_PER_HOUR: '3' });
    expect(await hour.admit('inc_a', priced)).toBe(priced);
    expect(await hour.admit('inc_b', priced)).toEqual({
      off: 'the cost limit of the hour (3 US dollars, AGENT_MAX_COST_USD_PER_HOUR) is used up',
    });
    await hour.settle('inc_a', costOf('inc_a', 0.1));
    expect(await hour.admit('inc_c', priced)).toHaveProperty('off');
  });

  test('so many investigations have the model, whatever they cost, and one that is refused takes nothing of the day', async () => {
    const hour = spending({ AGENT_MAX_COST_USD_PER_DAY: '9', AGENT_MAX_INVESTIGATIONS_PER_HOUR: '1' });
    expect(await hour.admit('inc_a', priced)).toBe(priced);
    await hour.settle('inc_a', costOf('inc_a', 0.1));
    for (const id of ['inc_b', 'inc_c', 'inc_d', 'inc_e'])
      expect(await hour.admit(id, priced)).toEqual({
        off: expect.stringContaining('(1, AGENT_MAX_INVESTIGATIONS_PER_HOUR)'),
      });
    expect(await hour.admit('inc_a', priced)).toBe(priced);
    expect(hour.refused()).toBe(4);
  });

  test('a resumed run that a new limit refuses gives back nothing of what its first start may have spent', async () => {
    const day = spendOfThisProcess(10);
    const spends = { day_cost: day, hour_cost: spendOfThisProcess(10), hour_runs: spendOfThisProcess(0) };
    const open = (settings: Readonly<Record<string, string>>) => {
      const config = parseConfig({ AGENT_MAX_COST_USD_PER_DAY: '10', ...settings });
      return createSpending(
        config,
        capsOf(config, (name) => spends[name]),
        () => undefined,
      );
    };
    expect(await open({}).admit('inc_a', priced)).toBe(priced);
    const resumed = open({ AGENT_MAX_COST_USD_PER_HOUR: '5', AGENT_MAX_INVESTIGATIONS_PER_HOUR: '1' });
    expect(await resumed.admit('inc_a', priced)).toHaveProperty('off');
    expect(await day.reserve('inc_a', 3)).toBe('held');
    expect(await spends.hour_cost.reserve('inc_a', 3)).toBe('made');
  });

  test('a number of investigations needs no price', async () => {
    const hour = spending({ AGENT_MAX_INVESTIGATIONS_PER_HOUR: '1' });
    expect(await hour.admit('inc_a', unpriced)).toBe(unpriced);
    expect(await hour.admit('inc_b', unpriced)).toHaveProperty('off');
  });
});
