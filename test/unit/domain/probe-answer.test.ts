import { expect, test } from '@jest/globals';
import { sawTooLittle } from '../../../src/domain/probe-answer.ts';

const clear = (lookedAt: number, kind = 'objects') => ({ kind, status: 'clear', lookedAt }) as const;
const AWAY = { kind: 'metric', status: 'unanswered', lookedAt: 0 } as const;

test.each([
  ['no answer at all', [AWAY, AWAY], true],
  ['fewer than half of the answers', [clear(9), AWAY, AWAY], true],
  ['half of them', [clear(9), AWAY], false],
  ['nothing of the kind', [clear(0), clear(0)], true],
  ['something of one kind', [clear(0), clear(1)], false],
  ['an hour without events', [clear(0, 'events')], false],
])('%s: too little to call it well: %#', (_, looks, expected) => {
  expect(sawTooLittle(looks)).toBe(expected);
});
