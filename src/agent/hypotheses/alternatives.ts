import { nameOfHypothesis, type WeighedHypothesis } from '../../domain/hypothesis.ts';
import type { Conclusion } from '../../domain/report.ts';
import { clip, oneLine } from '../../policy/untrusted.ts';

type Alternative = Conclusion['alternatives'][number];

/** As many as a conclusion may have. */
const MOST = 5;
/** The whole lists are in the session. */
const MOST_IDS = 4;
const REFUTED_CONFIDENCE = 0.02;
const LONGEST_WHY = 500;

/**
 * The alternatives of a conclusion: every hypothesis but the chosen one, with what speaks for and against it and why it was dropped, in the model's words
 * or, where it said nothing, by what was found; then what else the model named.
 */
export function alternativesOf(
  conclusion: Conclusion,
  chosen: WeighedHypothesis | undefined,
  hypotheses: readonly WeighedHypothesis[],
): Alternative[] {
  const dropped = hypotheses.filter(
    (one) => one !== chosen && one.service !== (conclusion.root_cause_service ?? undefined),
  );
  const own = new Map(
    dropped.map((one) => [one.id, conclusion.alternatives.find((alternative) => isSame(alternative, one))]),
  );
  const named = new Set(own.values());
  const { root_cause_service: cause, root_cause_type: type } = conclusion;
  const rest = conclusion.alternatives.filter(
    (alternative) => !named.has(alternative) && !(alternative.service === cause && alternative.type === type),
  );
  const all = [...dropped.map((one) => ofHypothesis(one, own.get(one.id), conclusion)), ...rest.map(withoutId)];
  return all.map((alternative) => notAbove(conclusion, alternative)).slice(0, MOST);
}

function isSame(alternative: Alternative, one: WeighedHypothesis): boolean {
  return alternative.service === nameOfHypothesis(one) || (alternative.hypothesis === one.id && one.service === null);
}

function ofHypothesis(one: WeighedHypothesis, own: Alternative | undefined, conclusion: Conclusion): Alternative {
  const isRefuted = one.tests.contradicts > one.tests.supports;
  const confidence = own?.confidence ?? Math.min(one.prior, 1 - conclusion.confidence);
  // What was held against it when it was looked at no longer speaks for it.
  const against = [...(own?.contradicting ?? []), ...one.contradicting];
  return {
    service: nameOfHypothesis(one),
    type: own?.type ?? one.type,
    confidence: round(isRefuted ? Math.min(confidence, REFUTED_CONFIDENCE) : confidence),
    why_not: own?.why_not ?? whyNot(one),
    hypothesis: one.id,
    supporting: foremost(
      [...(own?.supporting ?? []), ...one.supporting].filter((id) => !against.includes(id)),
      one,
    ),
    contradicting: foremost(against, one),
  };
}

/** What tests found tells most. */
function foremost(ids: readonly string[], { testedBy }: WeighedHypothesis): string[] {
  const isOfTest = (id: string) => testedBy.includes(id);
  const ordered = new Set([...ids.filter(isOfTest), ...ids]);
  return [...ordered].slice(0, MOST_IDS);
}

/** Where the model gave no reason, what was found is one; that nobody looked is none, and is said. The ids stand beside it. */
function whyNot({ objections, tests, survivedRefutation, testedBy }: WeighedHypothesis): string {
  if (objections.length > 0) return clip(oneLine(`held against it: ${objections.join('; ')}`), LONGEST_WHY);
  if (tests.supports > 0) return 'not chosen, though a test supports it';
  if (survivedRefutation) return 'not chosen, though an attempt to refute it found nothing';
  return testedBy.length > 0
    ? 'not chosen; tests spoke neither for it nor against it'
    : 'not chosen, and not ruled out either: nobody tested it';
}

/** Only code says which hypothesis an alternative was. */
function withoutId(alternative: Alternative): Alternative {
  const { hypothesis: _, ...rest } = alternative;
  return rest;
}

/** Nothing is likelier than the cause that is named. */
function notAbove({ root_cause_service: service, confidence }: Conclusion, alternative: Alternative): Alternative {
  return service === null ? alternative : { ...alternative, confidence: Math.min(alternative.confidence, confidence) };
}

function round(value: number): number {
  return Math.round(1000 * Math.max(0, value)) / 1000;
}
