import { describe, expect, test } from '@jest/globals';
import { isWithin, TimeInterval } from '../../../../src/policy/routing/time-intervals.ts';

const holds = (interval: object, at: string) => isWithin(TimeInterval.parse(interval), Date.parse(at));

describe('time intervals mean what they mean in Alertmanager', () => {
  const office = { times: [{ start_time: '09:00', end_time: '17:00' }], weekdays: ['monday:friday'] };
  test.each([
    [office, '2026-11-30T09:00:00Z', true],
    [office, '2026-11-30T16:59:59Z', true],
    [office, '2026-11-30T17:00:00Z', false],
    [office, '2026-11-29T12:00:00Z', false],
    [{ ...office, location: 'America/New_York' }, '2026-11-30T13:59:00Z', false],
    [{ ...office, location: 'America/New_York' }, '2026-11-30T14:00:00Z', true],
    [{ ...office, location: 'Europe/Berlin' }, '2026-06-30T07:00:00Z', true],
    [{ times: [{ start_time: '22:00', end_time: '24:00' }] }, '2026-11-30T23:59:59Z', true],
    [{ weekdays: ['Saturday', 'sunday'] }, '2026-11-29T00:00:00Z', true],
    [{ days_of_month: ['1:5', '-3:-1'] }, '2026-02-26T00:00:00Z', true],
    [{ days_of_month: ['1:5', '-3:-1'] }, '2026-02-25T00:00:00Z', false],
    [{ days_of_month: ['15:-1'] }, '2026-02-28T00:00:00Z', true],
    [{ days_of_month: [31] }, '2026-11-30T00:00:00Z', false],
    [{ months: ['november:december', 2] }, '2026-02-01T00:00:00Z', true],
    [{ months: ['1:3'] }, '2026-04-01T00:00:00Z', false],
    [{ years: ['2026:2027'] }, '2027-12-31T23:59:59Z', true],
    [{ years: [2026], location: 'Asia/Tokyo' }, '2026-12-31T15:00:00Z', false],
    [{}, '2026-01-01T00:00:00Z', true],
  ])('%j at %s: %s', (interval, at, expected) => {
    expect(holds(interval, at)).toBe(expected);
  });

  test.each([
    [{ times: [{ start_time: '22:00', end_time: '06:00' }] }, 'a night takes two entries'],
    [{ times: [{ start_time: '9:00', end_time: '17:00' }] }, 'must be HH:MM'],
    [{ weekdays: ['friday:monday'] }, 'such as monday:friday'],
    [{ weekdays: ['someday'] }, 'such as monday:friday'],
    [{ days_of_month: ['0'] }, '1 to 31'],
    [{ days_of_month: ['-1:3'] }, '1 to 31'],
    [{ months: [13] }, 'such as may:august'],
    [{ location: 'Mars/Olympus' }, 'IANA'],
    [{ location: 'UTC', weekend: true }, 'weekend'],
  ])('%j is refused with a remedy', (interval, reason) => {
    expect(() => TimeInterval.parse(interval)).toThrow(reason);
  });
});
