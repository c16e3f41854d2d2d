import { expect, test } from '@jest/globals';
import { mentionFinder } from '../../../../src/funnel/rank/mentions.ts';

const find = mentionFinder(['user', 'order-service', 'order', 'db', 'payments.v2']);

test.each([
  ['call to order-service failed: 503', ['order-service']],
  ['GET http://user:8080/profile refused', ['user']],
  ['dial tcp: lookup user.shop.svc.cluster.local: no such host', ['user']],
  ['connect to "order" timed out, then payments.v2 too', ['order', 'payments.v2']],
  ['upstream ORDER is down', ['order']],
])('%s names %j', (text, names) => {
  expect(find(text)).toEqual(names);
});

test.each([
  'user 17 not found',
  'superuser order-services reordered',
  'the order is empty',
  'db is short',
  "that user's cart",
  '',
])('%s names nobody', (text) => {
  expect(find(text)).toEqual([]);
});

test('no names, no mentions; names with special characters are taken literally', () => {
  expect(mentionFinder([])('anything')).toEqual([]);
  expect(mentionFinder(['a+b(c'])('x a+b(c y')).toEqual(['a+b(c']);
});

test('a label of any length may be called a service, and breaks nothing', () => {
  const names = ['a'.repeat(1_000_000), 'b'.repeat(1_000_000), 'payments'];
  expect(mentionFinder(names)('no answer from payments')).toEqual(['payments']);
});
