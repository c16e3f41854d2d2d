import type { Evidence } from '../../domain/evidence.ts';
import type { Conclusion } from '../../domain/report.ts';
import { clip } from '../../policy/untrusted.ts';
import type { Findings } from './findings.ts';

export type ById = ReadonlyMap<string, Evidence>;

/** A step with its place in the conclusion as it was written: problems are told by that, whatever was taken out before it. */
interface PlacedStep {
  readonly step: Conclusion['causal_chain'][number];
  readonly place: number;
}

/** Takes out ids that do not exist, and the steps that rest on nothing else. Confidence falls by their share of all citations. */
export function checkCitations(conclusion: Conclusion, byId: ById, findings: Findings): Conclusion {
  const all = [...conclusion.evidence, ...conclusion.causal_chain.flatMap((step) => step.evidence)];
  const missing = all.filter((id) => !byId.has(id));
  const existing = (ids: readonly string[], path: string) =>
    [...new Set(ids)].filter((id) => {
      if (!byId.has(id))
        findings.problem(`${path}[${ids.indexOf(id)}]`, 'cites evidence that does not exist in this run');
      return byId.has(id);
    });

  const evidence = existing(conclusion.evidence, 'evidence');
  const steps = conclusion.causal_chain.flatMap((step, place): PlacedStep[] => {
    const ids = existing(step.evidence, `causal_chain[${place}].evidence`);
    if (step.evidence.length > 0 && ids.length === 0) {
      findings.removed.push(
        `Step about ${step.service}: it cited only evidence that does not exist (${step.evidence.join(', ')}).`,
      );
      return [];
    }
    return [{ step: { ...step, evidence: ids }, place }];
  });
  if (missing.length > 0) {
    const names = [...new Set(missing)].join(', ');
    const share = (all.length - missing.length) / all.length;
    findings.lower(
      conclusion.confidence * share,
      `Lowered: ${missing.length} of ${all.length} citations do not exist (${names}).`,
    );
    findings.removed.push(`Citations of evidence that does not exist: ${names}.`);
  }
  const alternatives = conclusion.alternatives.map((alternative, place) => ({
    ...alternative,
    ...existingOf(alternative, `alternatives[${place}].`, existing),
  }));
  const { contradicting } = existingOf(conclusion, '', existing);
  return {
    ...conclusion,
    evidence,
    ...(contradicting ? { contradicting } : {}),
    causal_chain: markUncited(steps, findings),
    alternatives,
  };
}

type Cites = Pick<Conclusion['alternatives'][number], 'supporting' | 'contradicting'>;

/** What speaks against the cause, or for and against an alternative, supports no claim: wrong ids are taken out and told, and cost no confidence. */
function existingOf(
  { supporting, contradicting }: Cites,
  path: string,
  existing: (ids: readonly string[], path: string) => string[],
): Cites {
  return {
    ...(supporting ? { supporting: existing(supporting, `${path}supporting`) } : {}),
    ...(contradicting ? { contradicting: existing(contradicting, `${path}contradicting`) } : {}),
  };
}

/** An uncited step may be sound reasoning, but it must not pass for an observation. */
function markUncited(steps: readonly PlacedStep[], findings: Findings): Conclusion['causal_chain'] {
  const mark = ' (not validated: no evidence cited)';
  const uncited = steps.filter(({ step }) => step.evidence.length === 0).length;
  if (uncited === 0) return steps.map(({ step }) => step);
  const supported = (steps.length - uncited) / steps.length;
  findings.lower(
    findings.confidence * (0.5 + supported / 2),
    `Lowered: ${uncited} of ${steps.length} steps of the causal chain cite no evidence.`,
  );
  return steps.map(({ step, place }) => {
    if (step.evidence.length > 0) return step;
    findings.problem(`causal_chain[${place}].evidence`, 'cite at least one id');
    return step.statement.endsWith(mark)
      ? step
      : { ...step, statement: `${clip(step.statement, 600 - mark.length)}${mark}` };
  });
}
