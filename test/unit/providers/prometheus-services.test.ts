import { expect, test } from '@jest/globals';
import { serviceByConvention } from '../../../src/providers/prometheus/to-series.ts';

test.each([
  ['the namespace before a job is no part of it', { job: 'shop/basket' }, 'basket'],
  ['nor before one that a collector tells of', { job: 'otel-collector', exported_job: 'shop/basket' }, 'basket'],
  ['a name of something else stays', { service: 'shop/basket', job: 'scraper' }, 'shop/basket'],
  ['nothing names none', {}, undefined],
])('the service of a series: %s', (_, labels, service) => {
  expect(serviceByConvention(labels)).toBe(service);
});
