import { createTask, parse, validateDetailed } from 'node-cron';

const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;
/** 29 February may be eight years away. */
const FARTHEST_DAYS = 8 * 366 + 1;

const FIELDS: Readonly<Record<string, string>> = {
  minute: 'minute must be 0 to 59',
  hour: 'hour must be 0 to 23',
  dayOfMonth: 'day must be 1 to 31, in a month that has it',
  month: 'month must be 1 to 12 or a name such as jan',
  dayOfWeek: 'weekday must be 0 to 7 (0 and 7 are Sunday) or a name such as mon',
};

/** What is wrong with a cron expression of five fields, in words; nothing when it can be used. */
export function explainCron(text: string): readonly string[] {
  if (text.trim().split(/\s+/).length !== 5)
    return ['must have five fields: minute hour day month weekday, such as 0 8 * * 1-5'];
  const { valid, errors } = validateDetailed(text.trim());
  if (valid) return [];
  return errors.map(({ field, message }) => `is not a cron expression: ${FIELDS[field] ?? message}`);
}

/** The ticks of one cron expression in one time zone, as UTC epoch milliseconds of whole minutes: the same in every process. */
export interface Cron {
  /** Later than `afterMs`, up to and with `toMs`, oldest first. */
  between(afterMs: number, toMs: number): readonly number[];
  /** The first one later than that; undefined when there is none in eight years. */
  next(afterMs: number): number | undefined;
}

/**
 * Reads an expression that `explainCron` finds nothing wrong with. node-cron decides which days and times it means; this decides what a day with a
 * change of the clock does to them, as cron(8) does: where the minute or the hour is a `*`, or begins with one, ticks follow real time. Otherwise each
 * time of day comes once: the first time when the clock repeats it, and at the moment of the change when the clock leaves it out.
 */
export function readCron(text: string, timezone: string): Cron {
  const { minute, hour } = parse(text.trim());
  const times = hour.flatMap((h) => minute.map((m) => (h * 60 + m) * MINUTE_MS)).toSorted((a, b) => a - b);
  const [minuteField = '', hourField = ''] = text.trim().split(/\s+/);
  const followsRealTime = minuteField.startsWith('*') || hourField.startsWith('*');
  const zone = readZone(timezone);
  const isDay = dayMatcher(text.trim(), times[0] ?? 0);
  /** Of one local day, named by its midnight as if that were UTC. */
  const ofDay = (dayMs: number): readonly number[] => {
    if (!isDay(dayMs)) return [];
    const steady = zone.steadyOffset(dayMs);
    if (steady !== undefined) return times.map((time) => dayMs + time - steady);
    const moments = times.flatMap((time) => {
      const found = zone.momentsOf(dayMs + time);
      if (followsRealTime) return found;
      return found.length > 0 ? found.slice(0, 1) : [zone.changeAround(dayMs + time)];
    });
    return [...new Set(moments)].toSorted((a, b) => a - b);
  };
  const dayOf = (ms: number): number => Math.floor((ms + zone.offsetAt(ms)) / DAY_MS) * DAY_MS;
  return {
    between: (afterMs, toMs) => {
      const ticks: number[] = [];
      for (let day = dayOf(afterMs); day <= dayOf(toMs); day += DAY_MS) {
        ticks.push(...ofDay(day).filter((tick) => tick > afterMs && tick <= toMs));
      }
      return ticks;
    },
    next: (afterMs) => {
      const first = dayOf(afterMs);
      for (let day = first; day < first + FARTHEST_DAYS * DAY_MS; day += DAY_MS) {
        const tick = ofDay(day).find((one) => one > afterMs);
        if (tick !== undefined) return tick;
      }
      return undefined;
    },
  };
}

/** Whether a day has ticks at all. A task that is never started only knows its expression. */
function dayMatcher(text: string, firstTime: number): (dayMs: number) => boolean {
  const task = createTask(text, () => undefined, { timezone: 'UTC' });
  void task.destroy();
  return (dayMs) => task.match(new Date(dayMs + firstTime));
}

/** How the clocks of a time zone run. Wall times are epoch milliseconds as if the wall were UTC. */
function readZone(timezone: string) {
  const format = new Intl.DateTimeFormat('en-US', {
    timeZone: timezone,
    hourCycle: 'h23',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
  });
  /** Wall time minus UTC, in whole minutes. */
  const offsetAt = (ms: number): number => {
    const minuteMs = Math.floor(ms / MINUTE_MS) * MINUTE_MS;
    const part = Object.fromEntries(format.formatToParts(minuteMs).map(({ type, value }) => [type, Number(value)]));
    const { year = 0, month = 1, day = 1, hour = 0, minute = 0 } = part;
    return Date.UTC(year, month - 1, day, hour, minute) - minuteMs;
  };
  /** Before and after any change on the day of this wall time. */
  const offsetsAround = (wallMs: number) => [offsetAt(wallMs - DAY_MS), offsetAt(wallMs + DAY_MS)] as const;
  return {
    offsetAt,
    /** The offset of a whole local day; undefined when the clock may change on it. */
    steadyOffset: (dayMs: number): number | undefined => {
      const before = offsetAt(dayMs - DAY_MS);
      return before === offsetAt(dayMs + 2 * DAY_MS) ? before : undefined;
    },
    /** The moments at which the wall shows this time: one, two on a day that repeats it, none on a day that leaves it out. */
    momentsOf: (wallMs: number): readonly number[] =>
      [...new Set(offsetsAround(wallMs))]
        .map((offset) => wallMs - offset)
        .filter((ms) => ms + offsetAt(ms) === wallMs)
        .toSorted((a, b) => a - b),
    /** The moment of the change that leaves this wall time out. */
    changeAround: (wallMs: number): number => {
      const [before, after] = offsetsAround(wallMs);
      let [early, late] = [wallMs - after, wallMs - before];
      while (late - early > MINUTE_MS) {
        const middle = early + Math.floor((late - early) / 2 / MINUTE_MS) * MINUTE_MS;
        if (offsetAt(middle) === after) late = middle;
        else early = middle;
      }
      return late;
    },
  };
}
