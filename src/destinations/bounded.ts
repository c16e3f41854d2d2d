import type { DeliveryContent } from '../domain/delivery.ts';

/** Of a list. More than anybody reads in a post, and than any place has room for; to render ten thousand would stop a worker for seconds. */
const MOST = 500;

/** The content with lists that are rendered in no time; what is left out is the first gap. */
export function bounded<T extends DeliveryContent>(content: T): T {
  const { evidence, alternatives, gaps } = content.report;
  const left = [
    ...missing(evidence, 'pieces of evidence'),
    ...missing(alternatives, 'suspects'),
    ...missing(gaps, 'gaps'),
  ];
  if (left.length === 0) return content;
  const report = {
    ...content.report,
    evidence: evidence.slice(0, MOST),
    alternatives: alternatives.slice(0, MOST),
    gaps: [`only the stored report has ${left.join(', ')}`, ...gaps.slice(0, MOST)],
  };
  return { ...content, report };
}

function missing(list: readonly unknown[], noun: string): readonly string[] {
  return list.length > MOST ? [`${list.length - MOST} more ${noun}`] : [];
}
