import type { Ranking, Suspect, SuspectReason } from '../../domain/brief.ts';
import type { EvidenceBook } from '../../domain/evidence.ts';
import type { IncidentModel } from '../incident-model.ts';
import type { StateFinding } from '../layers.ts';
import { median } from '../metrics/statistics.ts';
import { rankContext, type Clue, type RankContext, type RankInput } from './clue.ts';
import { confidenceOf } from './confidence.ts';
import { decideType } from './decide-type.ts';
import { disturbanceClues } from './disturbance.ts';
import { edgeClues } from './edge.ts';
import { flowBreakClues } from './flow-break.ts';
import { fuseClues, type Standing, type WeighedClue } from './fusion.ts';
import { genericClues } from './generic.ts';
import { goneClues } from './gone.ts';
import { discountHearsay } from './hearsay.ts';
import { limitClues } from './limit.ts';
import { compareLogs } from './log-lines.ts';
import { missingLineClues } from './missing-line.ts';
import { newErrorClues } from './new-error.ts';
import { saturationClues } from './saturation.ts';
import { shareClues } from './share.ts';
import { stateClues } from './state.ts';
import { traceClues } from './trace.ts';
import { triggerOf } from './trigger.ts';
import { discountWaiting } from './waiting.ts';

/** Suspects beyond these keep their score but no reasons: nobody reads the evidence of the eleventh. */
const REASONED_SUSPECTS = 10;
const MAX_REASONS = 4;
const MAX_MECHANISM = 2;
/** A clue below this is everyday noise; it counts, but it is no reason to give. */
const MIN_REASON_SCORE = 0.1;

/**
 * Ranks every known service by the evidence that it is where the trouble arises. Deterministic. Each reason carries the ids of
 * its evidence, which is added to `book` under the keys the layers use.
 */
export function rankSuspects(model: IncidentModel, input: RankInput, book: EvidenceBook): Ranking {
  const context = rankContext(model, input);
  const standings = fuseClues(context, discountHearsay(context, discountWaiting(context, allClues(context))));
  const { value, reasons, blindSpots } = confidenceOf(model, standings);
  const suspects = standings.map((standing, place) => suspectOf(context, standing, place, book));
  return {
    suspects,
    confidence: value,
    confidenceReasons: reasons,
    ...(blindSpots.length > 0 ? { blindSpots } : {}),
  };
}

function allClues(context: RankContext): Clue[] {
  const logs = compareLogs(context);
  const errors = newErrorClues(context, logs);
  const profiles = disturbanceClues(context);
  return [
    ...shareClues(context),
    ...edgeClues(context),
    ...traceClues(context),
    ...saturationClues(context, 'cpu'),
    ...saturationClues(context, 'memory'),
    ...limitClues(context),
    ...errors,
    ...missingLineClues(context, logs),
    ...flowBreakClues(context),
    ...stateClues(context, errors),
    ...goneClues(context),
    ...(profiles.length > 0 ? profiles : genericClues(context)),
  ];
}

function suspectOf(context: RankContext, standing: Standing, place: number, book: EvidenceBook): Suspect {
  const { service, score, clues, all } = standing;
  const { type, naming } = decideType(service, all);
  const telling = clues.filter((weighed, i) => i === 0 || weighed.score >= MIN_REASON_SCORE);
  const reasons = (place < REASONED_SUSPECTS ? telling.slice(0, MAX_REASONS) : []).map((clue) => reasonOf(clue, book));
  const suspect = { service, score, rootCauseType: type, reasons };
  if (place > 0 || score <= 0) return suspect;
  const mechanism = naming.filter(({ clue }) => clue.type !== 'change').slice(0, MAX_MECHANISM);
  const trigger = triggerOf(context, service, onsetOf(context, standing));
  return {
    ...suspect,
    mechanism: (mechanism.length > 0 ? mechanism : telling.slice(0, 1)).map((clue) => reasonOf(clue, book)),
    ...(trigger ? { trigger: triggerReason(trigger, clues, book) } : {}),
  };
}

function reasonOf({ clue, score }: WeighedClue, book: EvidenceBook): SuspectReason {
  const evidenceIds = clue.facts().map(({ key, evidence }) => book.add(key, evidence));
  return { type: clue.type, score, statement: clue.statement(), evidenceIds };
}

function triggerReason(
  { key, evidence }: StateFinding,
  clues: readonly WeighedClue[],
  book: EvidenceBook,
): SuspectReason {
  const score = clues.find(({ clue }) => clue.type === 'change')?.score ?? 0;
  return { type: 'change', score, statement: evidence.statement, evidenceIds: [book.add(key, evidence)] };
}

/** When the trouble began, at the latest the alert: the middle of the times of what speaks against the service, for a single series may peak early by chance. */
function onsetOf({ model }: RankContext, { clues }: Standing): number {
  const { fromMs } = model.window;
  const signs = clues
    .filter(({ clue, score }) => clue.type !== 'change' && score >= MIN_REASON_SCORE)
    .flatMap(({ clue }) => clue.facts().flatMap(({ evidence }) => evidence.atMs ?? []));
  const inWindow = signs.filter((atMs) => atMs >= fromMs);
  return inWindow.length > 0 ? Math.min(model.triggerMs, median(inWindow)) : model.triggerMs;
}
