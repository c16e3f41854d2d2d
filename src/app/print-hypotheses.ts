import { nameOfHypothesis, type WeighedHypothesis } from '../domain/hypothesis.ts';
import { oneLine } from '../policy/untrusted.ts';

/** What competed for being the cause, and what became of each: a few lines for the story of a session. */
export function hypothesisLines(hypotheses: readonly WeighedHypothesis[]): readonly string[] {
  return hypotheses.flatMap((one) => [
    oneLine(
      `${one.id} ${nameOfHypothesis(one)} (${one.type.replaceAll('_', ' ')}, at first ${one.prior.toFixed(2)}): ${one.statement}`,
    ),
    `   ${testsInWords(one)}; for it: ${listed(one.supporting)}; against it: ${listed(one.contradicting)}`,
    ...one.objections.map((why) => `   why against it: ${oneLine(why)}`),
  ]);
}

function testsInWords({ tests, survivedRefutation, testedBy }: WeighedHypothesis): string {
  const by = testedBy.length > 0 ? ` (looked at ${testedBy.join(', ')})` : '';
  const told = [
    ...(tests.supports > 0 ? [`supported ${times(tests.supports)}`] : []),
    ...(tests.contradicts > 0 ? [`contradicted ${times(tests.contradicts)}`] : []),
    ...(survivedRefutation ? ['an attempt to refute it failed'] : []),
  ];
  return told.length > 0 ? `tested: ${told.join(', ')}${by}` : 'not tested';
}

function times(count: number): string {
  return count === 1 ? 'once' : `${count} times`;
}

function listed(ids: readonly string[]): string {
  return ids.length > 0 ? ids.join(', ') : 'nothing';
}
