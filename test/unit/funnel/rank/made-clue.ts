import type { Clue } from '../../../../src/funnel/rank/clue.ts';

/** A clue of full strength about `stock`, with what a test is about. */
export const clue = (over: Partial<Clue> = {}): Clue => ({
  type: 'cpu',
  service: 'stock',
  strength: 1,
  statement: () => 'invented',
  rootCauseType: 'unknown',
  facts: () => [],
  ...over,
});
