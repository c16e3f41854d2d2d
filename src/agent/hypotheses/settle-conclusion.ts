import type { Brief } from '../../domain/brief.ts';
import { withReasons } from '../../domain/confidence.ts';
import type { Evidence } from '../../domain/evidence.ts';
import { nameOfHypothesis, type WeighedHypothesis } from '../../domain/hypothesis.ts';
import type { Conclusion } from '../../domain/report.ts';
import { alternativesOf } from './alternatives.ts';
import { capOf, levelOf, type Level } from './confidence-cap.ts';

export interface SettlingInput {
  readonly hypotheses: readonly WeighedHypothesis[];
  readonly brief: Brief;
  /** Everything known at the end. */
  readonly evidence: readonly Evidence[];
}

/** A named cause that nobody tested, or that tests speak against, is a lead. The analyst draws the same line. */
const DETERMINED_FROM = 0.3;
const REFUTED_CONFIDENCE = 0.3;
const RIVALLED_CONFIDENCE = 0.45;
const NOT_HEALTHY_CONFIDENCE = 0.2;
const DISPUTED_FACTOR = 0.7;
const MOST_IDS = 20;
/** Of the leader's score: nearer than this, the ranker cannot tell two suspects apart. */
const TIE = 0.95;
/** Where tests speak as much for either of two, one that was a third as likely before competes, and a less likely one does not. */
const COMPETES = 1 / 3;

/** What the rules say: the least upper bound of the confidence, and whether the cause may be called determined. */
interface Ruling {
  readonly cap: number;
  readonly isOpen: boolean;
  readonly reasons: readonly string[];
}

/**
 * Settles status and confidence of a verified conclusion of the agent by what was found, not by what the model thinks of it: rules and figures stand in
 * docs/report-format.md. Confidence only falls, a status only becomes less certain. Every hypothesis that was dropped becomes an alternative that says why. Pure.
 */
export function settleConclusion(conclusion: Conclusion, input: SettlingInput): Conclusion {
  if (conclusion.status === 'healthy') return settleHealth(conclusion, input);
  const chosen = chosenOf(conclusion, input.hypotheses);
  const level = levelOf(conclusion, chosen, input);
  const ruling = combine(rule(conclusion, chosen, level, input));
  const confidence = Math.round(1000 * Math.min(conclusion.confidence, ruling.cap)) / 1000;
  const isOpen = ruling.isOpen || confidence < DETERMINED_FROM;
  const settled = { ...conclusion, confidence, status: isOpen ? ('inconclusive' as const) : conclusion.status };
  return {
    ...settled,
    ...contradictingOf(conclusion, chosen),
    confidence_reasons: withReasons(conclusion.confidence_reasons, ruling.reasons),
    alternatives: alternativesOf(settled, chosen, input.hypotheses),
  };
}

/** What speaks against the cause that is named stays in sight, whoever found it. */
function contradictingOf(
  { contradicting = [] }: Conclusion,
  chosen: WeighedHypothesis | undefined,
): Pick<Conclusion, 'contradicting'> {
  const ids = [...new Set([...contradicting, ...(chosen?.contradicting ?? [])])];
  return ids.length > 0 ? { contradicting: ids.slice(0, MOST_IDS) } : {};
}

/** The hypothesis that the conclusion names; undefined when it names none of them, or nothing. */
function chosenOf(
  { root_cause_service: service, root_cause_type: type }: Conclusion,
  hypotheses: readonly WeighedHypothesis[],
): WeighedHypothesis | undefined {
  return hypotheses.find((one) =>
    service === null ? one.service === null && one.type === type : one.service === service,
  );
}

function rule(
  conclusion: Conclusion,
  chosen: WeighedHypothesis | undefined,
  level: Level,
  input: SettlingInput,
): readonly Ruling[] {
  const { root_cause_service: service, root_cause_type: type } = conclusion;
  const name = service ?? (chosen ? nameOfHypothesis(chosen) : type.replaceAll('_', ' '));
  if (service === null && (type === 'unknown' || type === 'none'))
    return [open(REFUTED_CONFIDENCE, conclusion, 'no cause is named, so nothing is determined')];
  const { cap, reason } = capOf(chosen, level, name, input);
  // Whoever doubts the ranker has to have looked.
  const isOpen = level.name === 'brief' && chosen !== input.hypotheses[0];
  // That somebody tested it and spoke against it is told below.
  const isTold = chosen !== undefined && chosen.objections.length > 0 && !level.tested;
  const capped = conclusion.confidence > cap ? [`${reason}: at most ${cap.toFixed(2)}`] : level.tested ? [reason] : [];
  const told = isTold ? [] : capped;
  const rulings: Ruling[] = [{ cap, isOpen, reasons: told }];
  if (chosen) rulings.push(...ruleOnTests(chosen, name, conclusion));
  const rival = strongestRival(chosen, input);
  if (rival)
    rulings.push(
      open(RIVALLED_CONFIDENCE, conclusion, `${nameOfHypothesis(rival)} has as much in its favour as ${name}, or more`),
    );
  return rulings;
}

function ruleOnTests(chosen: WeighedHypothesis, name: string, { confidence }: Conclusion): readonly Ruling[] {
  const { tests, contradicting, objections } = chosen;
  if (objections.length === 0) return [];
  const ids = contradicting.slice(0, 6).join(', ');
  if (tests.contradicts > inFavourOf(chosen))
    return [
      {
        cap: REFUTED_CONFIDENCE,
        isOpen: true,
        reasons: [`Lowered: ${name} was tested, and more speaks against it than for it (${ids}).`],
      },
    ];
  const why =
    tests.contradicts > 0
      ? `tests of ${name} contradict one another (against it: ${ids})`
      : `a sub-agent takes known evidence to speak against ${name} (${ids})`;
  return [{ cap: confidence * DISPUTED_FACTOR, isOpen: false, reasons: [`Lowered: ${why}.`] }];
}

/** Tests that speak for it: those that support it, and an attempt to refute it that came to nothing. */
function inFavourOf({ tests, survivedRefutation }: WeighedHypothesis): number {
  return tests.supports + (survivedRefutation ? 1 : 0);
}

/** Another that tests support as much, or, without any test, one that the ranker cannot tell from the leader. */
function strongestRival(
  chosen: WeighedHypothesis | undefined,
  { hypotheses, brief }: SettlingInput,
): WeighedHypothesis | undefined {
  const balance = (one: WeighedHypothesis) => inFavourOf(one) - one.tests.contradicts;
  const own = chosen ? balance(chosen) : 0;
  const competes = (one: WeighedHypothesis) =>
    balance(one) > own || (balance(one) === own && one.prior >= COMPETES * (chosen?.prior ?? 0));
  const others = hypotheses.filter((one) => one !== chosen);
  const supported = others
    .filter((one) => balance(one) >= 1 && competes(one))
    .toSorted((a, b) => balance(b) - balance(a))[0];
  if (supported) return supported;
  const isTested = hypotheses.some(({ tests }) => tests.supports + tests.contradicts > 0);
  const [first, second] = brief.ranking.suspects;
  if (isTested || !first || !second || second.score < TIE * first.score || first.score <= 0) return undefined;
  return others.find(({ service }) => service === first.service || service === second.service);
}

/** Healthy stands only when nothing that was found speaks for a cause. */
function settleHealth(conclusion: Conclusion, { hypotheses }: SettlingInput): Conclusion {
  const supported = hypotheses.find(({ tests, type }) => type !== 'none' && tests.supports > tests.contradicts);
  const nothing = hypotheses.find(({ type, service }) => type === 'none' && service === null);
  if (!supported) return { ...conclusion, alternatives: alternativesOf(conclusion, nothing, hypotheses) };
  const reason = `Lowered: not healthy, for tests support ${nameOfHypothesis(supported)} (${supported.supporting.slice(-6).join(', ')}).`;
  const settled = {
    ...conclusion,
    status: 'inconclusive' as const,
    root_cause_type: 'unknown' as const,
    confidence: Math.min(conclusion.confidence, NOT_HEALTHY_CONFIDENCE),
    confidence_reasons: withReasons(conclusion.confidence_reasons, [reason]),
  };
  return { ...settled, alternatives: alternativesOf(settled, undefined, hypotheses) };
}

function open(cap: number, { confidence }: Conclusion, why: string): Ruling {
  return { cap: Math.min(cap, confidence), isOpen: true, reasons: [`Lowered: ${why}.`] };
}

function combine(rulings: readonly Ruling[]): Ruling {
  return {
    cap: Math.min(...rulings.map(({ cap }) => cap)),
    isOpen: rulings.some(({ isOpen }) => isOpen),
    reasons: rulings.flatMap(({ reasons }) => reasons),
  };
}
