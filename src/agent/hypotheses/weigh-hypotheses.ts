import type { Evidence } from '../../domain/evidence.ts';
import type { Finding } from '../../domain/finding.ts';
import type { Hypothesis, WeighedHypothesis } from '../../domain/hypothesis.ts';
import type { Conclusion } from '../../domain/report.ts';
import { isTestOf } from '../../policy/claims/subjects.ts';
import { refutationOf } from './refutations.ts';

/** What one sub-agent found, and what it was to do. Plain JSON: it is kept with the run. */
export interface HypothesisTest {
  readonly finding: Finding;
  readonly hypothesis?: string;
  readonly stance?: 'test' | 'refute';
}

export interface WeighingInput {
  readonly hypotheses: readonly Hypothesis[];
  readonly tests: readonly HypothesisTest[];
  /** Everything known at the end. */
  readonly evidence: readonly Evidence[];
  /** Ids of what was known at the start: citing it again tests nothing. */
  readonly known: ReadonlySet<string>;
}

const MOST_IDS = 20;
const MOST_OBJECTIONS = 3;

/** Of what a conclusion names that was no hypothesis: one of its own, that nobody tested. */
export function ownHypothesis(
  { root_cause_service: service, root_cause_type: type, evidence, contradicting = [] }: Conclusion,
  hypotheses: readonly Hypothesis[],
): WeighedHypothesis | undefined {
  if (service === null || hypotheses.some((one) => one.service === service)) return undefined;
  return {
    id: `H${hypotheses.length + 1}`,
    service,
    type,
    statement: `It began in ${service}: named by the agent, and none of the hypotheses before`,
    refutedBy: refutationOf(type, service),
    prior: 0,
    supporting: evidence,
    contradicting,
    tests: { supports: 0, contradicts: 0 },
    survivedRefutation: false,
    testedBy: [],
    objections: [],
  };
}

type Verdict = Finding['verdicts'][number] & { readonly refutes: boolean };

/**
 * Adds to each hypothesis what the sub-agents found for and against it. A verdict counts as a test when it cites new evidence, for what was known before
 * is in the prior already; one that speaks for the accused service needs new evidence about that. What speaks against it may lie elsewhere: others may
 * have changed before. Pure, in the order given.
 */
export function weighHypotheses(input: WeighingInput): readonly WeighedHypothesis[] {
  const byId = new Map(input.evidence.map((item) => [item.id, item]));
  return input.hypotheses.map((hypothesis) => {
    const verdicts = verdictsOn(hypothesis.id, input.tests).map((verdict) => ({
      ...verdict,
      evidence: [...new Set(verdict.evidence)].filter((id) => byId.has(id)),
    }));
    const isNew = (id: string) => !input.known.has(id);
    const looksAtIt = ({ evidence }: Verdict) =>
      evidence.some((id) => {
        const item = byId.get(id);
        return item !== undefined && isNew(id) && isTestOf(item, hypothesis.service);
      });
    const supports = verdicts.filter((one) => one.verdict === 'supports' && looksAtIt(one));
    const contradicts = verdicts.filter((one) => one.verdict === 'contradicts' && one.evidence.length > 0);
    const tested = contradicts.filter(({ evidence }) => evidence.some(isNew));
    return {
      ...hypothesis,
      supporting: withIds(hypothesis.supporting, supports),
      contradicting: withIds(hypothesis.contradicting, contradicts),
      tests: { supports: supports.length, contradicts: tested.length },
      survivedRefutation: verdicts.some((one) => one.refutes && one.verdict !== 'contradicts' && looksAtIt(one)),
      testedBy: withIds([], verdicts).filter(isNew),
      objections: contradicts.map(({ why }) => why).slice(0, MOST_OBJECTIONS),
    };
  });
}

/** One verdict a finding: a second one on the same hypothesis is the same sub-agent again. */
function verdictsOn(id: string, tests: readonly HypothesisTest[]): readonly Verdict[] {
  return tests.flatMap(({ finding, hypothesis, stance }) => {
    const verdict = finding.verdicts.find((one) => one.hypothesis === id);
    return verdict ? [{ ...verdict, refutes: stance === 'refute' && hypothesis === id }] : [];
  });
}

function withIds(own: readonly string[], verdicts: readonly Verdict[]): readonly string[] {
  return [...new Set([...own, ...verdicts.flatMap(({ evidence }) => evidence)])].slice(0, MOST_IDS);
}
