import type { Report } from './report.ts';

type Item = Report['evidence'][number];

export interface EvidenceParts {
  /** What the conclusion rests on. */
  readonly own: readonly Item[];
  /** What speaks against it. */
  readonly against: readonly Item[];
  /** What only alternatives and the reasons for the confidence name. */
  readonly others: readonly Item[];
}

/** The evidence of a report by what it is there for, each item once. A report lists it in the order of first citation: the conclusion's own comes first. */
export function partsOfEvidence(
  report: Pick<Report, 'evidence' | 'contradicting' | 'causal_chain' | 'alternatives' | 'confidence_reasons'>,
): EvidenceParts {
  const { evidence, contradicting = [], causal_chain: chain, alternatives, confidence_reasons: reasons } = report;
  const steps = new Set(chain.flatMap((step) => step.evidence));
  const lastStep = evidence.findLastIndex(({ id }) => steps.has(id));
  const elsewhere = new Set(
    alternatives.flatMap(({ supporting = [], contradicting: against = [] }) => [...supporting, ...against]),
  );
  const isElsewhere = ({ id }: Item) => elsewhere.has(id) || reasons.some((reason) => namesId(reason, id));
  const isAgainst = ({ id }: Item) => contradicting.includes(id) && !steps.has(id);
  const isOther = (item: Item, place: number) => steps.size > 0 && place > lastStep && isElsewhere(item);
  return {
    own: evidence.filter((item, place) => !isAgainst(item) && !isOther(item, place)),
    against: evidence.filter(({ id }) => contradicting.includes(id)),
    others: evidence.filter((item, place) => !isAgainst(item) && isOther(item, place)),
  };
}

function namesId(text: string, id: string): boolean {
  return new RegExp(`\\b${id}\\b`).test(text);
}
