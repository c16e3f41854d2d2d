import { z } from 'zod';
import type { Evidence } from '../../domain/evidence.ts';
import { Finding } from '../../domain/finding.ts';
import type { Hypothesis } from '../../domain/hypothesis.ts';
import type { Incident } from '../../domain/incident.ts';
import type { Problem } from '../../domain/verification.ts';
import { wordsOfAlert } from '../../policy/claims/alert-words.ts';
import { checkClaim } from '../../policy/claims/check-claim.ts';
import { markContradicted } from '../../policy/claims/mark-claim.ts';
import type { OutputContract } from '../contract.ts';
import type { JsonSchema } from '../model.ts';
import { parseObject } from '../parse-report.ts';

const { $schema: _, ...FINDING_SCHEMA }: JsonSchema = z.toJSONSchema(Finding);
const LONGEST_CONCLUSION = 1500;

/**
 * The finding of a sub-agent: parsed, then rid of ids that nobody knows and of verdicts on hypotheses that do not exist. A verdict that rests on nothing, or that its
 * evidence contradicts, counts as `neither`; a conclusion that its evidence contradicts says so. Each is a problem that can be repaired once.
 */
export function findingContract(hypotheses: readonly Hypothesis[], incident: Incident): OutputContract<Finding> {
  return {
    name: 'finding',
    jsonSchema: FINDING_SCHEMA,
    judge(text, evidence) {
      const parsed = parseObject(text, Finding);
      if (parsed.kind === 'none') return parsed;
      if (parsed.kind === 'invalid')
        return { kind: 'judged', value: undefined, problems: parsed.problems, removed: [] };
      const check = new FindingCheck(evidence, new Set(hypotheses.map(({ id }) => id)), incident);
      const value = check.apply(parsed.value);
      return { kind: 'judged', value, problems: check.problems, removed: check.removed };
    },
  };
}

type Verdict = Finding['verdicts'][number];

/** One pass over one finding, and what it finds wrong. */
class FindingCheck {
  readonly problems: Problem[] = [];
  readonly removed: string[] = [];
  readonly #byId: ReadonlyMap<string, Evidence>;
  readonly #hypotheses: ReadonlySet<string>;
  readonly #incident: Incident;

  constructor(evidence: readonly Evidence[], hypotheses: ReadonlySet<string>, incident: Incident) {
    this.#byId = new Map(evidence.map((item) => [item.id, item]));
    this.#hypotheses = hypotheses;
    this.#incident = incident;
  }

  apply(finding: Finding): Finding {
    const verdicts = finding.verdicts.flatMap((verdict, i) => this.#verdict(verdict, `verdicts.${i}`));
    const evidence = this.#known(finding.evidence, 'evidence');
    // What a verdict cites, the conclusion may speak of.
    const cited = [...new Set([...evidence, ...verdicts.flatMap((verdict) => verdict.evidence)])];
    const holds = this.#holds(finding.conclusion, cited, 'conclusion');
    const conclusion = holds ? finding.conclusion : markContradicted(finding.conclusion, LONGEST_CONCLUSION);
    return { ...finding, conclusion, evidence, verdicts };
  }

  #verdict(verdict: Verdict, path: string): readonly Verdict[] {
    if (!this.#hypotheses.has(verdict.hypothesis)) {
      this.problems.push({ path: `${path}.hypothesis`, rule: 'is no hypothesis of this investigation' });
      this.removed.push(`${path}: a verdict on a hypothesis that does not exist`);
      return [];
    }
    const evidence = this.#known(verdict.evidence, `${path}.evidence`);
    const stands = evidence.length > 0 && this.#holds(verdict.why, evidence, `${path}.why`);
    return [{ ...verdict, evidence, verdict: stands ? verdict.verdict : 'neither' }];
  }

  #known(ids: readonly string[], path: string): string[] {
    const known = [...new Set(ids)].filter((id) => this.#byId.has(id));
    if (known.length < new Set(ids).size) {
      this.problems.push({ path, rule: 'cite only ids of evidence that exists' });
      this.removed.push(`${path} cited evidence that does not exist`);
    }
    return known;
  }

  #holds(statement: string, ids: readonly string[], path: string): boolean {
    const evidence = ids.flatMap((id) => this.#byId.get(id) ?? []);
    const background = [wordsOfAlert(this.#incident)];
    const found = checkClaim({ statement, evidence, background }, this.#incident.startsAtMs);
    for (const { rule } of found) this.problems.push({ path, rule });
    return found.length === 0;
  }
}
