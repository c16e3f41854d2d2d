import type { Clue, ClueType, RankContext } from './clue.ts';
import { priorOf } from './prior.ts';

/**
 * Weight of a type at full strength. The more specific the physical effect, the heavier. The state of objects is a fact, not an
 * inference: alone it ranked recorded Kubernetes faults better than a mixture in which it weighed little more than metrics. A
 * disturbed profile is as heavy as it is because it speaks only where the kinds that measure the symptom are absent: it stands in for them all.
 */
export const WEIGHT: Readonly<Record<ClueType, number>> = {
  object: 5,
  share: 3,
  edge: 3,
  trace: 3,
  cpu: 3,
  memory: 2.4,
  limit: 2,
  'missing-line': 2.4,
  'flow-break': 2.2,
  'new-error': 2.2,
  blame: 2.2,
  change: 2.2,
  disturbance: 4,
  gone: 1.6,
  generic: 1.2,
};

/** What the first, second and third strongest type add. Agreement helps, yet cannot outvote one strong effect. */
const PLACES = [1, 0.35, 0.15] as const;

export interface WeighedClue {
  readonly clue: Clue;
  readonly score: number;
}

export interface Standing {
  readonly service: string;
  readonly score: number;
  /** One a type, heaviest first: what the score is made of. */
  readonly clues: readonly WeighedClue[];
  /** All of them, heaviest first: what the type of the cause is read from. */
  readonly all: readonly WeighedClue[];
}

/**
 * One score a service: first + .35 second + .15 third of its clues, each weighted by its type and the prior, one a type. Types are never normalised
 * against each other; one without usable data adds nothing. Sorted best first; at equal scores the service deeper in
 * the call graph comes first, then by name, so that the order is the same on every run.
 */
export function fuseClues(context: RankContext, clues: readonly Clue[]): Standing[] {
  const byService = new Map<string, WeighedClue[]>();
  for (const name of context.model.services.names) byService.set(name, []);
  for (const clue of clues) {
    const weighed = byService.get(clue.service) ?? [];
    const score = WEIGHT[clue.type] * clue.strength * priorOf(context, clue.service, clue.type);
    weighed.push({ clue, score });
    byService.set(clue.service, weighed);
  }
  const depth = (service: string) => context.model.services.distance(service) ?? -1;
  return [...byService]
    .map(([service, weighed]) => standingOf(service, weighed))
    .sort((a, b) => b.score - a.score || depth(b.service) - depth(a.service) || (a.service < b.service ? -1 : 1));
}

function standingOf(service: string, weighed: readonly WeighedClue[]): Standing {
  const all = [...weighed].sort((a, b) => b.score - a.score);
  const clues = onePerType(all);
  const total = PLACES.reduce((sum, place, i) => sum + place * (clues[i]?.score ?? 0), 0);
  // Rounded, so that noise in the last bits does not order services.
  return { service, score: Number(total.toFixed(9)), clues, all };
}

function onePerType(heaviestFirst: readonly WeighedClue[]): WeighedClue[] {
  const seen = new Set<ClueType>();
  return heaviestFirst.filter(({ clue: { type } }) => !seen.has(type) && seen.add(type));
}
