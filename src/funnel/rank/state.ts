import type { StateFinding } from '../layers.ts';
import { strongestByService, type Clue, type RankContext } from './clue.ts';

/** What was seen to happen counts a little less than what still is. */
const EVENT_WEIGHT = 0.85;
/** A condition that a broken dependency also produces, while such a dependency is in a worse state. */
const CONSEQUENCE_WEIGHT = 0.6;
/** A reason shared by more services than this share says something about the cluster, not about one of them. */
const COMMON_SHARE = 0.3;
const COMMON_WEIGHT = 0.4;

/** States that a broken dependency produces in healthy services. */
const CONSEQUENCES: ReadonlySet<string> = new Set(['probe_failure', 'dependency_failure', 'unknown', 'code_error']);

/**
 * Conditions of objects and events about them. Measures how likely the condition alone stops the service, by its general
 * Kubernetes meaning (severity of the finding). Current state outweighs events; a condition that also follows from a broken
 * dependency (not ready, crashing) gives way to a callee with a graver one. A change is a kind of its own: it proves nothing
 * by itself, yet agrees with what it broke.
 */
export function stateClues(context: RankContext): Clue[] {
  const { states } = context.input;
  const { services } = context.model;
  const gravest = new Map<string, number>();
  const affected = new Map<string, Set<string>>();
  for (const finding of states) {
    gravest.set(finding.service, Math.max(gravest.get(finding.service) ?? 0, finding.severity));
    const reason = reasonOf(finding);
    affected.set(reason, (affected.get(reason) ?? new Set()).add(finding.service));
  }
  const clues = states.map((finding) => {
    const callees = [...services.callees(finding.service)];
    const follows =
      CONSEQUENCES.has(finding.rootCauseType) && callees.some((name) => (gravest.get(name) ?? 0) > finding.severity);
    const common = (affected.get(reasonOf(finding))?.size ?? 0) > Math.max(3, COMMON_SHARE * services.names.length);
    const weight = (follows ? CONSEQUENCE_WEIGHT : 1) * (common ? COMMON_WEIGHT : 1);
    return stateClue(finding, weight);
  });
  return [
    ...strongestByService(clues.filter(({ type }) => type === 'object')),
    ...strongestByService(clues.filter(({ type }) => type === 'change')),
  ];
}

/** The last part of `state:<kind>/<name>/<reason>`. */
function reasonOf(finding: StateFinding): string {
  return finding.key.slice(finding.key.lastIndexOf('/') + 1);
}

function stateClue(finding: StateFinding, weight: number): Clue {
  const { key, evidence, service, severity, rootCauseType } = finding;
  return {
    type: evidence.kind === 'change' ? 'change' : 'object',
    service,
    strength: Math.min(1, severity) * weight * (evidence.kind === 'event' ? EVENT_WEIGHT : 1),
    statement: () => evidence.statement,
    rootCauseType,
    facts: () => [{ key, evidence }],
  };
}
