import { expect, test } from '@jest/globals';
import { loadContent } from '../../../src/app/load-content.ts';
import type { Stores } from '../../../src/app/stores.ts';
import { makeIncident, makeReport } from '../../support/delivery-content.ts';

const NEWS = ['now payments is suspected', 'Taken on by Ada', '3 more services joined', '2 connected incidents joined'];

function stores(): Stores {
  const reported = { report: makeReport(), incident: makeIncident() };
  return {
    incidents: { getIncident: () => Promise.resolve(makeIncident()) },
    reports: { getReported: () => Promise.resolve(reported) },
    updates: { newsOf: (_id: string, number: number) => Promise.resolve(NEWS[number - 1]) },
  } as unknown as Stores;
}

test.each([
  ['update-2', 'update-1', 'Taken on by Ada'],
  ['update-2', 'report', 'Taken on by Ada; before that: now payments is suspected'],
  [
    'update-4',
    undefined,
    '2 connected incidents joined; before that: 3 more services joined; before that: Taken on by Ada',
  ],
] as const)('%s after %s has the news of what gave way to it, the newest first', async (name, told, news) => {
  expect(await loadContent(stores(), 'inc_1', name, told)).toMatchObject({ kind: 'update', news });
});

test('an update that nobody wrote is nothing to tell', async () => {
  expect(await loadContent(stores(), 'inc_1', 'update-9', 'update-8')).toBeUndefined();
});
