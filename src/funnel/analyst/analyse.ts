import type { Brief, Suspect } from '../../domain/brief.ts';
import type { Evidence } from '../../domain/evidence.ts';
import type { Incident } from '../../domain/incident.ts';
import { relativeTime } from '../../domain/relative-time.ts';
import type { Conclusion } from '../../domain/report.ts';
import { planActions } from './action-plan.ts';
import { chainOfCauses } from './causal-chain.ts';
import { spoken } from './spoken.ts';
import { TYPE_WORDS } from './type-words.ts';

/** Below this the ranker was right in one case of five when measured: a lead, not a verdict. */
const DETERMINED_FROM = 0.3;
/** A score that a single weak signal reaches by chance; a check that finds no more is healthy. */
const NOTABLE_SCORE = 0.5;
const MAX_EVIDENCE = 12;

/** The verdict of the offline analyst: what the ranking says, in words, with the evidence it rests on. No model, never throws. */
export function analyse(incident: Incident, brief: Brief): Conclusion {
  const [first, ...others] = brief.ranking.suspects.filter((suspect) => suspect.score > 0);
  if (incident.kind === 'check' && (first?.score ?? 0) < NOTABLE_SCORE && brief.rawTokens > 0) return healthy(brief);
  if (!first) return nothingFound(incident, brief);
  return blame(first, others, incident, brief);
}

function blame(first: Suspect, others: readonly Suspect[], incident: Incident, brief: Brief): Conclusion {
  const confidence = probability(brief.ranking.confidence);
  const status = confidence >= DETERMINED_FROM ? 'determined' : 'inconclusive';
  return {
    status,
    summary: spoken(summarise(first, status, incident, brief), 600),
    root_cause_service: spoken(first.service, 200),
    root_cause_type: first.rootCauseType,
    confidence,
    confidence_reasons: reasonsFor(brief),
    evidence: [...new Set(first.reasons.flatMap(({ evidenceIds }) => evidenceIds))].slice(0, MAX_EVIDENCE),
    causal_chain: chainOfCauses(first, incident, brief),
    alternatives: alternativesTo(first, others, confidence),
    action_plan: planActions(first.service, first.rootCauseType, incident, strongestEvidence(first, brief)),
  };
}

/** Who, what, on which evidence, when. */
function summarise(first: Suspect, status: Conclusion['status'], incident: Incident, brief: Brief): string {
  const service = spoken(first.service, 120);
  const strongest = first.reasons[0];
  const evidence = strongestEvidence(first, brief);
  const fact = spoken(strongest?.statement ?? 'no single piece of evidence stands out', 260);
  const when =
    evidence?.atMs === undefined || fact.includes('the alert')
      ? ''
      : `, ${relativeTime(evidence.atMs, incident.startsAtMs)}`;
  const type = TYPE_WORDS[first.rootCauseType];
  if (status === 'determined') return `${service} is the likely root cause (${type}): ${fact}${when}.`;
  return `Not determined. The strongest lead is ${service} (${type}): ${fact}${when}. ${whatIsMissing(brief)}`;
}

function strongestEvidence(suspect: Suspect, brief: Brief): Evidence | undefined {
  const [id] = suspect.reasons[0]?.evidenceIds ?? [];
  return brief.evidence.find((evidence) => evidence.id === id);
}

function whatIsMissing(brief: Brief): string {
  const kinds = new Set(brief.evidence.map(({ kind }) => kind));
  const silent = (['metric', 'log', 'trace', 'event', 'change'] as const).filter((kind) => !kinds.has(kind));
  const gap = brief.gaps[0];
  if (gap) return `Missing: ${spoken(`${gap.source}: ${gap.message}`, 120)}.`;
  if (silent.length > 0) return `No ${silent.join(', ')} evidence was found to confirm it.`;
  return 'The evidence points at several services about equally.';
}

/** Alternatives share what the verdict leaves, by their scores. */
function alternativesTo(first: Suspect, others: readonly Suspect[], confidence: number): Conclusion['alternatives'] {
  const total = others.reduce((sum, { score }) => sum + score, 0);
  return others.slice(0, 3).map((suspect) => {
    const strongest = suspect.reasons[0];
    const own = strongest ? `; its strongest evidence: ${spoken(strongest.statement, 200)}` : '';
    const share = total > 0 ? suspect.score / total : 0;
    return {
      service: spoken(suspect.service, 200),
      type: suspect.rootCauseType,
      confidence: probability(Math.min(confidence, (1 - confidence) * share)),
      why_not: spoken(
        `scores ${suspect.score.toFixed(2)} against ${first.score.toFixed(2)} of ${spoken(first.service, 120)}${own}`,
        500,
      ),
    };
  });
}

function nothingFound(incident: Incident, brief: Brief): Conclusion {
  const read = brief.rawTokens > 0;
  const what = read ? 'nothing that was read deviates from its usual state' : 'no telemetry could be read';
  const service = incident.service;
  return {
    status: 'inconclusive',
    summary: spoken(`Not determined: ${what}. ${whatIsMissing(brief)}`, 600),
    root_cause_service: null,
    root_cause_type: 'unknown',
    confidence: 0,
    confidence_reasons: [what, ...reasonsFor(brief)].slice(0, 8),
    evidence: [],
    causal_chain: [],
    alternatives: [],
    action_plan: service === undefined ? [] : planActions(service, 'unknown', incident, undefined),
  };
}

function healthy(brief: Brief): Conclusion {
  const gaps = brief.gaps.length;
  return {
    status: 'healthy',
    summary:
      gaps > 0
        ? `Nothing notable in what could be read; ${gaps} ${gaps === 1 ? 'source or list' : 'sources or lists'} could not be read in full.`
        : 'Nothing notable: no metric, log, event or state deviates.',
    root_cause_service: null,
    root_cause_type: 'none',
    confidence: gaps > 0 ? 0.5 : 0.8,
    confidence_reasons: reasonsFor(brief),
    evidence: [],
    causal_chain: [],
    alternatives: [],
    action_plan: [],
  };
}

function reasonsFor(brief: Brief): string[] {
  return brief.ranking.confidenceReasons.slice(0, 8).map((reason) => spoken(reason, 400));
}

function probability(value: number): number {
  return Number.isFinite(value) ? Math.round(1000 * Math.min(1, Math.max(0, value))) / 1000 : 0;
}
