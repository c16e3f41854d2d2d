import type { Model } from '../agent/model.ts';
import type { Config } from '../config/schema.ts';
import type { Report } from '../domain/report.ts';
import type { DaySpend } from '../sessions/day-spend.ts';

/**
 * A guard, not a budget: with a middle-sized model and its cache, a main agent and four sub-agents that all use their turns up cost about half. The
 * rest is what a turn and a final turn would cost at their dearest, which every agent holds back.
 */
const DEFAULT_MAX_COST_USD = 3;

type MaybeModel = Model | { readonly off: string };

/** What one investigation may cost, in US dollars; null when nothing can or has to be kept. */
export function maxCostUsd(config: Config, model: MaybeModel): number | null {
  if (config.AGENT_MAX_COST_USD !== undefined) return atMostADay(config, config.AGENT_MAX_COST_USD);
  return hasPrice(model) ? atMostADay(config, DEFAULT_MAX_COST_USD) : null;
}

/** The setting that a cost limit comes from: the day's when it is the lower one. */
export function costSetting(config: Config, model: MaybeModel): 'AGENT_MAX_COST_USD' | 'AGENT_MAX_COST_USD_PER_DAY' {
  const perDay = config.AGENT_MAX_COST_USD_PER_DAY;
  const own = config.AGENT_MAX_COST_USD ?? DEFAULT_MAX_COST_USD;
  return perDay !== undefined && maxCostUsd(config, model) === perDay && perDay < own
    ? 'AGENT_MAX_COST_USD_PER_DAY'
    : 'AGENT_MAX_COST_USD';
}

function atMostADay({ AGENT_MAX_COST_USD_PER_DAY: perDay }: Config, usd: number): number {
  return Math.min(usd, perDay ?? usd);
}

function hasPrice(model: MaybeModel): boolean {
  const tokens = { inputTokens: 1, outputTokens: 1, cacheReadTokens: 0, cacheWriteTokens: 0 };
  return 'priceUsd' in model && model.priceUsd?.(tokens) != null;
}

/** Keeps the cap of a day over investigations. */
export interface Spending {
  /** The model, when the day's cap allows one more investigation with it; else why there is none, in words for the report. */
  admit(workId: string, model: MaybeModel): Promise<MaybeModel>;
  /** The report of this work is stored: what it cost is booked. */
  settle(workId: string, report: Report): Promise<void>;
}

/** `onRefused` is told of each investigation that the day's cap leaves without a model. */
export function createSpending(config: Config, spend: DaySpend, onRefused: () => void): Spending {
  const capUsd = config.AGENT_MAX_COST_USD_PER_DAY;
  return {
    admit: async (workId, model) => {
      if (capUsd === undefined || 'off' in model) return model;
      const usd = maxCostUsd(config, model);
      if (usd === null || !hasPrice(model))
        return { off: `AGENT_MAX_COST_USD_PER_DAY is set, and the price of ${model.id} is not known` };
      if (await spend.reserve(workId, usd)) return model;
      onRefused();
      return { off: `the cost limit of the day (${capUsd} US dollars, AGENT_MAX_COST_USD_PER_DAY) is used up` };
    },
    settle: async (workId, { usage }) => {
      // A cost that is not known stays booked at the most it can be.
      if (capUsd !== undefined && usage.cost_usd !== null) await spend.settle(workId, usage.cost_usd);
    },
  };
}

/** The spend of this process alone, where there is no Redis: the command line. */
export function spendOfThisProcess(capUsd: number | undefined): DaySpend {
  const booked = new Map<string, number>();
  return {
    reserve: (incidentId, usd) => {
      const others = [...booked].reduce((total, [id, spent]) => total + (id === incidentId ? 0 : spent), 0);
      const allowed = others + usd <= (capUsd ?? Number.POSITIVE_INFINITY);
      if (allowed) booked.set(incidentId, usd);
      return Promise.resolve(allowed);
    },
    settle: (incidentId, usd) => {
      booked.set(incidentId, usd);
      return Promise.resolve();
    },
  };
}
