import { strongestByService, type Clue, type RankContext } from './clue.ts';
import type { StateFinding } from '../layers.ts';

/** What was seen to happen counts a little less than what still is. */
const EVENT_WEIGHT = 0.85;
/** What each further grave condition of a service adds, so that of two equal ones the service with more to show comes first. */
const AGREEING = 0.015;
const MOST_AGREEING = 3;
const GRAVE = 0.5;
/** Findings so near to the strongest are as good as it, so that the one that names a cause may speak. */
const TELLING_MARGIN = 0.1;
const MAX_FACTS = 3;

/**
 * Conditions of objects and events about them. Measures how likely the condition alone stops the service, by its general
 * Kubernetes meaning (severity of the finding, with consequences already discounted). Current state outweighs events. A change is a
 * kind of its own: it proves nothing by itself, yet agrees with what it broke.
 */
export function stateClues(context: RankContext): Clue[] {
  const byService = new Map<string, StateFinding[]>();
  const changes: StateFinding[] = [];
  for (const finding of context.input.states) {
    if (finding.evidence.kind === 'change') changes.push(finding);
    else byService.set(finding.service, [...(byService.get(finding.service) ?? []), finding]);
  }
  const objects = [...byService.values()].map(objectClue).toSorted((a, b) => b.strength - a.strength);
  return [...objects, ...strongestByService(changes.map(changeClue))];
}

/** As strong as the strongest finding, told by the one that says most among the strong. */
function objectClue(findings: readonly StateFinding[]): Clue {
  const strongest = findings.reduce((most, finding) => Math.max(most, strengthOf(finding)), 0);
  const strong = findings
    .filter((finding) => strengthOf(finding) >= strongest - TELLING_MARGIN)
    .toSorted((a, b) => plainness(a) - plainness(b) || strengthOf(b) - strengthOf(a));
  const [telling] = strong as [StateFinding, ...StateFinding[]];
  const grave = findings.filter((finding) => strengthOf(finding) >= GRAVE).length;
  const agreement = AGREEING * Math.min(MOST_AGREEING, Math.max(0, grave - 1));
  return {
    type: 'object',
    service: telling.service,
    strength: Math.min(1, strongest + agreement),
    statement: () => telling.evidence.statement,
    rootCauseType: telling.rootCauseType,
    facts: () => strong.slice(0, MAX_FACTS).map(({ key, evidence }) => ({ key, evidence })),
  };
}

/** How little a type says of a cause: a consequence least, an end of the process or a change little, all else names what is wrong. */
function plainness({ rootCauseType }: StateFinding): number {
  if (rootCauseType === 'unknown' || rootCauseType === 'dependency_failure') return 2;
  return rootCauseType === 'code_error' || rootCauseType === 'config_change' || rootCauseType === 'probe_failure'
    ? 1
    : 0;
}

function strengthOf({ severity, evidence }: StateFinding): number {
  return Math.min(1, severity) * (evidence.kind === 'event' ? EVENT_WEIGHT : 1);
}

function changeClue({ key, evidence, service, severity, rootCauseType }: StateFinding): Clue {
  return {
    type: 'change',
    service,
    strength: severity,
    statement: () => evidence.statement,
    rootCauseType,
    facts: () => [{ key, evidence }],
  };
}
