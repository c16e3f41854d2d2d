import { expect, test } from '@jest/globals';
import { cronInWords } from '../../../src/schedule/cron-words.ts';

test.each([
  ['* * * * *', 'every minute'],
  ['*/10 * * * *', 'every 10 minutes'],
  ['5 * * * *', 'hourly at :05'],
  ['0 */6 * * *', 'every 6 hours at :00'],
  ['30 8 * * *', 'daily at 08:30'],
  ['0 8,20 * * *', 'daily at 08:00 and 20:00'],
  ['0 8 * * 1-5', 'Mon–Fri at 08:00'],
  ['0 8 * * 0,3', 'Sun, Wed at 08:00'],
  ['0 8 1 * *', 'on day 1 of the month at 08:00'],
  [' 0  8 1 */3 * ', 'by 0  8 1 */3 *'],
  ['0 8 1-7 * 1', 'by 0 8 1-7 * 1'],
  ['*/5 8 * * *', 'by */5 8 * * *'],
  ['0 8 L * *', 'by 0 8 L * *'],
])('%s is %s', (cron, words) => {
  expect(cronInWords(cron)).toBe(words);
});
