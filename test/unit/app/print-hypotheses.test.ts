import { expect, test } from '@jest/globals';
import { hypothesisLines } from '../../../src/app/print-hypotheses.ts';
import type { WeighedHypothesis } from '../../../src/domain/hypothesis.ts';

const LEADER: WeighedHypothesis = {
  id: 'H1',
  service: 'payments',
  type: 'connection_exhaustion',
  statement: 'It began in payments',
  refutedBy: 'its pool is not used up',
  prior: 0.6,
  supporting: ['M1'],
  contradicting: ['M1002'],
  tests: { supports: 0, contradicts: 1 },
  survivedRefutation: false,
  testedBy: ['M1002'],
  objections: ['the pool\nwas never full'],
};

test("a session's hypotheses read as what was believed, tested and found", () => {
  const untested = {
    ...LEADER,
    id: 'H2',
    service: null,
    type: 'traffic_surge',
    tests: { supports: 0, contradicts: 0 },
  } as const;
  const lines = hypothesisLines([
    LEADER,
    { ...untested, testedBy: [], objections: [], supporting: [], contradicting: [] },
  ]);
  expect(lines).toEqual([
    'H1 payments (connection exhaustion, at first 0.60): It began in payments',
    '   tested: contradicted once (looked at M1002); for it: M1; against it: M1002',
    '   why against it: the pool was never full',
    'H2 (load from outside) (traffic surge, at first 0.60): It began in payments',
    '   not tested; for it: nothing; against it: nothing',
  ]);
});
