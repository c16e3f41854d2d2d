import type { Ranking, Suspect, SuspectReason } from '../../domain/brief.ts';
import type { EvidenceBook } from '../../domain/evidence.ts';
import type { RootCauseType } from '../../domain/root-cause-type.ts';
import type { IncidentModel } from '../incident-model.ts';
import { rankContext, type Clue, type RankContext, type RankInput } from './clue.ts';
import { confidenceOf } from './confidence.ts';
import { disturbanceClues } from './disturbance.ts';
import { edgeClues } from './edge.ts';
import { fuseClues, type Standing } from './fusion.ts';
import { genericClues } from './generic.ts';
import { goneClues } from './gone.ts';
import { compareLogs } from './log-lines.ts';
import { missingLineClues } from './missing-line.ts';
import { newErrorClues } from './new-error.ts';
import { saturationClues } from './saturation.ts';
import { natureOf } from './service-nature.ts';
import { shareClues } from './share.ts';
import { stateClues } from './state.ts';
import { traceClues } from './trace.ts';

/** Suspects beyond these keep their score but no reasons: nobody reads the evidence of the eleventh. */
const REASONED_SUSPECTS = 10;
const MAX_REASONS = 4;
/** A clue below this is everyday noise; it counts, but it is no reason to give. */
const MIN_REASON_SCORE = 0.1;

/**
 * Ranks every known service by the evidence that it is where the trouble arises. Deterministic. Each reason carries the ids of
 * its evidence, which is added to `book` under the keys the layers use.
 */
export function rankSuspects(model: IncidentModel, input: RankInput, book: EvidenceBook): Ranking {
  const context = rankContext(model, input);
  const standings = fuseClues(context, allClues(context));
  const confidence = confidenceOf(model, standings);
  const suspects = standings.map((standing, place) => suspectOf(standing, place < REASONED_SUSPECTS, book));
  return { suspects, confidence: confidence.value, confidenceReasons: confidence.reasons };
}

function allClues(context: RankContext): Clue[] {
  const logs = compareLogs(context);
  return [
    ...shareClues(context),
    ...edgeClues(context),
    ...traceClues(context),
    ...saturationClues(context, 'cpu'),
    ...saturationClues(context, 'memory'),
    ...newErrorClues(context, logs),
    ...missingLineClues(context, logs),
    ...stateClues(context),
    ...goneClues(context),
    ...disturbanceClues(context),
    ...genericClues(context),
  ];
}

function suspectOf(standing: Standing, isReasoned: boolean, book: EvidenceBook): Suspect {
  const telling = standing.clues.filter(({ score }, place) => place === 0 || score >= MIN_REASON_SCORE);
  const clues = isReasoned ? telling.slice(0, MAX_REASONS) : [];
  const reasons = clues.map(({ clue, score }): SuspectReason => {
    const evidenceIds = clue.facts().map(({ key, evidence }) => book.add(key, evidence));
    return { type: clue.type, score, statement: clue.statement, evidenceIds };
  });
  return { service: standing.service, score: standing.score, rootCauseType: typeOf(standing), reasons };
}

/**
 * A lighter clue may name the type when the heaviest does not know it, unless it is far lighter. Else the service's name may
 * say what it is.
 */
const NAMING_SHARE = 0.25;

function typeOf({ service, clues }: Standing): RootCauseType {
  const heaviest = clues[0]?.score ?? 0;
  const naming = clues.find(({ clue, score }) => clue.rootCauseType !== 'unknown' && score >= NAMING_SHARE * heaviest);
  return naming?.clue.rootCauseType ?? (heaviest > 0 ? natureOf(service) : 'unknown');
}
