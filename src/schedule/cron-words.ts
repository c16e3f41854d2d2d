const WEEKDAYS = ['Sun', 'Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat', 'Sun'] as const;
const NUMBER = /^\d+$/;

/** When a cron expression ticks, as a person would say it: `daily at 08:00`. What is not one of the usual forms is quoted as it is. */
export function cronInWords(text: string): string {
  const [minute = '', hour = '', day = '', month = '', weekday = ''] = text.trim().split(/\s+/);
  const often = day === '*' && month === '*' && weekday === '*' ? frequent(minute, hour) : undefined;
  if (often !== undefined) return often;
  const times = timesOfDay(minute, hour);
  const days = daysInWords(day, month, weekday);
  return times !== undefined && days !== undefined ? `${days} at ${times}` : `by ${text.trim()}`;
}

/** Several times a day, whatever the day. */
function frequent(minute: string, hour: string): string | undefined {
  const step = (field: string) => /^\*\/(\d+)$/.exec(field)?.[1];
  if (hour === '*') {
    if (minute === '*') return 'every minute';
    if (step(minute) !== undefined) return `every ${step(minute)} minutes`;
    return NUMBER.test(minute) ? `hourly at :${minute.padStart(2, '0')}` : undefined;
  }
  if (step(hour) === undefined || !NUMBER.test(minute)) return undefined;
  return `every ${step(hour)} hours at :${minute.padStart(2, '0')}`;
}

/** `08:00`, or `08:00 and 20:00`. */
function timesOfDay(minute: string, hour: string): string | undefined {
  const hours = hour.split(',');
  if (!NUMBER.test(minute) || !hours.every((one) => NUMBER.test(one))) return undefined;
  return hours.map((one) => `${one.padStart(2, '0')}:${minute.padStart(2, '0')}`).join(' and ');
}

function daysInWords(day: string, month: string, weekday: string): string | undefined {
  if (month !== '*') return undefined;
  if (day === '*' && weekday === '*') return 'daily';
  if (day === '*') {
    const days = weekday.split(',').map(weekdaysInWords);
    return days.every((one) => one !== undefined) ? days.join(', ') : undefined;
  }
  return weekday === '*' && NUMBER.test(day) ? `on day ${day} of the month` : undefined;
}

/** `Mon`, or `Mon–Fri`. */
function weekdaysInWords(field: string): string | undefined {
  const [, from, to] = /^([0-7])(?:-([0-7]))?$/.exec(field) ?? [];
  if (from === undefined) return undefined;
  return to === undefined ? WEEKDAYS[Number(from)] : `${WEEKDAYS[Number(from)]}–${WEEKDAYS[Number(to)]}`;
}
