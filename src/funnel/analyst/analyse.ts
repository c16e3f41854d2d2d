import type { Brief, Suspect, SuspectReason } from '../../domain/brief.ts';
import type { Incident } from '../../domain/incident.ts';
import { confidenceInWords } from '../../domain/confidence.ts';
import type { Conclusion } from '../../domain/report.ts';
import { chanceOfReal, NOTHING_ANOMALOUS, shareOf } from '../rank/confidence.ts';
import { planActions, planChecks } from './action-plan.ts';
import { chainOfCauses } from './causal-chain.ts';
import { changeInWords } from './change-words.ts';
import { failureWordsOf } from './failure-words.ts';
import { farChangeInWords, isFarChange } from './far-change.ts';
import { isClear } from './gist.ts';
import { healthy, isHealthy, leadOfCheck, reasonsOfTrouble } from './health.ts';
import { asSentence, spoken } from './spoken.ts';
import { complaintOf, effectOnAlerting, evidenceOf, ownGap, summarise, whatIsMissing } from './summarise.ts';

/** Below this the ranker was right in one case of five when measured: a lead, not a verdict. */
const DETERMINED_FROM = 0.3;
/** Whom the ranker did not put first is a lead at most. */
const MOST_OF_A_SECOND = 0.25;
/** Nobody reads more; the rest stands in the brief and can be asked for. */
const MAX_EVIDENCE = 6;
const MAX_REASONS = 3;
const MAX_ALTERNATIVES = 3;
/** A score, and a part of the first one, below which a service shows everyday noise: naming it costs attention. */
const NOISE_SCORE = 0.3;
const NOTABLE_SHARE = 0.15;

/** The verdict of the offline analyst: what the ranking says, in words, with the evidence it rests on. No model, never throws. */
export function analyse(incident: Incident, brief: Brief): Conclusion {
  const weighed = brief.ranking.suspects.filter((suspect) => suspect.score > 0);
  const suspects = weighed.filter((suspect) => !isFarChange(suspect, incident, brief));
  const isCheck = incident.kind === 'check';
  if (isCheck && isHealthy(brief)) return healthy(brief);
  const first = isCheck ? leadOfCheck(brief) : suspects[0];
  const others = suspects.filter(({ service }) => service !== first?.service);
  if (!first || isFarChange(first, incident, brief)) return nothingFound(incident, brief, weighed[0]);
  const isPassedOver = !isCheck && first !== weighed[0];
  return blame({ first, others, ...(isPassedOver ? { passedOver: weighed[0] } : {}) }, incident, brief);
}

interface Accused {
  readonly first: Suspect;
  readonly others: readonly Suspect[];
  /** Leads the ranking by nothing but a change far from the alert. */
  readonly passedOver?: Suspect | undefined;
}

function blame({ first, others, passedOver }: Accused, incident: Incident, brief: Brief): Conclusion {
  const confidence = probability(Math.min(brief.ranking.confidence, passedOver ? MOST_OF_A_SECOND : 1));
  const isDetermined = confidence >= DETERMINED_FROM;
  const status = isDetermined ? 'determined' : 'inconclusive';
  return {
    status,
    summary: spoken(summarise(first, status, incident, brief), 600),
    root_cause_service: spoken(first.service, 200),
    root_cause_type: first.rootCauseType,
    confidence,
    confidence_reasons: passedOver ? reasonsWithout(passedOver, incident, brief) : reasonsFor(brief),
    evidence: idsFor(first, incident, brief),
    // How a mere lead would have led to the alert is a story, and what would mend it a guess.
    causal_chain: isDetermined ? chainOfCauses(first, incident, brief) : [],
    alternatives: alternativesTo(first, others, confidence),
    action_plan: isDetermined
      ? planActions(first, incident, brief, confidenceInWords(confidence) === 'high')
      : planChecks(first, incident, brief),
  };
}

/** What the alert measures, what set it off, what names the type, what the alerting service suffers, then what else weighs and clearly changed. */
function idsFor(first: Suspect, incident: Incident, brief: Brief): string[] {
  const { trigger, reasons } = first;
  const effect = effectOnAlerting(first, incident, brief);
  const clear = evidenceOf(idsOf(reasons), brief).filter(isClear);
  const named = idsOf(first.mechanism ?? reasons.slice(0, 1));
  const words = failureWordsOf(first, evidenceOf(named, brief), brief);
  const ordered = [
    ...(brief.alertMetricIds ?? []),
    ...idsOf(trigger ? [trigger] : []),
    ...(words ? [...named.slice(0, 1), words.id] : []),
    ...named,
    ...(effect ? [effect.id] : []),
    ...complaintOf(incident, brief).map(({ id }) => id),
    ...(brief.trouble ?? []).slice(0, 3),
    ...clear.map(({ id }) => id),
  ];
  const ids = [...new Set(ordered)].slice(0, MAX_EVIDENCE);
  return ids.length > 0 ? ids : [brief.alertEvidenceId ?? []].flat();
}

function idsOf(reasons: Suspect['reasons']): string[] {
  return reasons.flatMap(({ evidenceIds }) => evidenceIds);
}

/**
 * The others with evidence of their own. Each has the chance that its evidence is real, of what the verdict leaves; together never more than that. With
 * little evidence there is little chance, however much the verdict leaves.
 */
function alternativesTo(first: Suspect, others: readonly Suspect[], confidence: number): Conclusion['alternatives'] {
  const least = Math.max(NOISE_SCORE, NOTABLE_SHARE * first.score);
  const notable = others.filter(({ score }) => score >= least).slice(0, MAX_ALTERNATIVES);
  const total = notable.reduce((sum, { score }) => sum + chanceOfReal(score), 0);
  return notable.map((suspect) => {
    const strongest = suspect.reasons[0];
    const own = strongest ? `its strongest evidence: ${spoken(inWords(strongest, suspect.service), 220)}; all of ` : '';
    const chance = (1 - confidence) * (chanceOfReal(suspect.score) / Math.max(1, total));
    return {
      service: spoken(suspect.service, 200),
      type: suspect.rootCauseType,
      confidence: probability(Math.min(confidence, chance)),
      why_not: spoken(`${own}its evidence weighs ${shareOf(suspect, first)} of that against ${first.service}`, 500),
    };
  });
}

function inWords({ type, statement }: SuspectReason, service: string): string {
  return type === 'change' ? `a change, ${changeInWords(statement, service)}` : statement;
}

/** `farChange`: the suspect whose change is too far from the alert, where there is one. */
function nothingFound(incident: Incident, brief: Brief, farChange?: Suspect): Conclusion {
  // Samples of another time are read, yet tell nothing.
  const read = brief.rawTokens > 0 && brief.kindsRead?.length !== 0;
  const deviates = farChange ? NO_SIGN : 'nothing that was read deviates from its usual state';
  const what = read ? deviates : 'no telemetry could be read';
  const known = farChange ? `, only ${farChangeInWords(farChange, incident, brief)}` : '';
  const why = ownGap(brief);
  const unknown = { service: incident.service ?? '', score: 0, rootCauseType: 'unknown', reasons: [] } as const;
  const further = farChange ? (brief.ranking.blindSpots ?? []) : furtherReasons(brief);
  return {
    status: 'inconclusive',
    summary: spoken(
      `Not determined: ${!read && why ? asSentence(why) : `${what}${known}. ${whatIsMissing(brief)}`}`,
      600,
    ),
    root_cause_service: null,
    root_cause_type: 'unknown',
    confidence: 0,
    confidence_reasons: [what, ...further].slice(0, MAX_REASONS).map((reason) => spoken(reason, 400)),
    evidence: farChange ? idsOf(farChange.reasons.slice(0, 1)).slice(0, MAX_EVIDENCE) : [],
    causal_chain: [],
    alternatives: [],
    action_plan: incident.service === undefined ? [] : planChecks(unknown, incident, brief),
  };
}

const NO_SIGN = 'no sign of trouble was found near the alert';

function reasonsWithout(farChange: Suspect, incident: Incident, brief: Brief): string[] {
  const known = `although: what weighs most is only ${farChangeInWords(farChange, incident, brief)}, with no sign of trouble there`;
  return [known, ...(brief.ranking.blindSpots ?? [])].slice(0, MAX_REASONS).map((reason) => spoken(reason, 400));
}

/** Beside that nothing was found, which is said already; where nothing at all was read there is no more to say. */
function furtherReasons(brief: Brief): readonly string[] {
  if (brief.rawTokens === 0) return [];
  return reasonsFor(brief).filter((reason) => reason !== NOTHING_ANOMALOUS);
}

function reasonsFor(brief: Brief): string[] {
  const weak = brief.ranking.confidence < DETERMINED_FROM ? reasonsOfTrouble(brief) : [];
  return (weak.length > 0 ? weak : brief.ranking.confidenceReasons)
    .slice(0, MAX_REASONS)
    .map((reason) => spoken(reason, 400));
}

function probability(value: number): number {
  return Number.isFinite(value) ? Math.round(1000 * Math.min(1, Math.max(0, value))) / 1000 : 0;
}
