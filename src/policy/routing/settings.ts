import { z } from 'zod';
import { didYouMean } from '../nearest.ts';
import { MatcherError, parseMatchers, type Matcher } from './matchers.ts';
import { TimeInterval } from './time-intervals.ts';

const UNIT_MS: Readonly<Record<string, number>> = { s: 1000, m: 60_000, h: 3_600_000 };
const LONGEST_AFTER_MS = 6 * 3_600_000;

const EXAMPLE = 'such as [severity="critical", team=~"pay.*"]';
const MatcherText = z.string({
  error: ({ input }) =>
    `must be a matcher, such as severity="critical"${typeof input === 'object' ? '; one in braces or with a colon stands in single quotes' : ''}`,
});
const Matchers = z
  .union([z.string().transform((text) => [text]), z.array(MatcherText)], {
    error: `must be a matcher or a list of matchers, ${EXAMPLE}; braces stand in single quotes`,
  })
  .transform((texts, context): readonly Matcher[] => {
    const read = texts.map(tryToParse);
    read.forEach((result, index) => {
      const path = texts.length > 1 ? [index] : [];
      if (result instanceof MatcherError)
        for (const message of result.problems) context.addIssue({ code: 'custom', path, message });
    });
    return read.flatMap((result) => (result instanceof MatcherError ? [] : result));
  });

function tryToParse(text: string): readonly Matcher[] | MatcherError {
  try {
    return parseMatchers(text);
  } catch (error) {
    if (error instanceof MatcherError) return error;
    throw error;
  }
}

const DURATION = 'must be a time up to 6h, such as 90s, 10m or 2h';
const duration = z.string({ error: DURATION }).transform((text, context) => {
  const [, amount, unit = ''] = /^(\d{1,5})([smh])$/.exec(text) ?? [];
  const ms = Number(amount) * (UNIT_MS[unit] ?? Number.NaN);
  if (ms > 0 && ms <= LONGEST_AFTER_MS) return ms;
  context.addIssue({ code: 'custom', message: DURATION });
  return z.NEVER;
});

/** A date means the end of that day, UTC. */
const END = 'must be a date such as 2026-12-31, or a time such as 2026-12-31T18:00:00+01:00';
const end = z.string({ error: END }).transform((text, context) => {
  const isDay = /^\d{4}-\d{2}-\d{2}$/.test(text);
  const isTime = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(?::\d{2})?(?:Z|[+-]\d{2}:\d{2})$/.test(text);
  const atMs = Date.parse(isDay ? `${text}T24:00:00Z` : text);
  if ((isDay || isTime) && Number.isFinite(atMs)) return atMs;
  context.addIssue({ code: 'custom', message: END });
  return z.NEVER;
});

const REASON = 'must say why it is muted: it is shown wherever the incident is listed';

/** The rules of ROUTES_FILE; `destinations` are the names that rules may use. */
export function routingRules(destinations: readonly string[]) {
  const name = z.string().refine((given) => destinations.includes(given), {
    error: ({ input }) => noSuchDestination(String(input), destinations),
  });
  const names = z.array(name, { error: 'must be a list of destinations, such as [slack]' });
  return {
    default: names.optional(),
    routes: z
      .array(
        z.strictObject({
          matchers: Matchers,
          destinations: names,
          continue: z.boolean().default(false),
          after: duration.default(0),
        }),
      )
      .default([]),
    mute: z
      .array(
        z.strictObject({
          matchers: Matchers.refine(
            ({ length }) => length > 0,
            'would mute everything; to mean it, write alertname=~".*"',
          ),
          reason: z.string({ error: REASON }).trim().min(1, REASON).max(300),
          until: end.optional(),
          time_intervals: z.array(TimeInterval).min(1).optional(),
        }),
      )
      .default([]),
  };
}

function noSuchDestination(name: string, destinations: readonly string[]): string {
  const remedy =
    didYouMean(name, destinations) ||
    '. Set the variables of the missing one (docs/configuration.md), or name it under destinations';
  return `there is no destination ${name}; there is ${destinations.join(', ')}${remedy}`;
}

export interface Route {
  readonly matchers: readonly Matcher[];
  readonly destinations: readonly string[];
  /** Whether the routes after it are asked, too. */
  readonly continue: boolean;
  /** In ms: told only when it still fires by then. */
  readonly after: number;
}

export interface MuteRule {
  readonly matchers: readonly Matcher[];
  readonly reason: string;
  /** UTC ms. */
  readonly until?: number | undefined;
  /** One of them has to hold; absent: always. */
  readonly time_intervals?: readonly TimeInterval[] | undefined;
}

export interface RoutingRules {
  /** Where to when no route matches. */
  readonly default: readonly string[];
  readonly routes: readonly Route[];
  readonly mute: readonly MuteRule[];
}
