import type { Incident } from '../../domain/incident.ts';
import { serviceOf, type Labels } from '../../domain/labels.ts';
import type { Mute, RoutedDestination, Routing } from '../../domain/routing.ts';
import { matchesAll } from './matchers.ts';
import type { MuteRule, Route, RoutingRules } from './settings.ts';
import { isWithin } from './time-intervals.ts';

/** What rules make of labels: for incidents, and for people who try their file. */
export interface RouteTaken {
  /** Places of the routes in the file, from 0; none: the default. */
  readonly routes: readonly number[];
  readonly destinations: readonly RoutedDestination[];
}

/** Routes and mutes of these rules; `placeOf` says where one stands, '' when nobody knows. A route takes an incident when any of its firing alerts matches; a mute covers it only when every one is covered. */
export function createRouting(rules: RoutingRules, placeOf: PlaceOf = () => ''): Routing {
  const take = (incident: Incident) => ownRoute(incident) ?? takeRoutes(rules, alertLabels(incident));
  const routesFor = (incident: Incident) => take(incident).destinations;
  return {
    routesFor,
    routesForStorms: () => takeRoutes(rules, [{ kind: 'storm' }]).destinations,
    destinationsFor: (incident) => routesFor(incident).map(({ destination }) => destination),
    sinkOf: (incident) => {
      const { routes, destinations } = take(incident);
      if (destinations.length > 0) return undefined;
      return placesOf('routes', routes, placeOf) || 'the default';
    },
    muteOf: (incident, nowMs) => {
      const labels = [...alertLabels(incident), ...unseenLabels(incident)];
      const found = findMute(rules.mute, labels, nowMs);
      const at = placesOf('mute', found?.rules ?? [], placeOf);
      return found && { ...found.mute, ...(at === '' ? {} : { at }) };
    },
  };
}

/** A check whose file names destinations goes there, whatever the routes say. */
function ownRoute({ check }: Incident): RouteTaken | undefined {
  const names = check?.job.destinations ?? [];
  if (names.length === 0) return undefined;
  return { routes: [], destinations: names.map((destination) => ({ destination, afterMs: 0 })) };
}

type PlaceOf = (list: 'routes' | 'mute', index: number) => string;

function placesOf(list: 'routes' | 'mute', indices: readonly number[], placeOf: PlaceOf): string {
  return indices
    .map((index) => placeOf(list, index))
    .filter(Boolean)
    .join(', ');
}

/** Every destination, and nothing is muted: where there are no rules. */
export function routeToAll(destinations: readonly string[]): Routing {
  return createRouting({ default: destinations, routes: [], mute: [] });
}

/** In the order of the file, up to the first match that does not go on. A destination of several routes is told at the earliest time. */
export function takeRoutes({ routes, default: otherwise }: RoutingRules, alerts: readonly Labels[]): RouteTaken {
  const taken: { readonly route: Route; readonly index: number }[] = [];
  for (const [index, route] of routes.entries()) {
    if (!alerts.some((labels) => matchesAll(route.matchers, labels))) continue;
    taken.push({ route, index });
    if (!route.continue) break;
  }
  if (taken.length === 0)
    return { routes: [], destinations: otherwise.map((destination) => ({ destination, afterMs: 0 })) };
  const afterMs = new Map<string, number>();
  for (const { route } of taken)
    for (const name of route.destinations) afterMs.set(name, Math.min(route.after, afterMs.get(name) ?? Infinity));
  return {
    routes: taken.map(({ index }) => index),
    destinations: [...afterMs].map(([destination, after]) => ({ destination, afterMs: after })),
  };
}

/** The rules that together cover every alert now, by their places in the list, from 0. */
export function findMute(
  rules: readonly MuteRule[],
  alerts: readonly Labels[],
  nowMs: number,
): { readonly mute: Mute; readonly rules: readonly number[] } | undefined {
  const active = rules.filter(({ until = Infinity, time_intervals: intervals }) => {
    return nowMs < until && (intervals?.some((interval) => isWithin(interval, nowMs)) ?? true);
  });
  const used = new Set<MuteRule>();
  for (const labels of alerts) {
    const rule = active.find(({ matchers }) => matchesAll(matchers, labels));
    if (!rule) return undefined;
    used.add(rule);
  }
  if (used.size === 0) return undefined;
  const reason = [...used].map((rule) => rule.reason).join('; ');
  const untilMs = Math.min(...[...used].map(({ until = Infinity }) => until));
  const mute = Number.isFinite(untilMs) ? { reason, untilMs } : { reason };
  return { mute, rules: [...used].map((rule) => rules.indexOf(rule)) };
}

/** What rules see of each firing alert (of each alert, when none fires any more); of an incident without alerts, its own labels. */
function alertLabels(incident: Incident): readonly Labels[] {
  const firing = incident.alerts.filter(({ status }) => status === 'firing');
  const alerts = firing.length > 0 ? firing : incident.alerts;
  const sets = alerts.length > 0 ? alerts.map(({ labels }) => labels) : [incident.labels];
  return sets.map((labels) => describe(labels, incident));
}

/** Alerts that were cut off count as one that has what all have in common: no rule is known to cover more of them. */
function unseenLabels(incident: Incident): readonly Labels[] {
  const isCut = incident.truncatedAlerts > 0 || incident.alertCount > incident.alerts.length;
  return isCut && incident.alerts.length > 0 ? [describe(incident.labels, incident)] : [];
}

/** Names that every incident has; labels of the same names go before them. */
function describe(labels: Labels, { source, receiver, kind, service, severity }: Incident): Labels {
  const own = { source, receiver, kind, service: serviceOf(labels) ?? service ?? '', severity: severity ?? '' };
  return { ...own, ...labels };
}
