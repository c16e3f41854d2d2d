import type { Evidence } from '../../domain/evidence.ts';

/** Nearer than this is the same moment: samples are taken every so often, and people round. */
const TOLERANCE_MS = 90_000;
/** Of the distance from the alert: "an hour before" may be fifty minutes. */
const TOLERANCE_SHARE = 0.2;
const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;

const UNIT_MS: Readonly<Record<string, number>> = { ms: 1, s: 1000, min: MINUTE_MS, h: 60 * MINUTE_MS, d: DAY_MS };
/** Written out, as far as people do in a report. */
const WORDS: Readonly<Record<string, number>> = {
  a: 1,
  an: 1,
  one: 1,
  two: 2,
  three: 3,
  four: 4,
  five: 5,
  six: 6,
  seven: 7,
  eight: 8,
  nine: 9,
  ten: 10,
  fifteen: 15,
  twenty: 20,
  thirty: 30,
};
/** Half a minute, an hour. */
const HALF = /\bhalf an? (?=minute|hour|day)/gi;
const IN_WORDS = new RegExp(`\\b(${Object.keys(WORDS).join('|')}) (?=(?:second|minute|hour|day)s?\\b)`, 'gi');
const SPAN = String.raw`(\d+(?:\.\d+)?) ?(ms|seconds?|sec|s|minutes?|mins?|min|hours?|h|days?|d)\b`;
/** `45 s before the alert`, `2 h 5 min after the check`. Other anchors ("before the deployment") cannot be placed. */
const RELATIVE = new RegExp(`${SPAN}(?: ${SPAN})? (before|after) the (?:alert|check)\\b`, 'gi');
const ISO = /\b\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?(?:Z| UTC)?/g;
/** A clock time that says it is one: two digits with a colon may be anything else. */
const CLOCK =
  /(?:\b(?:at|since|from|until|till|by|around|about|before|after|between|and|to)\s+|~)([01]\d|2[0-3]):([0-5]\d)(?::([0-5]\d))?(?![\d:])(?! ?[A-Z]{1,3}T\b)|(?<![\d:.T-])([01]\d|2[0-3]):([0-5]\d)(?::([0-5]\d))?(?=Z\b| UTC\b)/g;
/** It has not ended, or nobody said when. */
const OPEN_END = /\bstill so\b|\bsince (?!.*\bfor \d)/i;

/** The times, epoch ms, at which a sentence says that something happened. `triggerMs` is the alert's. */
export function claimedTimes(statement: string, triggerMs: number): readonly number[] {
  const iso = [...statement.matchAll(ISO)].map(([text]) =>
    Date.parse(text.replace(' UTC', '').replace(' ', 'T').replace(/Z?$/, 'Z')),
  );
  const rest = inDigits(statement.replace(ISO, ' '));
  const clock = [...rest.matchAll(CLOCK)].map((match) => nearestDay(match, triggerMs));
  return [...iso, ...clock, ...relativeTimes(rest, triggerMs)].filter((time) => Number.isFinite(time));
}

function inDigits(text: string): string {
  return text.replace(HALF, '0.5 ').replace(IN_WORDS, (_, word: string) => `${WORDS[word.toLowerCase()] ?? 0} `);
}

function nearestDay(match: RegExpMatchArray, triggerMs: number): number {
  const [hours, minutes, seconds] = [match[1] ?? match[4], match[2] ?? match[5], match[3] ?? match[6]].map((digits) =>
    Number(digits ?? 0),
  );
  const ofDayMs = ((hours ?? 0) * 60 + (minutes ?? 0)) * MINUTE_MS + (seconds ?? 0) * 1000;
  const midnightMs = Math.floor(triggerMs / DAY_MS) * DAY_MS;
  const [nearest] = [midnightMs - DAY_MS, midnightMs, midnightMs + DAY_MS]
    .map((dayMs) => dayMs + ofDayMs)
    .toSorted((a, b) => Math.abs(a - triggerMs) - Math.abs(b - triggerMs));
  return nearest ?? triggerMs;
}

function relativeTimes(text: string, triggerMs: number): readonly number[] {
  return [...text.matchAll(RELATIVE)].map(([, count, unit, more, moreUnit, side]) => {
    const offsetMs = lengthMs(count, unit) + lengthMs(more, moreUnit);
    return side?.toLowerCase() === 'before' ? triggerMs - offsetMs : triggerMs + offsetMs;
  });
}

function lengthMs(count: string | undefined, unit: string | undefined): number {
  if (count === undefined || unit === undefined) return 0;
  const short = /^(ms|min|s|h|d|m)/i.exec(unit)?.[0].toLowerCase() ?? '';
  return Number(count) * (UNIT_MS[short] ?? 0);
}

/** True when something in the evidence happens at that time, or the time is the alert's own. Evidence without any time supports every time. */
export function isTimeSupported(timeMs: number, evidence: readonly Evidence[], triggerMs: number): boolean {
  const tolerance = Math.max(TOLERANCE_MS, TOLERANCE_SHARE * Math.abs(timeMs - triggerMs));
  if (Math.abs(timeMs - triggerMs) <= TOLERANCE_MS) return true;
  const spans = evidence.flatMap((item) => spanOf(item, triggerMs) ?? []);
  if (spans.length < evidence.length) return true;
  return spans.some(({ fromMs, toMs }) => timeMs >= fromMs - tolerance && timeMs <= toMs + tolerance);
}

/** Two moments are told to the second. */
const MOMENT_MS = 1500;
const LENGTH_SHARE = 0.1;

/** True when some two moments that the evidence speaks of, or the alert, lie so far apart. */
export function isSpanSupported(lengthInMs: number, evidence: readonly Evidence[], triggerMs: number): boolean {
  const moments = [triggerMs, ...evidence.flatMap((item) => momentsOf(item, triggerMs))];
  const tolerance = Math.max(MOMENT_MS, LENGTH_SHARE * lengthInMs);
  return moments.some((a) => moments.some((b) => a > b && Math.abs(a - b - lengthInMs) <= tolerance));
}

function momentsOf({ atMs, statement }: Evidence, triggerMs: number): readonly number[] {
  return [...(atMs === undefined ? [] : [atMs]), ...claimedTimes(statement, triggerMs)];
}

interface Span {
  readonly fromMs: number;
  readonly toMs: number;
}

/** From the first to the last moment that an item speaks of; undefined when it speaks of none. */
function spanOf(item: Evidence, triggerMs: number): Span | undefined {
  const times = momentsOf(item, triggerMs);
  if (times.length === 0) return undefined;
  const fromMs = Math.min(...times);
  const lasting = /\bfor (\d+(?:\.\d+)?) (ms|s|min|h|d)\b/.exec(item.statement);
  const endMs = Math.max(...times, fromMs + lengthMs(lasting?.[1], lasting?.[2]));
  return { fromMs, toMs: OPEN_END.test(item.statement) ? Number.POSITIVE_INFINITY : endMs };
}
