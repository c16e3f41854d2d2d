import { readFileSync } from 'node:fs';
import { z } from 'zod';
import { ConfigError, referredVariable } from '../config/load-config.ts';
import type { Config } from '../config/schema.ts';
import { createDestinations } from '../destinations/index.ts';
import { NamedDestinationError, NamedDestinations, secretsOfNamed } from '../destinations/named.ts';
import type { CheckResult } from '../domain/check-result.ts';
import type { Destination } from '../domain/delivery.ts';
import type { Routing } from '../domain/routing.ts';
import { readSettingsFile, type SettingsFile } from '../platform/settings-file.ts';
import { createRouting } from '../policy/routing/routing.ts';
import { routingRules, type RoutingRules } from '../policy/routing/settings.ts';

const LARGEST_FILE = 262_144;

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
  const text = readText(file);
  const names = [...usualNames, ...namesIn(text, file)];
  const schema = z.strictObject({ destinations: NamedDestinations.default({}), ...routingRules(names) });
  const read = readSettingsFile(text, file, schema);
  if ('problems' in read) throw refusal(read.problems, read.cause);
  const { destinations: named, ...given } = read.data;
  const rules = { ...given, default: given.default ?? usualNames };
  const problems = [...brokenDestinations(config, named, read.at), ...uselessDestinations(named, rules, read.at)];
  if (problems.length > 0) throw refusal(problems.join('\n'));
  const destinations = createDestinations(config, { named, read: referredVariable });
  const placeOf = (list: 'routes' | 'mute', index: number) => read.at([list, index], '').split(': ', 1)[0] ?? '';
  return { destinations, rules, routing: createRouting(rules), placeOf };
}

/** For redaction, which goes on where the file is broken: whoever opens the routing tells that. */
export function routingSecretsOf({ ROUTES_FILE: file }: Config): readonly string[] {
  if (file === undefined) return [];
  try {
    const read = readSettingsFile(readText(file), file, z.looseObject({ destinations: NamedDestinations.default({}) }));
    return 'problems' in read ? [] : secretsOfNamed(read.data.destinations, referredVariable);
  } catch {
    return [];
  }
}

/** What `rootnote doctor` says of it. */
export function checkRouting({ ROUTES_FILE: file }: Config, { rules, destinations }: OpenedRouting): CheckResult {
  const name = 'routing';
  if (file === undefined) return { name, status: 'off', value: 'ROUTES_FILE is not set: everything goes to all' };
  const count = (number: number, what: string) => `${number} ${what}${number === 1 ? '' : 's'}`;
  const expired = rules.mute.filter(({ until = Infinity }) => until <= Date.now()).length;
  const value =
    `${count(rules.routes.length, 'route')} and ${count(rules.mute.length, 'mute rule')} in ${file}, ` +
    `${count(destinations.length, 'destination')}, otherwise to ${rules.default.join(', ') || 'nobody'}`;
  if (expired === 0) return { name, status: 'ok', value };
  const remedy = `Remove what has ended: ${count(expired, 'mute rule')} of ${file}.`;
  return { name, status: 'warn', value: `${value}; ${expired} ended`, remedy };
}

function readText(file: string): string {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    throw refusal(`${file} cannot be read: ${error instanceof Error ? error.message : String(error)}`, error);
  }
  if (text.length > LARGEST_FILE) throw refusal(`${file} is larger than ${LARGEST_FILE} characters`);
  return text;
}

/** Of the destinations that the file adds, however broken they are: rules that use them have a mistake less to tell. */
function namesIn(text: string, file: string): readonly string[] {
  const anything = z.looseObject({ destinations: z.record(z.string(), z.unknown()).optional() });
  const read = readSettingsFile(text, file, anything);
  return 'problems' in read ? [] : Object.keys(read.data.destinations ?? {});
}

/** Each by itself, so that all are told at once. */
function brokenDestinations(
  config: Config,
  named: NamedDestinations,
  at: SettingsFile<unknown>['at'],
): readonly string[] {
  return Object.entries(named).flatMap(([name, entry]) => {
    try {
      createDestinations(config, { named: { [name]: entry }, read: referredVariable });
      return [];
    } catch (error) {
      if (!(error instanceof NamedDestinationError)) throw error;
      return [at(['destinations', name], error.message)];
    }
  });
}

function uselessDestinations(
  named: NamedDestinations,
  rules: RoutingRules,
  at: SettingsFile<unknown>['at'],
): readonly string[] {
  const used = new Set([...rules.default, ...rules.routes.flatMap(({ destinations }) => destinations)]);
  return Object.keys(named)
    .filter((name) => !used.has(name))
    .map((name) => at(['destinations', name], `no route leads to ${name}: name it in a route or in default`));
}

function refusal(problems: string, cause?: unknown): ConfigError {
  const lines = problems.split('\n').map((line) => `ROUTES_FILE: ${line}`);
  return new ConfigError(lines.join('\n'), { cause });
}
