import type { SkillEntry } from './toolbox.ts';

/** What steers where an agent looks. Nothing of it has an evidence id, and nothing of it can be cited. */
export interface Guidance {
  /** Remembered facts for the system prompt, redacted; empty when there are none. Sub-agents get none. */
  readonly memory: string;
  /** Playbooks that fit the alert, best first: offered by name, read with the `skill` tool. */
  readonly playbooks: readonly SkillEntry[];
  /** Earlier reports on the same alert, service or error, most alike first. Unverified. */
  readonly earlier: readonly EarlierIncident[];
}

export interface EarlierIncident {
  readonly reportId: string;
  readonly startsAtMs: number;
  readonly title: string;
  readonly service: string | null;
  /** What it has in common with this incident. */
  readonly alike: readonly ('alert' | 'service' | 'error')[];
  readonly status: 'determined' | 'inconclusive' | 'healthy';
  readonly rootCauseService: string | null;
  readonly rootCauseType: string;
  readonly confidence: number;
  readonly summary: string;
  /** How it ended, when known: resolved after how long. */
  readonly resolvedAfterMs: number | null;
}

export const NO_GUIDANCE: Guidance = { memory: '', playbooks: [], earlier: [] };
