import { NO_USAGE, type ModelUsage } from '../domain/session.ts';
import { addTokens, totalTokens, type TokenPrice, type TokenUsage } from './model.ts';

/** What an agent may use. Plain JSON. `null`: not limited in money. */
export interface Allowance {
  /** Turns of the model, the final one and a repair included. */
  readonly turns: number;
  /** Input and output tokens, cached ones included. */
  readonly tokens: number;
  readonly toolCalls: number;
  readonly costUsd: number | null;
  /** Wall clock of work, ms: time in which no process works on the investigation does not count. */
  readonly timeMs: number;
}

/** What an agent that got an allowance has used of it. */
export interface Used {
  readonly usage: ModelUsage;
  readonly toolCalls: number;
}

/** Which budget ended the search for more evidence. */
export type SpentBudget = (typeof SPENT_BUDGETS)[number];
export const SPENT_BUDGETS = ['turns', 'deadline', 'tokens', 'tool_calls', 'cost'] as const;

/** A turn by its size, in estimated input tokens and the most output tokens it may have. */
export interface TurnSize {
  readonly inputTokens: number;
  readonly outputTokens: number;
}

/** Everything booked so far, as a checkpoint keeps it. Plain JSON. */
export interface LedgerState {
  readonly own: ModelUsage;
  readonly subAgents: ModelUsage;
  /** Own calls and those of sub-agents. */
  readonly toolCalls: { readonly own: number; readonly subAgents: number };
  /** What counts against the caps: estimates stand in for what the other side did not count. */
  readonly tokens: number;
  readonly costUsd: number;
  readonly timeMs: number;
  /** The first and the latest working turn that was asked for. */
  readonly firstTurn: TurnSize | null;
  readonly lastTurn: TurnSize | null;
}

const NOTHING_BOOKED: LedgerState = {
  own: NO_USAGE,
  subAgents: NO_USAGE,
  toolCalls: { own: 0, subAgents: 0 },
  tokens: 0,
  costUsd: 0,
  timeMs: 0,
  firstTurn: null,
  lastTurn: null,
};

const FINAL_TURN_MS = 45_000;
const FINAL_TURN_SHARE = 0.15;
/** The final turn and its repair. A run too short for both keeps the final one. */
const RESERVED_TURNS = 2;
const SUB_AGENT_TURNS = 8;
/** A sub-agent with less time than this finds nothing. */
const LEAST_SUB_AGENT_MS = 20_000;

export interface LedgerOptions {
  readonly allowance: Allowance;
  readonly now: () => number;
  /** Needed for a cap in money: without a price nobody can keep it. */
  readonly priceUsd?: TokenPrice | undefined;
}

/**
 * The one book of an investigation: the main agent books its turns and tool calls here, and hands shares to sub-agents, each of which keeps a ledger
 * of its own over its allowance. It holds back what the final turn needs, so that a report is written before anything runs out. Estimates come from
 * the caller; what was really used is booked afterwards, failed attempts included. Its clock starts when it is made.
 */
export class Ledger {
  readonly #allowance: Allowance;
  readonly #now: () => number;
  readonly #priceUsd: TokenPrice;
  readonly #startedAtMs: number;
  #booked: LedgerState = NOTHING_BOOKED;
  /** Allowances that are out. */
  readonly #reserved = new Set<Allowance>();

  constructor({ allowance, now, priceUsd }: LedgerOptions) {
    this.#allowance = allowance;
    this.#now = now;
    this.#priceUsd = priceUsd ?? (() => null);
    this.#startedAtMs = now();
  }

  /** Goes on where another process stopped. What it had reserved is free again. */
  restore(state: LedgerState): void {
    this.#booked = state;
    this.#reserved.clear();
  }

  get state(): LedgerState {
    return { ...this.#booked, timeMs: this.#timeUsedMs };
  }

  /** Of this agent. */
  get usage(): ModelUsage {
    return this.#booked.own;
  }

  /** Of all its sub-agents together. */
  get subAgentUsage(): ModelUsage {
    return this.#booked.subAgents;
  }

  /** Of this agent. */
  get toolCalls(): number {
    return this.#booked.toolCalls.own;
  }

  get turns(): number {
    return this.#booked.own.turns;
  }

  get maxTurns(): number {
    return this.#allowance.turns;
  }

  get turnsLeft(): number {
    return this.#allowance.turns - this.turns;
  }

  get toolCallsLeft(): number {
    const { own, subAgents } = this.#booked.toolCalls;
    return this.#allowance.toolCalls - own - subAgents - this.#sumReserved(({ toolCalls }) => toolCalls);
  }

  get timeLeftMs(): number {
    return this.#allowance.timeMs - this.#timeUsedMs;
  }

  /** Time a working turn or a tool may take without touching the final turn's share. Whole milliseconds, as timers want them. */
  get workTimeLeftMs(): number {
    const { timeMs } = this.#allowance;
    return this.timeLeftMs - Math.ceil(Math.min(Math.max(FINAL_TURN_MS, FINAL_TURN_SHARE * timeMs), timeMs / 2));
  }

  /** False: there is a cap in money and no price to keep it by. */
  get canKeepCost(): boolean {
    return this.#allowance.costUsd === null || this.#price({ inputTokens: 1, outputTokens: 1 }) !== null;
  }

  /** Call it before each request. Throws when all turns are used: whoever asks then has not looked. */
  countTurn(): void {
    if (this.turnsLeft <= 0) throw new RangeError('a turn beyond the cap');
    this.#book({ own: { ...this.#booked.own, turns: this.turns + 1 } });
  }

  countToolCalls(calls: number): void {
    const { own, subAgents } = this.#booked.toolCalls;
    this.#book({ toolCalls: { own: own + calls, subAgents } });
  }

  /** `estimatedTokens` is booked when the other side counted nothing: a budget that nobody counts is none. */
  countTokens(usage: TokenUsage, estimatedTokens: number): void {
    const { own, tokens, costUsd } = this.#booked;
    this.#book({
      own: { turns: own.turns, ...addTokens(own, usage) },
      tokens: tokens + (totalTokens(usage) || estimatedTokens),
      costUsd: costUsd + this.#costOf(usage, estimatedTokens),
    });
  }

  /**
   * The budget that allows no further working turn; undefined while there is room for one and the final turn after it. The turn is noted: what
   * sub-agents may have in it depends on its size.
   */
  spentForWork(turn: TurnSize): SpentBudget | undefined {
    this.#book({ firstTurn: this.#booked.firstTurn ?? turn, lastTurn: turn });
    const reservedTurns = Math.min(RESERVED_TURNS, this.#allowance.turns - 1);
    if (this.turnsLeft <= Math.max(1, reservedTurns)) return 'turns';
    if (this.workTimeLeftMs <= 0) return 'deadline';
    if (this.toolCallsLeft <= 0) return 'tool_calls';
    const final = finalAfter(turn);
    if (this.#tokensLeft < sizeOf(turn) + sizeOf(final)) return 'tokens';
    if (this.#costLeftUsd < this.#dearest(turn) + this.#dearest(final)) return 'cost';
    return undefined;
  }

  /** The budget that does not even allow a final (or repair) turn. */
  spentForFinal(turn: TurnSize): SpentBudget | undefined {
    if (this.turnsLeft <= 0) return 'turns';
    if (this.timeLeftMs <= 0) return 'deadline';
    if (this.#tokensLeft < sizeOf(turn)) return 'tokens';
    if (this.#costLeftUsd < this.#dearest(turn)) return 'cost';
    return undefined;
  }

  /**
   * An equal allowance for each of `count` sub-agents that run side by side; one more share stays with this agent, and before that the reserve of its
   * final turn. Time is not divided: it passes for all at once. Undefined when a share would not pay for one working turn and a final one.
   */
  reserve(count: number): readonly Allowance[] | undefined {
    const { firstTurn, lastTurn } = this.#booked;
    const final = finalAfter(lastTurn ?? NO_TURN);
    const share = (left: number) => Math.max(0, left) / (count + 1);
    const allowance: Allowance = {
      turns: SUB_AGENT_TURNS,
      tokens: Math.floor(share(this.#tokensLeft - sizeOf(final))),
      toolCalls: Math.floor(share(this.toolCallsLeft)),
      costUsd: this.#allowance.costUsd === null ? null : share(this.#costLeftUsd - this.#dearest(final)),
      timeMs: Math.floor(Math.max(0, this.workTimeLeftMs)),
    };
    // A sub-agent begins with about what this agent began with.
    const probe = new Ledger({ allowance, now: this.#now, priceUsd: this.#priceUsd });
    if (allowance.timeMs < LEAST_SUB_AGENT_MS || probe.spentForWork(firstTurn ?? NO_TURN)) return undefined;
    const shares = Array.from({ length: count }, () => ({ ...allowance }));
    for (const one of shares) this.#reserved.add(one);
    return shares;
  }

  /** Books what was used of an allowance and frees the rest. Only the first call for an allowance counts. */
  settle(allowance: Allowance, used: Used): void {
    if (!this.#reserved.delete(allowance)) return;
    const { subAgents, tokens, costUsd, toolCalls } = this.#booked;
    this.#book({
      subAgents: { turns: subAgents.turns + used.usage.turns, ...addTokens(subAgents, used.usage) },
      tokens: tokens + totalTokens(used.usage),
      costUsd: costUsd + this.#costOf(used.usage, 0),
      toolCalls: { own: toolCalls.own, subAgents: toolCalls.subAgents + used.toolCalls },
    });
  }

  #book(change: Partial<LedgerState>): void {
    this.#booked = { ...this.#booked, ...change };
  }

  get #timeUsedMs(): number {
    return this.#booked.timeMs + (this.#now() - this.#startedAtMs);
  }

  get #tokensLeft(): number {
    return this.#allowance.tokens - this.#booked.tokens - this.#sumReserved(({ tokens }) => tokens);
  }

  get #costLeftUsd(): number {
    const cap = this.#allowance.costUsd ?? Number.POSITIVE_INFINITY;
    return cap - this.#booked.costUsd - this.#sumReserved(({ costUsd }) => costUsd ?? 0);
  }

  #sumReserved(of: (allowance: Allowance) => number): number {
    return [...this.#reserved].reduce((total, allowance) => total + of(allowance), 0);
  }

  /** A turn as if nothing of it came from the cache: the price that is never exceeded. */
  #dearest(turn: TurnSize): number {
    return this.#price(turn) ?? 0;
  }

  #price({ inputTokens, outputTokens }: TurnSize): number | null {
    return this.#priceUsd({ inputTokens: 0, outputTokens, cacheReadTokens: 0, cacheWriteTokens: inputTokens });
  }

  /** A model that answers under a name without a price is booked at the price of the configured one. */
  #costOf(usage: TokenUsage, estimatedTokens: number): number {
    if (totalTokens(usage) === 0) return this.#dearest({ inputTokens: estimatedTokens, outputTokens: 0 });
    return usage.costUsd ?? this.#priceUsd(usage) ?? 0;
  }
}

const NO_TURN: TurnSize = { inputTokens: 0, outputTokens: 0 };

function sizeOf({ inputTokens, outputTokens }: TurnSize): number {
  return inputTokens + outputTokens;
}

/** The final turn reads the input of the turn before it again, its output, and tool results of about the same size. */
function finalAfter({ inputTokens, outputTokens }: TurnSize): TurnSize {
  return { inputTokens: inputTokens + outputTokens, outputTokens };
}
