import type { Conclusion } from './report.ts';

/** One rule that a conclusion breaks, by path (`causal_chain[1].evidence`). Holds nothing of what the conclusion says. */
export interface Problem {
  readonly path: string;
  readonly rule: string;
}

/** A conclusion after code has checked it against the evidence of the run. */
export interface Verification {
  /** What is left of it, with its confidence lowered for what did not hold. */
  readonly conclusion: Conclusion;
  readonly problems: readonly Problem[];
  /** A sentence for each thing that was taken out. */
  readonly removed: readonly string[];
}
