import { describe, expect, test } from '@jest/globals';
import type { Conclusion } from '../../../src/domain/report.ts';
import { judgeRisk, withoutGuesses } from '../../../src/investigate/checks/actions.ts';

const judge = (step: string, risk: 'R0' | 'R1' | 'R2' | 'R3', command?: string) => {
  const judged = judgeRisk({
    step,
    why: 'x',
    risk,
    needs_approval: false,
    ...(command === undefined ? {} : { command }),
  });
  return [judged.risk, judged.needs_approval];
};

describe('the risk of a proposed step is what its words and commands amount to, not what the model calls it', () => {
  test.each<[string, 'R0' | 'R1' | 'R2' | 'R3', string | undefined, string]>([
    ['Look at the pods.', 'R0', 'kubectl -n shop get pods', 'R0'],
    ['Watch the errors.', 'R0', 'rate(http_errors_total[5m])', 'R0'],
    ['Compare open connections with the limit of the pool.', 'R0', undefined, 'R0'],
    ['Check whether a restart helped; look at `payments db_pool_waiting_requests`.', 'R0', undefined, 'R0'],
    ['Read `kubectl logs payments-1`.', 'R0', undefined, 'R0'],
    ['Clean up.', 'R0', 'kubectl delete namespace shop', 'R3'],
    ['Clean up.', 'R2', 'rm -rf /var/lib/payments', 'R3'],
    ['Look.', 'R0', 'kubectl get pods; rm -rf /', 'R3'],
    ['Look.', 'R0', 'echo $(rm -rf /)', 'R3'],
    ['Look.', 'R0', 'kubectl get secret -o yaml', 'R2'],
    ['Look.', 'R0', 'some-unknown-tool --all', 'R2'],
    ['Run `rm -rf /data` on the node.', 'R0', undefined, 'R3'],
    ['Restart the database.', 'R0', undefined, 'R2'],
    ['Then scale payments to 0.', 'R0', undefined, 'R2'],
    ['Increase the pool to 50.', 'R0', undefined, 'R2'],
    ['Restart payments and watch its pods.', 'R0', 'kubectl get pods', 'R2'],
    ['Run the command and read its answer.', 'R0', 'kubectl get pods', 'R0'],
    ['Run the job again.', 'R0', undefined, 'R2'],
    ['Restart nginx.', 'R1', 'systemctl restart nginx', 'R1'],
    ['Undo the rollout.', 'R2', 'kubectl rollout undo deployment/payments', 'R2'],
  ])('%s (%s, %s) is %s', (step, claimed, command, risk) => {
    expect(judge(step, claimed, command)).toEqual([risk, risk !== 'R0']);
  });
});

describe('what is proposed while nothing is determined', () => {
  const step = (risk: 'R0' | 'R1' | 'R2' | 'R3') => ({ step: risk, why: 'x', risk, needs_approval: risk !== 'R0' });
  const concluded = (status: Conclusion['status'], risks: readonly ('R0' | 'R1' | 'R2' | 'R3')[]): Conclusion => ({
    status,
    summary: 'x',
    root_cause_service: 'payments',
    root_cause_type: 'unknown',
    confidence: 0.2,
    confidence_reasons: [],
    evidence: ['M1'],
    causal_chain: [],
    alternatives: [],
    action_plan: risks.map(step),
  });

  test('only looks, and says how many steps are left out', () => {
    const { conclusion, removed } = withoutGuesses(concluded('inconclusive', ['R1', 'R0', 'R2', 'R3']));
    expect(conclusion.action_plan).toEqual([step('R0')]);
    expect(removed).toEqual(['3 proposed steps that change something, for nothing is determined.']);
    expect(withoutGuesses(concluded('inconclusive', ['R2'])).removed).toEqual([
      '1 proposed step that changes something, for nothing is determined.',
    ]);
  });

  test.each<[Conclusion['status'], readonly ('R0' | 'R2')[]]>([
    ['determined', ['R0', 'R2']],
    ['inconclusive', ['R0']],
  ])('%s %j is left as it is', (status, risks) => {
    const given = concluded(status, risks);
    expect(withoutGuesses(given)).toEqual({ conclusion: given, removed: [] });
  });
});
