import { z } from 'zod';
import { referredVariable } from '../config/load-config.ts';
import type { Config } from '../config/schema.ts';
import { createDestinations } from '../destinations/index.ts';
import { NamedDestination, NamedDestinationError, NamedDestinations, secretsOfNamed } from '../destinations/named.ts';
import type { CheckResult } from '../domain/check-result.ts';
import type { Destination } from '../domain/delivery.ts';
import type { Routing } from '../domain/routing.ts';
import { readSettingsFile } from '../platform/settings-file.ts';
import type { Mistake } from '../policy/explain-issues.ts';
import { createRouting } from '../policy/routing/routing.ts';
import { routingRules, type RoutingRules } from '../policy/routing/settings.ts';
import { readSettingFile, refuseFile } from './setting-file.ts';
import { counted } from '../domain/counted.ts';

const EXAMPLE = '`default: [file]`, or rules as in docs/routing.md';

/** Where reports go, and by which rules. */
export interface OpenedRouting {
  /** Those of the settings, then those of the file. */
  readonly destinations: readonly Destination[];
  readonly rules: RoutingRules;
  readonly routing: Routing;
  /** Where a rule stands, as `file:line`; empty without a file. */
  readonly placeOf: (list: 'routes' | 'mute', index: number) => string;
}

/** Destinations and rules of the settings and of ROUTES_FILE. Throws `ConfigError`, which names each problem with its line and what to do. */
export function openRouting(config: Config): OpenedRouting {
  const usual = createDestinations(config);
  const usualNames = usual.map(({ name }) => name);
  const file = config.ROUTES_FILE;
  if (file === undefined) {
    const rules = { default: usualNames, routes: [], mute: [] };
    return { destinations: usual, rules, routing: createRouting(rules), placeOf: () => '' };
  }
  const read = readRules(readSettingFile('ROUTES_FILE', file), file, config, usualNames);
  const { destinations: named, ...given } = read.data;
  const rules = { ...given, default: given.default ?? usualNames };
  const destinations = createDestinations(config, { named, read: referredVariable });
  const placeOf = (list: 'routes' | 'mute', index: number) => read.at([list, index], '').split(': ', 1)[0] ?? '';
  return { destinations, rules, routing: createRouting(rules, placeOf), placeOf };
}

function readRules(text: string, file: string, config: Config, usualNames: readonly string[]) {
  const names = [...usualNames, ...Object.keys(destinationsIn(text, file))];
  const read = readSettingsFile(text, file, {
    schema: z.strictObject({ destinations: NamedDestinations.default({}), ...routingRules(names) }),
    example: EXAMPLE,
    inspect: (raw) => [...brokenDestinations(config, raw), ...uselessDestinations(raw)],
  });
  if ('problems' in read) throw refuseFile('ROUTES_FILE', read.problems, read.cause);
  return read;
}

/** For redaction, which goes on where the file is broken: whoever opens the routing tells that. */
export function routingSecretsOf({ ROUTES_FILE: file }: Config): readonly string[] {
  if (file === undefined) return [];
  try {
    const entries = Object.values(destinationsIn(readSettingFile('ROUTES_FILE', file), file)).map((entry) =>
      NamedDestination.safeParse(entry),
    );
    const usable = entries.flatMap(({ data }) => (data === undefined ? [] : [data]));
    return secretsOfNamed(usable, referredVariable);
  } catch {
    return [];
  }
}

/** What `rootnote doctor` says of it. */
export function checkRouting({ ROUTES_FILE: file }: Config, { rules, destinations }: OpenedRouting): CheckResult {
  const name = 'routing';
  if (file === undefined) return { name, status: 'off', value: 'ROUTES_FILE is not set: everything goes to all' };
  const expired = rules.mute.filter(({ until = Infinity }) => until <= Date.now()).length;
  const value =
    `${counted(rules.routes.length, 'route')} and ${counted(rules.mute.length, 'mute rule')} in ${file}, ` +
    `${counted(destinations.length, 'destination')}, otherwise to ${rules.default.join(', ') || 'nobody'}`;
  if (expired === 0) return { name, status: 'ok', value };
  const remedy = `Remove what has ended: ${counted(expired, 'mute rule')} of ${file}.`;
  return { name, status: 'warn', value: `${value}; ${expired} ended`, remedy };
}

const Anything = z.looseObject({
  destinations: z.record(z.string(), z.unknown()).default({}).catch({}),
  routes: z.array(z.looseObject({ destinations: z.array(z.unknown()) })).optional(),
  default: z.array(z.unknown()).optional(),
});

/** The destinations that the file adds, however broken they are: rules that use them have a mistake less to tell. */
function destinationsIn(text: string, file: string): Readonly<Record<string, unknown>> {
  const read = readSettingsFile(text, file, { schema: Anything.pick({ destinations: true }), example: EXAMPLE });
  return 'problems' in read ? {} : read.data.destinations;
}

/** Those that fit their schema, and lack a secret or are there already. */
function brokenDestinations(config: Config, raw: unknown): readonly Mistake[] {
  const { data: { destinations = {} } = {} } = Anything.pick({ destinations: true }).safeParse(raw);
  return Object.entries(destinations).flatMap(([name, value]) => {
    const { data: entry } = NamedDestination.safeParse(value);
    if (entry === undefined) return [];
    try {
      createDestinations(config, { named: { [name]: entry }, read: referredVariable });
      return [];
    } catch (error) {
      if (!(error instanceof NamedDestinationError)) throw error;
      return error.problems.map((message) => ({ path: ['destinations', name], message }));
    }
  });
}

/** Nothing, where the rules cannot be read: then nobody knows. */
function uselessDestinations(raw: unknown): readonly Mistake[] {
  const { data } = Anything.safeParse(raw);
  if (!data) return [];
  const used = new Set([...(data.default ?? []), ...(data.routes ?? []).flatMap(({ destinations }) => destinations)]);
  return Object.keys(data.destinations)
    .filter((name) => !used.has(name))
    .map((name) => ({
      path: ['destinations', name],
      message: `no route leads to ${name}: name it in a route or in default`,
    }));
}
