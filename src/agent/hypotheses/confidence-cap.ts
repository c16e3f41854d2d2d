import type { TelemetryKind } from '../../domain/brief.ts';
import type { WeighedHypothesis } from '../../domain/hypothesis.ts';
import type { Conclusion } from '../../domain/report.ts';
import { isTestOf } from '../../policy/claims/subjects.ts';
import type { SettlingInput } from './settle-conclusion.ts';

/** What the ranker could not know: the model may have read the brief a little better. */
const HEADROOM = 0.05;
const HIGHEST = 0.95;
/** What one kind of telemetry that could not be read takes from the highest. */
const WITHOUT_A_KIND = 0.05;
const TELLING_KINDS: readonly TelemetryKind[] = ['metrics', 'logs', 'events', 'traces'];

/**
 * By how a named cause was tested: the part of the leader's remaining doubt that this takes away, and the most that another cause may have. Set by
 * judgement: the more others tried to find something against it and did not, the less doubt is left.
 */
const LEVELS = {
  brief: { lessDoubt: 0, another: 0.35 },
  looked: { lessDoubt: 0.25, another: 0.6 },
  supported: { lessDoubt: 0.5, another: 0.75 },
  survived: { lessDoubt: 0.75, another: 0.85 },
} as const;

export interface Level {
  readonly name: keyof typeof LEVELS;
  readonly tested: boolean;
  /** The new evidence that this rests on. */
  readonly ids: readonly string[];
}

/** How far the cause that a conclusion names was tested against evidence beyond the brief. `chosen`: the hypothesis it names, when it names one. */
export function levelOf(
  conclusion: Conclusion,
  chosen: WeighedHypothesis | undefined,
  { brief, evidence }: SettlingInput,
): Level {
  const known = new Set(brief.evidence.map(({ id }) => id));
  const isNew = (id: string) => !known.has(id);
  if (chosen && (chosen.tests.supports > 0 || chosen.survivedRefutation)) {
    const ids = chosen.testedBy.filter((id) => !chosen.contradicting.includes(id));
    return { name: chosen.survivedRefutation ? 'survived' : 'supported', tested: true, ids };
  }
  const service = conclusion.root_cause_service;
  const cited = new Set([...conclusion.evidence, ...conclusion.causal_chain.flatMap((step) => step.evidence)]);
  const ids = evidence
    .filter((item) => cited.has(item.id) && isNew(item.id) && isTestOf(item, service))
    .map(({ id }) => id);
  return { name: ids.length > 0 ? 'looked' : 'brief', tested: false, ids };
}

/** The most that the evidence earns a named cause, and why, in words for the report. */
export function capOf(
  chosen: WeighedHypothesis | undefined,
  { name: level, ids }: Level,
  name: string,
  { brief, hypotheses }: SettlingInput,
): { readonly cap: number; readonly reason: string } {
  const { lessDoubt, another } = LEVELS[level];
  const silent = brief.kindsRead === undefined ? [] : TELLING_KINDS.filter((kind) => !brief.kindsRead?.includes(kind));
  const highest = HIGHEST - WITHOUT_A_KIND * silent.length;
  const prior = chosen?.prior ?? 0;
  const isLeader = chosen !== undefined && chosen === hypotheses[0];
  const start = Math.min(highest, prior + HEADROOM);
  const earned = isLeader ? start + lessDoubt * (highest - start) : Math.max(another, start);
  // What the ranker is sure of without any test, it stays sure of.
  const cap = Math.max(isLeader ? prior : 0, Math.min(highest, earned));
  const missing = silent.length > 0 ? `; there were no ${silent.join(', ')} to look at` : '';
  return { cap, reason: `${reasonOf(level, name, ids, isLeader)}${missing}` };
}

function reasonOf(level: Level['name'], name: string, ids: readonly string[], isLeader: boolean): string {
  const listed = ids.slice(0, 6).join(', ');
  switch (level) {
    case 'survived':
      return `Tested: a sub-agent looked for evidence against ${name} and found none (${listed})`;
    case 'supported':
      return `Tested: sub-agents found new evidence for ${name} (${listed})`;
    case 'looked':
      return `Not tested by others: the agent itself found new evidence about ${name} (${listed})`;
    case 'brief':
      return isLeader
        ? `Not tested: ${name} rests on the brief alone`
        : `Not tested: ${name} is not the leading suspect, and rests on the brief alone`;
    default:
      return level satisfies never;
  }
}
