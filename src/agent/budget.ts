import { totalTokens, type TokenUsage } from './model.ts';

export interface AgentLimits {
  /** Turns of the model, the final one and a repair included. */
  readonly maxTurns: number;
  /** Input and output tokens of the whole run, cached ones included. */
  readonly maxTokens: number;
  /** When the run must be over, epoch ms. */
  readonly deadlineMs: number;
  readonly maxOutputTokens: number;
  readonly maxToolCalls: number;
}

/** Which budget ended the search for more evidence. */
export type SpentBudget = 'turns' | 'deadline' | 'tokens' | 'tool_calls';

const FINAL_TURN_MS = 45_000;
const FINAL_TURN_SHARE = 0.15;
/** The final turn and its repair. A run too short for both keeps the final one. */
const RESERVED_TURNS = 2;

/**
 * The ledger of one run. It keeps a reserve for the final turn, so that a report is written before anything runs out. Estimates come
 * from the caller; what was really used is booked afterwards, failed attempts included.
 */
export class Budget {
  readonly #limits: AgentLimits;
  readonly #now: () => number;
  readonly #finalMs: number;
  #turns = 0;
  #tokens = 0;
  #toolCalls = 0;

  constructor(limits: AgentLimits, now: () => number) {
    this.#limits = limits;
    this.#now = now;
    const runMs = Math.max(0, limits.deadlineMs - now());
    this.#finalMs = Math.min(Math.max(FINAL_TURN_MS, FINAL_TURN_SHARE * runMs), runMs / 2);
  }

  get turns(): number {
    return this.#turns;
  }

  get turnsLeft(): number {
    return this.#limits.maxTurns - this.#turns;
  }

  get toolCallsLeft(): number {
    return this.#limits.maxToolCalls - this.#toolCalls;
  }

  get timeLeftMs(): number {
    return this.#limits.deadlineMs - this.#now();
  }

  /** Time a working turn or a tool may take without touching the final turn's share. */
  get workTimeLeftMs(): number {
    return this.timeLeftMs - this.#finalMs;
  }

  countTurn(): void {
    this.#turns++;
  }

  countToolCalls(calls: number): void {
    this.#toolCalls += calls;
  }

  /** `estimatedTokens` is booked when the other side counted nothing: a budget that nobody counts is none. */
  countTokens(usage: TokenUsage, estimatedTokens: number): void {
    this.#tokens += totalTokens(usage) || estimatedTokens;
  }

  /** The budget that allows no further working turn; undefined while there is room for one and the final turn after it. */
  spentForWork(inputTokens: number): SpentBudget | undefined {
    const reservedTurns = Math.min(RESERVED_TURNS, this.#limits.maxTurns - 1);
    if (this.turnsLeft <= Math.max(1, reservedTurns)) return 'turns';
    if (this.workTimeLeftMs <= 0) return 'deadline';
    if (this.toolCallsLeft <= 0) return 'tool_calls';
    const oneTurn = inputTokens + this.#limits.maxOutputTokens;
    // The final turn reads this turn's input again, its output, and tool results of about the same size.
    if (this.#tokensLeft < oneTurn + oneTurn + this.#limits.maxOutputTokens) return 'tokens';
    return undefined;
  }

  /** The budget that does not even allow a final (or repair) turn. */
  spentForFinal(inputTokens: number, outputTokens: number): SpentBudget | undefined {
    if (this.turnsLeft <= 0) return 'turns';
    if (this.timeLeftMs <= 0) return 'deadline';
    if (this.#tokensLeft < inputTokens + outputTokens) return 'tokens';
    return undefined;
  }

  get #tokensLeft(): number {
    return this.#limits.maxTokens - this.#tokens;
  }
}
