import { expect, test } from '@jest/globals';
import { withNames } from '../../../src/domain/hypothesis.ts';

const LIST = [
  { id: 'H1', service: 'payments', type: 'database' },
  { id: 'H2', service: null, type: 'traffic_surge' },
] as const;

test.each([
  ['H1 was tested.', 'H1 (payments) was tested.'],
  ['H2 lacks evidence, as H1 does not', 'H2 (load from outside) lacks evidence, as H1 (payments) does not'],
  ['H1 (payments) holds', 'H1 (payments) holds'],
  ['H7, OH1, H12', 'H7, OH1, H12'],
])('%s', (text, expected) => {
  expect(withNames(text, LIST)).toBe(expected);
});
