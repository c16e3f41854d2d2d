import type { Topology } from '../domain/telemetry.ts';
import { factsOf } from './store.ts';

type Call = Topology['edges'][number];

/** More remembered calls are a map that belongs into TOPOLOGY_FILE. */
const MAX_CALLS = 200;

/** The form of a dependency, `service` before it or not. */
export const DEPENDENCY = /^(?:service )?([\w.:/@-]{1,120}) depends_on (?:service )?([\w.:/@-]{1,120})$/;

/** Every `X depends_on Y` of the memory, newest first: X calls Y. */
export function readDependencies(text: string): readonly Call[] {
  const calls = factsOf(text).toReversed().flatMap(toCall);
  return [...new Map(calls.map((call) => [`${call.from}\n${call.to}`, call])).values()].slice(0, MAX_CALLS);
}

function toCall(fact: string): readonly Call[] {
  const [, from, to] = DEPENDENCY.exec(fact) ?? [];
  return from && to && from !== to ? [{ from, to }] : [];
}

/**
 * The topology with the remembered calls that belong to it (SPEC B12), and those that were added. A call belongs when an end of it is among `known`
 * services: memory adds what telemetry does not show, and cannot bring in two services that nobody has seen.
 */
export function withDependencies(
  topology: Topology,
  remembered: readonly Call[],
  known: ReadonlySet<string>,
): { readonly topology: Topology; readonly added: readonly Call[] } {
  const seen = new Set(topology.edges.map(({ from, to }) => `${from}\n${to}`));
  const added = remembered.filter(({ from, to }) => !seen.has(`${from}\n${to}`) && (known.has(from) || known.has(to)));
  const services = [...new Set([...topology.services, ...added.flatMap(({ from, to }) => [from, to])])];
  return { topology: { services, edges: [...topology.edges, ...added] }, added };
}
