import { z } from 'zod';

const WEEKDAYS = ['sunday', 'monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday'] as const;
const MONTHS = [
  'january',
  'february',
  'march',
  'april',
  'may',
  'june',
  'july',
  'august',
  'september',
  'october',
  'november',
  'december',
] as const;

interface Range {
  readonly from: number;
  readonly to: number;
}

/** `FROM:TO` or one of them, each read by `read`. */
function range(what: string, read: (word: string) => number | undefined) {
  const form = z.union([z.string(), z.number().transform(String)], { error: `must be ${what}` });
  return form.transform((text, context): Range => {
    const [first = '', second = first, ...more] = text.toLowerCase().split(':');
    const [from, to] = [read(first.trim()), read(second.trim())];
    if (from !== undefined && to !== undefined && more.length === 0 && isForward(from, to)) return { from, to };
    context.addIssue({ code: 'custom', message: `'${text}' must be ${what}` });
    return z.NEVER;
  });
}

/** Days counted from the end of the month are negative; of `1:-1` only the month can tell. */
const isForward = (from: number, to: number): boolean => (from < 0 === to < 0 ? from <= to : to < 0);

function wordOrNumber(words: readonly string[], base: number): (word: string) => number | undefined {
  return (word) => {
    const index = words.indexOf(word);
    if (index >= 0) return index + base;
    const number = whole(word);
    return base === 1 && number !== undefined && number >= 1 && number <= words.length ? number : undefined;
  };
}

const whole = (word: string): number | undefined => (/^-?\d{1,4}$/.test(word) ? Number(word) : undefined);

const CLOCK = 'must be HH:MM, from 00:00 to 24:00; put it in quotes';
const clock = z
  .string({ error: CLOCK })
  .regex(/^(?:[01]\d|2[0-3]):[0-5]\d$|^24:00$/, { error: CLOCK, abort: true })
  .transform((text) => Number(text.slice(0, 2)) * 60 + Number(text.slice(3)));

/** One entry of Alertmanager's `time_intervals`: everything that is given must hold, of each list one. */
export const TimeInterval = z.strictObject({
  times: z
    .array(
      z
        .strictObject({ start_time: clock, end_time: clock })
        .refine(({ start_time: start, end_time: end }) => start < end, {
          error: 'start_time must be before end_time; a night takes two entries, one up to 24:00 and one from 00:00',
        }),
    )
    .optional(),
  weekdays: z.array(range('a day or a range of days, such as monday:friday', wordOrNumber(WEEKDAYS, 0))).optional(),
  days_of_month: z
    .array(
      range('a day of the month (1 to 31, or -31 to -1 from its end) or a range such as 1:5', (word) => {
        const day = whole(word);
        return day !== undefined && day !== 0 && Math.abs(day) <= 31 ? day : undefined;
      }),
    )
    .optional(),
  months: z.array(range('a month or a range, such as may:august or 1:3', wordOrNumber(MONTHS, 1))).optional(),
  years: z.array(range('a year or a range, such as 2026:2027', whole)).optional(),
  location: z.string().refine(isZone, 'must be a time zone of the IANA list, such as Europe/Berlin').default('UTC'),
});
export type TimeInterval = z.infer<typeof TimeInterval>;

function isZone(name: string): boolean {
  try {
    Intl.DateTimeFormat('en', { timeZone: name });
    return true;
  } catch {
    return false;
  }
}

/** True when the interval holds at that time, on the clocks of its location. */
export function isWithin(interval: TimeInterval, atMs: number): boolean {
  const at = localTime(atMs, interval.location);
  const holds = (ranges: readonly Range[] | undefined, value: number) =>
    ranges === undefined || ranges.some(({ from, to }) => from <= value && value <= to);
  return (
    (interval.times?.some(({ start_time: start, end_time: end }) => start <= at.minute && at.minute < end) ?? true) &&
    holds(interval.weekdays, at.weekday) &&
    holds(interval.months, at.month) &&
    holds(interval.years, at.year) &&
    (interval.days_of_month?.some((days) => isDay(days, at.day, at.daysInMonth)) ?? true)
  );
}

function isDay({ from, to }: Range, day: number, daysInMonth: number): boolean {
  const fromStart = (value: number) => (value < 0 ? daysInMonth + value + 1 : value);
  return fromStart(from) <= day && day <= fromStart(to);
}

function localTime(atMs: number, timeZone: string) {
  const format = new Intl.DateTimeFormat('en-US', {
    timeZone,
    hourCycle: 'h23',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
  });
  const parts = Object.fromEntries(format.formatToParts(atMs).map(({ type, value }) => [type, Number(value)]));
  const { year = 0, month = 1, day = 1, hour = 0, minute = 0 } = parts;
  const weekday = new Date(Date.UTC(year, month - 1, day)).getUTCDay();
  const daysInMonth = new Date(Date.UTC(year, month, 0)).getUTCDate();
  return { year, month, day, weekday, daysInMonth, minute: hour * 60 + minute };
}
