import { strongestByService, type Clue, type RankContext } from './clue.ts';
import type { StateFinding } from '../layers.ts';

/** What was seen to happen counts a little less than what still is. */
const EVENT_WEIGHT = 0.85;
/** What each further grave condition of a service adds, so that of two equal ones the service with more to show comes first. */
const AGREEING = 0.015;
const MOST_AGREEING = 3;
const GRAVE = 0.5;

/**
 * Conditions of objects and events about them. Measures how likely the condition alone stops the service, by its general
 * Kubernetes meaning (severity of the finding, with consequences already discounted). Current state outweighs events. A change is a
 * kind of its own: it proves nothing by itself, yet agrees with what it broke.
 */
export function stateClues(context: RankContext): Clue[] {
  const clues = context.input.states.map(stateClue);
  const [objects, changes] = [
    clues.filter(({ type }) => type === 'object'),
    clues.filter(({ type }) => type === 'change'),
  ];
  const grave = new Map<string, number>();
  for (const { service, strength } of objects) {
    if (strength >= GRAVE) grave.set(service, (grave.get(service) ?? 0) + 1);
  }
  const others = (service: string) => Math.min(MOST_AGREEING, (grave.get(service) ?? 1) - 1);
  const strongest = strongestByService(objects).map((clue) => ({
    ...clue,
    strength: Math.min(1, clue.strength + AGREEING * Math.max(0, others(clue.service))),
  }));
  return [...strongest, ...strongestByService(changes)];
}

function stateClue({ key, evidence, service, severity, rootCauseType }: StateFinding): Clue {
  return {
    type: evidence.kind === 'change' ? 'change' : 'object',
    service,
    strength: Math.min(1, severity) * (evidence.kind === 'event' ? EVENT_WEIGHT : 1),
    statement: () => evidence.statement,
    rootCauseType,
    facts: () => [{ key, evidence }],
  };
}
