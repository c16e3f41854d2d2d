import { z } from 'zod';
import type { Evidence } from '../../domain/evidence.ts';
import { Finding } from '../../domain/finding.ts';
import type { Problem } from '../../domain/verification.ts';
import type { OutputContract } from '../contract.ts';
import type { JsonSchema } from '../model.ts';
import { parseObject } from '../parse-report.ts';

const { $schema: _, ...FINDING_SCHEMA }: JsonSchema = z.toJSONSchema(Finding);

/** The finding: parsed, then rid of ids that nobody knows. A verdict that rests on nothing counts as `neither`. */
export const findingContract: OutputContract<Finding> = {
  name: 'finding',
  jsonSchema: FINDING_SCHEMA,
  judge(text, evidence) {
    const parsed = parseObject(text, Finding);
    if (parsed.kind === 'none') return parsed;
    if (parsed.kind === 'invalid') return { kind: 'judged', value: undefined, problems: parsed.problems, removed: [] };
    return { kind: 'judged', ...withKnownIds(parsed.value, evidence) };
  },
};

function withKnownIds(finding: Finding, evidence: readonly Evidence[]) {
  const known = new Set(evidence.map(({ id }) => id));
  const problems: Problem[] = [];
  const removed: string[] = [];
  const keep = (ids: readonly string[], path: string) => {
    const kept = ids.filter((id) => known.has(id));
    if (kept.length < ids.length) {
      problems.push({ path, rule: 'cite only ids of evidence that exists' });
      removed.push(`${path} cited evidence that does not exist`);
    }
    return kept;
  };
  const verdicts = finding.verdicts.map((verdict, i) => {
    const ids = keep(verdict.evidence, `verdicts.${i}.evidence`);
    return { ...verdict, evidence: ids, verdict: ids.length > 0 ? verdict.verdict : ('neither' as const) };
  });
  return { value: { ...finding, evidence: keep(finding.evidence, 'evidence'), verdicts }, problems, removed };
}
