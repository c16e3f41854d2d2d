import { describe, expect, test } from '@jest/globals';
import type { Brief, Suspect } from '../../../../src/domain/brief.ts';
import type { Evidence } from '../../../../src/domain/evidence.ts';
import { changeInWords } from '../../../../src/funnel/analyst/change-words.ts';
import { failureWordsOf } from '../../../../src/funnel/analyst/failure-words.ts';
import { gistOf } from '../../../../src/funnel/analyst/gist.ts';

const IMAGES = 'registry.example.net/shop/cart:1.9.0 → registry.example.net/shop/cart:2.0.0';
const ROLLOUT = 'Deployment cart rolled out ReplicaSet cart-7bf59477c7 in place of ReplicaSet cart-768bd5d5d7';

describe('a change in words', () => {
  test.each([
    [
      `rollout of cart: ${ROLLOUT}: image of cart ${IMAGES}`,
      'rollout, image registry.example.net/shop/cart:1.9.0 → 2.0.0',
    ],
    [
      `rollout of cart: ReplicaSet cart-7bf59477c7 replaced cart-768bd5d5d7: image of proxy envoy:1.2 → envoy:1.3; env changed`,
      'rollout, image of proxy envoy:1.2 → 1.3; env changed',
    ],
    [`rollout of cart: ${ROLLOUT}: image of cart a/cart:1 → b/cart:2`, 'rollout, image of cart a/cart:1 → b/cart:2'],
    ['edit of cart: ConfigMap cart changed: POOL 16 → 2', 'ConfigMap cart changed: POOL 16 → 2'],
  ])('%s', (statement, words) => {
    expect(changeInWords(statement, 'cart')).toBe(words);
  });
});

const item = (id: string, kind: Evidence['kind'], statement: string, service = 'cart'): Evidence => ({
  id,
  kind,
  service,
  statement,
  atMs: undefined,
});
const SUSPECT: Suspect = { service: 'cart', score: 4, rootCauseType: 'code_error', reasons: [] };
const CRASH = item('O1', 'state', 'Pod cart-0 container cart waits: CrashLoopBackOff, last end Error exit code 1');
const PANIC = item(
  'L2',
  'log',
  'Seen: error "panic: index <*>"; 2 lines, no fault-free time to compare with, in cart; sample: panic: index 7',
);

describe('what a process wrote when it failed', () => {
  const among = (...evidence: Evidence[]) => failureWordsOf(SUSPECT, [CRASH], { evidence } as unknown as Brief)?.id;

  test('is the first error of its own log', () => {
    const steady = item('L1', 'log', 'Usual error "retrying"; 9 lines where about 9 are usual, in cart');
    const other = item('L3', 'log', 'New error "refused"; 2 lines where none is usual, in web', 'web');
    const line = item('L4', 'log', 'Seen: log line "reading"; 2 lines, no fault-free time to compare with, in cart');
    expect(among(steady, other, line, PANIC)).toBe('L2');
    expect(among(steady, other, line)).toBeUndefined();
    expect(gistOf(PANIC)).toBe('cart logs "panic: index 7"');
  });

  test('is not asked for where no process failed', () => {
    const full = item('O1', 'state', 'Node worker-4 has DiskPressure');
    expect(failureWordsOf(SUSPECT, [full], { evidence: [PANIC] } as unknown as Brief)).toBeUndefined();
  });
});
