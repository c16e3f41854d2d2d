import type { Config } from '../config/schema.ts';
import { serviceOf, type Labels } from '../domain/labels.ts';
import { duration } from '../domain/relative-time.ts';
import { oneLine } from '../policy/untrusted.ts';
import { MatcherError, parseLabels, type Matcher } from '../policy/routing/matchers.ts';
import { findMute, takeRoutes } from '../policy/routing/routing.ts';
import { InputError } from './input-error.ts';
import { openRouting } from './open-routing.ts';
import { toJson } from './to-json.ts';

export interface RouteRequest {
  /** As typed: `severity=critical,team=payments`. */
  readonly labels: string;
  readonly json: boolean;
}

/** What an alert with these labels would meet now: the routes it takes, where they lead, whether it is muted. Asks nobody. Throws ConfigError and InputError. */
export function tryRoute(config: Config, { labels: text, json }: RouteRequest, nowMs: number): string {
  const { rules, placeOf } = openRouting(config);
  const labels = readLabels(text);
  const seen = { source: 'alertmanager', receiver: '', kind: 'incident', service: serviceOf(labels) ?? '', ...labels };
  const taken = takeRoutes(rules, [seen]);
  const mute = findMute(rules.mute, [seen], nowMs)?.mute;
  const routes = taken.routes.map((index) => ({
    at: placeOf('routes', index),
    matchers: (rules.routes[index]?.matchers ?? []).map((matcher: Matcher) => matcher.text),
    continue: rules.routes[index]?.continue ?? false,
  }));
  const until = mute?.untilMs === undefined ? null : new Date(mute.untilMs).toISOString();
  const answer = {
    labels: seen,
    routes,
    destinations: taken.destinations,
    muted: mute ? { reason: mute.reason, until } : null,
  };
  return json ? toJson(answer) : print(answer);
}

function readLabels(text: string): Labels {
  try {
    return parseLabels(text);
  } catch (error) {
    if (!(error instanceof MatcherError)) throw error;
    throw new InputError(`--route: ${error.message}`, { cause: error });
  }
}

interface Answer {
  readonly routes: readonly { readonly at: string; readonly matchers: readonly string[]; readonly continue: boolean }[];
  readonly destinations: readonly { readonly destination: string; readonly afterMs: number }[];
  readonly muted: { readonly reason: string; readonly until: string | null } | null;
}

function print({ routes, destinations, muted }: Answer): string {
  const taken = routes.map(
    (route) => `${route.at}: ${route.matchers.join(', ') || 'everything'}${route.continue ? ' (and on)' : ''}`,
  );
  const to = destinations.map(({ destination, afterMs }) =>
    afterMs === 0 ? destination : `${destination} (after ${duration(afterMs)}, when it still fires)`,
  );
  const until = muted?.until ? ` until ${muted.until}` : '';
  const told = to.join(', ') || 'none: nobody is told';
  return [
    ...(taken.length > 0 ? taken : ['none matches: the default']).map((line) => row('route', line)),
    row('destinations', muted === null ? told : `nobody while it is muted; then ${told}`),
    row('muted', muted === null ? 'no' : `yes${until}: ${muted.reason}`),
  ].join('');
}

function row(name: string, value: string): string {
  return `${name.padEnd(12)}  ${oneLine(value)}\n`;
}
