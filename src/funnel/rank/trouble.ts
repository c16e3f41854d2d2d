import type { Ranking } from '../../domain/brief.ts';
import type { EvidenceBook } from '../../domain/evidence.ts';
import type { IncidentModel } from '../incident-model.ts';
import type { StateFinding } from '../layers.ts';
import { isAlarming } from '../metrics/alarming.ts';
import { metricFact } from '../metrics/metric-evidence.ts';

/** Below this a condition is worth a line, not a word of trouble. */
const GRAVE = 0.3;
/** Reasons of the ranker that are facts by themselves, and the weight from which they are no noise. */
const TELLING_REASONS: ReadonlySet<string> = new Set(['new-error', 'blame', 'object']);
const TELLING_SCORE = 0.3;
const MAX_IDS = 12;

/**
 * Ids of the evidence that forbids the word healthy: metrics beyond an absolute bar, grave states and events, new errors; those of the first
 * suspects first. Empty: nothing of what was read shows trouble.
 */
export function findTrouble(
  model: IncidentModel,
  findings: readonly StateFinding[],
  ranking: Ranking,
  book: EvidenceBook,
): readonly string[] {
  const place = new Map(ranking.suspects.map(({ service }, index) => [service, index]));
  const inOrder = <T extends { readonly service: string }>(list: readonly T[]) =>
    list.toSorted((a, b) => (place.get(a.service) ?? Infinity) - (place.get(b.service) ?? Infinity));
  const metrics = inOrder(model.series.filter(isAlarming)).slice(0, MAX_IDS);
  const grave = findings.filter(({ evidence, severity }) => evidence.kind !== 'change' && severity >= GRAVE);
  const reasons = ranking.suspects
    .flatMap((suspect) => suspect.reasons)
    .filter(({ type, score }) => TELLING_REASONS.has(type) && score >= TELLING_SCORE);
  const ids = [
    ...metrics.map((view) => metricFact(view, model.triggerMs)).map(({ key, evidence }) => book.add(key, evidence)),
    ...inOrder(grave)
      .slice(0, MAX_IDS)
      .map(({ key, evidence }) => book.add(key, evidence)),
    ...reasons.flatMap(({ evidenceIds }) => evidenceIds),
  ];
  return [...new Set(ids)].slice(0, MAX_IDS);
}
