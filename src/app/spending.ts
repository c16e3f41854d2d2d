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
  const own = config.AGENT_MAX_COST_USD ?? (hasPrice(model) ? DEFAULT_MAX_COST_USD : undefined);
  return own === undefined ? null : Math.min(own, ...costLimits(config).map(([, usd]) => usd));
}

/** The setting that a cost limit comes from: that of the day or the hour when it is the lowest one. */
export function costSetting(config: Config, model: MaybeModel): string {
  const usd = maxCostUsd(config, model);
  const own = config.AGENT_MAX_COST_USD ?? DEFAULT_MAX_COST_USD;
  return costLimits(config).find(([, limit]) => limit === usd && limit < own)?.[0] ?? 'AGENT_MAX_COST_USD';
}

function costLimits(config: Config): readonly (readonly [string, number])[] {
  return (['AGENT_MAX_COST_USD_PER_DAY', 'AGENT_MAX_COST_USD_PER_HOUR'] as const).flatMap((name) =>
    config[name] === undefined ? [] : [[name, config[name]] as const],
  );
}

function hasPrice(model: MaybeModel): boolean {
  const tokens = { inputTokens: 1, outputTokens: 1, cacheReadTokens: 0, cacheWriteTokens: 0 };
  return 'priceUsd' in model && model.priceUsd?.(tokens) != null;
}

export const CAPS = ['day_cost', 'hour_cost', 'hour_runs'] as const;
/** What all investigations together may use of the model. */
export type CapName = (typeof CAPS)[number];

interface Cap {
  readonly name: CapName;
  /** In words for the report, with its figure and its setting. */
  readonly words: string;
  readonly setting: string;
  readonly isCost: boolean;
  readonly spend: DaySpend;
}

/** The caps that are set; `open` gives each what keeps count of it. */
export function capsOf(config: Config, open: (name: CapName, cap: number) => DaySpend): readonly Cap[] {
  const cap = (name: CapName, setting: string, limit: number | undefined, what: string): readonly Cap[] => {
    if (limit === undefined) return [];
    const isCost = name !== 'hour_runs';
    const words = `the ${what} (${limit}${isCost ? ' US dollars' : ''}, ${setting}) is used up`;
    return [{ name, words, setting, isCost, spend: open(name, limit) }];
  };
  const { AGENT_MAX_COST_USD_PER_DAY: perDay, AGENT_MAX_COST_USD_PER_HOUR: perHour } = config;
  const runs = config.AGENT_MAX_INVESTIGATIONS_PER_HOUR;
  return [
    ...cap('day_cost', 'AGENT_MAX_COST_USD_PER_DAY', perDay, 'cost limit of the day'),
    ...cap('hour_cost', 'AGENT_MAX_COST_USD_PER_HOUR', perHour, 'cost limit of the hour'),
    ...cap('hour_runs', 'AGENT_MAX_INVESTIGATIONS_PER_HOUR', runs, 'number of investigations with the model an hour'),
  ];
}

/** Keeps the caps over investigations. */
export interface Spending {
  /** The model, when the caps allow one more investigation with it; else why there is none, in words for the report. */
  admit(workId: string, model: MaybeModel): Promise<MaybeModel>;
  /** The report of this work is stored: what it cost is booked. */
  settle(workId: string, report: Report): Promise<void>;
}

/** `onRefused` is told of each investigation that a cap leaves without a model. */
export function createSpending(config: Config, caps: readonly Cap[], onRefused: (cap: CapName) => void): Spending {
  const costs = caps.filter(({ isCost }) => isCost);
  /** The first cap that does not allow it. What was set aside until then is given back, but not what an earlier start has set aside: that may be spent. */
  const firstRefusal = async (workId: string, usd: number): Promise<Cap | undefined> => {
    const made: Cap[] = [];
    for (const cap of caps) {
      const answer = await cap.spend.reserve(workId, cap.isCost ? usd : 1);
      if (answer === 'made') made.push(cap);
      if (answer !== 'refused') continue;
      for (const { spend } of made) await spend.settle(workId, 0);
      return cap;
    }
    return undefined;
  };
  return {
    admit: async (workId, model) => {
      if (caps.length === 0 || 'off' in model) return model;
      const usd = maxCostUsd(config, model);
      const [cost] = costs;
      if (cost && (usd === null || !hasPrice(model)))
        return { off: `${cost.setting} is set, and the price of ${model.id} is not known` };
      const refusal = await firstRefusal(workId, usd ?? 0);
      if (!refusal) return model;
      onRefused(refusal.name);
      return { off: refusal.words };
    },
    settle: async (workId, { usage }) => {
      // A cost that is not known stays booked at the most it can be.
      if (usage.cost_usd !== null) for (const { spend } of costs) await spend.settle(workId, usage.cost_usd);
    },
  };
}

/** The spend of this process alone, where there is no Redis: the command line. */
export function spendOfThisProcess(capUsd: number | undefined): DaySpend {
  const reserved = new Map<string, number>();
  let spent = 0;
  return {
    reserve: (incidentId, usd) => {
      if (reserved.has(incidentId)) return Promise.resolve('held');
      const total = [...reserved.values()].reduce((sum, one) => sum + one, spent);
      if (total + usd > (capUsd ?? Number.POSITIVE_INFINITY)) return Promise.resolve('refused');
      reserved.set(incidentId, usd);
      return Promise.resolve('made');
    },
    settle: (incidentId, usd) => {
      if (reserved.delete(incidentId)) spent += usd;
      return Promise.resolve();
    },
  };
}
