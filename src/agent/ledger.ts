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
