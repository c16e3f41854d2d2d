import { expect, test } from '@jest/globals';
import { stormOutline } from '../../../src/destinations/storm-outline.ts';
import { stormSummary } from '../../support/delivery-content.ts';

const leadOf = (overrides: Parameters<typeof stormSummary>[0]) =>
  stormOutline(stormSummary(overrides))
    .lead.flatMap((spans) => spans.map(({ text }) => text))
    .join('');

test('a storm says what became of its incidents, and counts no line of a list as an investigation', () => {
  const counts = { incidents: 214, investigated: 31, joined: 9, onlyListed: 172 };
  expect(leadOf(counts)).toBe(
    'Since 10:00:00 UTC, 2026-11-29. 214 incidents: 31 investigated, 9 joined to those, 172 only listed here, 2 waiting.',
  );
});

test('how long a storm lasted is said as a person says it', () => {
  const over = { isOver: true, startedAtMs: 0 };
  expect(leadOf({ ...over, updatedAtMs: 51 })).toMatch(/^Lasted less than a second, since /);
  expect(leadOf({ ...over, updatedAtMs: 90_000 })).toMatch(/^Lasted 90 s, since /);
});

test('one that gets no investigation is not called waiting', () => {
  const [one] = stormSummary().investigations;
  if (!one) throw new Error('no investigation');
  const { sections } = stormOutline(stormSummary({ investigations: [{ ...one, state: 'not-investigated' }] }));
  expect(JSON.stringify(sections)).toContain(' · not investigated');
});
