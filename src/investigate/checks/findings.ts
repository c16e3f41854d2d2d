import type { Problem } from '../../domain/verification.ts';

/** Collects what the checks of one conclusion find. Confidence only ever falls, and every fall has a reason. */
export class Findings {
  readonly problems: Problem[] = [];
  readonly removed: string[] = [];
  readonly reasons: string[] = [];
  confidence: number;

  constructor(confidence: number) {
    this.confidence = confidence;
  }

  problem(path: string, rule: string): void {
    this.problems.push({ path, rule });
  }

  /** The same reason twice lowers once: a summary repeats what a step says. */
  lower(to: number, reason: string): void {
    if (to >= this.confidence || this.reasons.includes(reason)) return;
    this.confidence = to;
    this.reasons.push(reason);
  }
}
